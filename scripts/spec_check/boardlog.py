"""Boards on logs: docs/spec/election.md, docs/spec/log.md."""

import base64
import hashlib
import re

from .ed25519 import digest, is_key, verify, verify_in_domain
from .encoding import Reader, require

KIND = re.compile(r"[a-z0-9./-]{1,64}")
MAX_PAYLOAD, MAX_RECORD = 1 << 28, 1 << 31


def _text(text):
    return len(text.encode()).to_bytes(4, "little") + text.encode()


def _node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def _root(first, end, leaves, proof):
    """The root of the leaves first..end, of which the beginning is known and the rest is in the proof."""
    if first >= len(leaves):
        require(proof, "BD-3", "the range proof is too short")
        return proof.pop(0)
    if end - first == 1:
        return leaves[first]
    split = first + (1 << (end - first - 1).bit_length() - 1)
    return _node(_root(first, split, leaves, proof), _root(split, end, leaves, proof))


class Heads:
    """The root of the leaves so far."""

    def __init__(self):
        self.size, self.peaks = 0, []

    def push(self, leaf):
        size = self.size
        while size & 1:
            leaf, size = _node(self.peaks.pop(), leaf), size >> 1
        self.peaks.append(leaf)
        self.size += 1

    def head(self):
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = _node(peak, root)
        return self.size, root


class Leaf:
    """LG-1, but for the signature."""

    def __init__(self, reader):
        start = reader.at
        require(reader.integer(1, "leaf version") == 1, "CV-5", "not a leaf of version 1")
        self.time, header = reader.integer(8, "time"), reader.at
        require(reader.integer(1, "header version") == 1, "LG-1", "not a header of version 1")
        self.kind, self.subject = reader.text("kind", 64), reader.bytes("subject", 128)
        require(KIND.fullmatch(self.kind), "LG-1", "not a kind of entry")
        self.author = reader.take(32, "author")
        require(is_key(self.author), "LG-1", "not a key")
        reader.integer(8, "author's time")
        self.payload, self.length = reader.take(32, "payload's digest"), reader.integer(8, "length")
        require(self.length <= MAX_PAYLOAD, "LG-1", "a payload that is too long")
        self.unsigned, self.signature = reader.data[header:reader.at], reader.take(64, "signature")
        self.header, self.data = reader.data[header:reader.at], reader.data[start:reader.at]
        self.name = digest("subrosa/log/header/v1", self.header)

    def verify(self, origin):
        good = verify_in_domain(self.author, "subrosa/log/entry/v1", _text(origin) + self.unsigned, self.signature)
        require(good, "LG-1", "the author's signature")


class Entry:
    """An entry of a board on a log."""

    def __init__(self, data):
        reader = Reader(data)
        require(reader.integer(1, "version") == 2, "CV-5", "not an entry of version 2")
        self.sequence = reader.integer(8, "place")
        self.leaf = Leaf(Reader(reader.bytes("leaf", 400)))
        self.payload = reader.bytes("payload", MAX_PAYLOAD)
        reader.finish()
        own = digest("subrosa/log/payload/v1", self.payload)
        good = (len(self.payload), own) == (self.leaf.length, self.leaf.payload)
        require(good, "LG-2", f"entry {self.sequence}: another payload")
        self.author, self.kind, self.time = self.leaf.author, self.leaf.kind, self.leaf.time
        self.subject, self.digest, self.contradicts = self.leaf.subject, self.leaf.name, False


def _from_base64(text, check):
    """Bytes have one spelling; Python's decoder takes several."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        require(False, check, "not base64")
    require(base64.b64encode(data).decode() == text, check, "base64 in another spelling")
    return data


def _read_key(text):
    match = re.fullmatch(r"([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", text)
    require(match, "BD-3", "not the key of a log")
    name, known, own = match[1], bytes.fromhex(match[2]), _from_base64(match[3], "BD-3")
    require(len(own) == 33 and own[0] == 1 and is_key(own[1:]), "BD-3", "not the key of a log")
    require(hashlib.sha256(name.encode() + b"\n" + own).digest()[:4] == known, "BD-3", "the id of the log's key")
    bound = name.startswith("subrosa-board/")
    require(not bound or name == "subrosa-board/" + own[1:].hex(), "BD-3", "the log's name names another keeper")
    return name, known, own[1:]


def _read_checkpoint(note, name, known, key):
    """LG-5."""
    try:
        text, lines = note.decode().rsplit("\n\n", 1)
        origin, size, root = text.split("\n")[:3]
        size, root = int(size), _from_base64(root, "LG-5")
    except ValueError:
        require(False, "LG-5", "not a checkpoint")
    require(origin == name and len(root) == 32, "LG-5", "a checkpoint of another log")
    signed = 0
    for line in lines.rstrip("\n").split("\n"):
        who, signature = line.removeprefix("\u2014 ").rsplit(" ", 1)
        signature = _from_base64(signature, "LG-5")
        if who == name and signature[:4] == known:
            require(verify(key, (text + "\n").encode(), signature[4:]), "LG-5", "the keeper's signature")
            signed += 1
    require(signed, "LG-5", "the keeper did not sign the checkpoint")
    return size, root


def read_logged(objects, record):
    """BD-3 and BD-4: the entries, each with the head of the log up to it, and what the statement says of the log."""
    require(len(record) <= MAX_RECORD, "CB-11", "log is over the limit")
    reader = Reader(record)
    reader.header("boardlog", 1)
    text = reader.text("key", 512)
    name, known, key = _read_key(text)
    size, root = _read_checkpoint(reader.bytes("checkpoint", 1 << 20), name, known, key)
    require(reader.integer(8, "first leaf") == 0, "BD-3", "the leaves do not begin at place 0")
    leaves = [Leaf(reader) for _ in range(reader.count("leaves", 1 << 24))]
    proof = [reader.take(32, "node") for _ in range(reader.integer(1, "nodes"))]
    reader.finish()
    require(0 < len(leaves) <= size, "BD-3", "more leaves than the log has")
    hashes = [hashlib.sha256(b"\0" + leaf.data).digest() for leaf in leaves]
    require(_root(0, size, hashes, proof) == root and not proof, "BD-3", "other leaves than those of the checkpoint")
    require(all(a.time <= b.time for a, b in zip(leaves, leaves[1:])), "LG-8", "time goes backwards")
    written, entries, names, slots, heads = iter(objects), [], set(), set(), Heads()
    for place, (leaf, leaf_hash) in enumerate(zip(leaves, hashes)):
        leaf.verify(name)
        heads.push(leaf_hash)
        tick = leaf.kind == "log/tick" and leaf.author == key
        require(tick or not leaf.kind.startswith("log/"), "BD-4", "a kind that is the keeper's")
        if tick or leaf.kind == "party/run" or leaf.name in names:
            continue
        data = next(written, None)
        require(data is not None, "BD-4", f"the entry at place {place} is missing")
        entry = Entry(data)
        require((entry.sequence, entry.leaf.data) == (place, leaf.data), "BD-4", f"another entry at place {place}")
        slot = (leaf.author, leaf.kind, leaf.subject)
        entry.contradicts, entry.head = slot in slots, heads.head()
        names.add(leaf.name)
        slots.add(slot)
        entries.append(entry)
    require(next(written, None) is None, "BD-4", "an entry that is not in the log")
    require(entries, "BD-4", "there are no entries")
    return entries, {"key": text, "size": size, "root": root.hex(), "leaves": len(leaves)}
