"""Boards on logs of which an author, or the keeper, said something else: signed again by the keys beside a vector."""

import base64
import hashlib
import json

from .boardlog import Heads, Leaf
from .bundle import sort, to_json
from .ed25519 import digest, is_key, sign
from .encoding import Reader

LOG = "objects/board/log"


def _bytes(data):
    return len(data).to_bytes(4, "little") + data


def _path(place):
    return f"objects/board/{place:08}.entry"


def _name(data):
    return digest("subrosa/bundle/file", data).hex()


def public_key(seed):
    """The key of a seed: that of any signature by it."""
    _, key = sign(seed, b"")
    assert is_key(key)
    return key


class Said:
    """A leaf as its author and the keeper meant it; what is no entry has no payload here."""

    def __init__(self, leaf, payload):
        self.time, self.header, self.author, self.kind, self.subject = (
            leaf.time, leaf.header, leaf.author, leaf.kind, leaf.subject)
        self.claimed, self.payload = leaf.header[leaf.header.index(leaf.author) + 32:][:8], payload

    def leaf(self):
        return b"\1" + self.time.to_bytes(8, "little") + self.header


class Log:
    """The leaves of a bundle's board, and what they become."""

    def __init__(self, files, keys):
        self.files, self.seeds = files, {}
        for seed in map(bytes.fromhex, keys.values()):
            self.seeds[public_key(seed)] = seed
        reader = Reader(files[LOG])
        reader.take(18)
        self.key = reader.text("key", 512)
        self.origin = self.key.split("+")[0]
        reader.bytes("checkpoint", 1 << 20), reader.take(8)
        leaves = [Leaf(reader) for _ in range(reader.count("leaves", 1 << 24))]
        self.leaves = [Said(leaf, self._payload(place)) for place, leaf in enumerate(leaves)]

    def _payload(self, place):
        if _path(place) not in self.files:
            return None
        reader = Reader(self.files[_path(place)])
        reader.take(9), reader.bytes("leaf", 400)
        return reader.bytes("payload", 1 << 28)

    def sign(self, said):
        own = digest("subrosa/log/payload/v1", said.payload)
        unsigned = b"\1" + _bytes(said.kind.encode()) + _bytes(said.subject) + said.author + said.claimed
        unsigned += own + len(said.payload).to_bytes(8, "little")
        domain = "subrosa/log/entry/v1"
        message = domain.encode() + digest(domain, _bytes(self.origin.encode()) + unsigned)
        said.header = unsigned + sign(self.seeds[said.author], message)[0]

    def flip(self, place, at, xor):
        said = self.leaves[place]
        said.payload = said.payload[:at] + bytes([said.payload[at] ^ xor]) + said.payload[at + 1:]
        self.sign(said)

    def head(self, leaves):
        heads = Heads()
        for said in leaves:
            heads.push(hashlib.sha256(b"\0" + said.leaf()).digest())
        return heads.head()

    def change(self, place, change, keys):
        [(what, how)] = change.items() if isinstance(change, dict) else [(change, {})]
        said = self.leaves[place]
        match what:
            case "byte":
                self.flip(place, how["at"], how["xor"])
            case "by":
                said.author = public_key(bytes.fromhex(keys[how["author"]]))
                self.sign(said)
            case "kind":
                said.kind = how["kind"]
                self.sign(said)
            case "subject":
                said.subject = b"x"
                self.sign(said)
            case "time":
                said.time = how["time"]
            case "head":
                size, root = self.head(self.leaves[:how["place"] + 1])
                said.payload = said.payload[:-40] + size.to_bytes(8, "little") + root
                self.sign(said)
            case "again":
                again = Said.__new__(Said)
                again.__dict__.update(said.__dict__)
                self.leaves.insert(place + 1, again)
                self.flip(place + 1, how["at"], how["xor"])
            case "without":
                self.leaves.pop(place)
            case "mix":
                self._flip_mix(place, how["at"], how["xor"])
            case _:
                raise AssertionError(f"an unknown change of a log: {what}")

    def _flip_mix(self, place, at, xor):
        turn, mix = self.leaves[place].payload[:4], b""
        for part in range(place, len(self.leaves)):
            said = self.leaves[part]
            if said.kind == "mix/part" and said.payload[:4] == turn:
                if len(mix) <= at < len(mix) + len(said.payload) - 12:
                    self.flip(part, 12 + at - len(mix), xor)
                mix += said.payload[12:]
        header = self.leaves[place]
        header.payload = header.payload[:12] + digest("subrosa/election/mix/parts/v2", mix)
        self.sign(header)

    def _checkpoint(self, size, root):
        body = f"{self.origin}\n{size}\n{base64.b64encode(root).decode()}\n"
        _, known, own = self.key.split("+", 2)
        signature, _ = sign(self.seeds[base64.b64decode(own)[1:]], body.encode())
        line = base64.b64encode(bytes.fromhex(known) + signature).decode()
        return f"{body}\n\u2014 {self.origin} {line}\n".encode()

    def bundle(self):
        """All files again: the keeper signed the log as it is, and all digests follow."""
        size, root = self.head(self.leaves)
        out, board = {}, []
        for place, said in enumerate(self.leaves):
            if said.payload is not None:
                entry = b"\2" + place.to_bytes(8, "little") + _bytes(said.leaf()) + _bytes(said.payload)
                out[_path(place)] = entry
                board.append(_name(entry))
        leaves = b"".join(said.leaf() for said in self.leaves)
        out[LOG] = self.files[LOG][:18] + _bytes(self.key.encode()) + _bytes(self._checkpoint(size, root))
        out[LOG] += bytes(8) + size.to_bytes(4, "little") + leaves + b"\0"
        out |= {path: data for path, data in self.files.items() if path.startswith("objects/trace/")}
        return out | self._claims(out, board, {"size": size, "leaves": size, "root": root.hex()})

    def _claims(self, out, board, stated):
        manifest, claims = json.loads(self.files["bundle.json"]), {}
        for path in manifest["claims"]:
            claim = json.loads(self.files[path])
            claim["statement"]["log"] |= stated
            claim["objects"] |= {"board": board, "log": [_name(out[LOG])]}
            claims[path] = to_json(claim | {name: sort(claim[name]) for name in ("objects", "statement")})
        manifest["files"] = {path: _name(data) for path, data in sorted((out | claims).items())}
        return claims | {"bundle.json": to_json(manifest)}


def apply(files, how, keys):
    log = Log(files, keys)
    log.change(how["place"], how["change"], keys)
    return log.bundle()
