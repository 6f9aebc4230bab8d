"""What tables have in common, look-ups and absence: docs/spec/table.md."""

import base64
import hashlib
import re

from . import blake3, ristretto
from .bundle import read_json, require_stated
from .ed25519 import is_key, verify, verify_in_domain
from .encoding import Reader, Refused, require

LOGGED = {"checkpoint": (1, 1), "genesis": (1, 1), "proof": (1, 1), "rotations": (0, 1 << 30)}
KINDS = ["moments", "order", "top", "histogram"]
DEFAULTS = {"allow": None, "rounding": None, "rollups": False, "rank_gap": 0, "max_queries_per_day": None,
            "max_queries_per_asker": None, "hierarchy": None}
ZERO = bytes(32)


def hash_of(context, *inputs):
    """`H_context(a, b, …)`: bytes, numbers, and lists."""
    data = bytearray()

    def put(item):
        if isinstance(item, list):
            put(len(item))
            for one in item:
                put(one)
            return
        item = item.to_bytes(8, "little") if isinstance(item, int) else item
        data.extend(len(item).to_bytes(4, "little") + item)

    for item in inputs:
        put(item)
    return blake3.derive_key(f"subrosa table v1 {context}", bytes(data))


class Column:
    def __init__(self, index, value):
        self.index, self.name, self.unit = index, value["name"], value["unit"]
        self.scale, self.min, self.moments, self.ordered = (
            value[name] for name in ("scale", "min", "moments", "ordered"))
        self.cuts, self.span = value["cuts"], value["max"] - value["min"]
        self.bits = next((b for b in (8, 16, 32, 64) if self.span < 1 << b), 128)


class Table:
    WIDTHS = {"bool": (1, 1), "u32": (4, 2**32 - 1), "u64": (8, 2**64 - 1)}

    def __init__(self, data):
        members = ["schema", "first_epoch", "operator", "witnesses", "quorum", "dishonest", "auditors", "nonce"]
        members += ["continues"] * (b'\n  "continues": {' in data)
        genesis = read_json(data, "TB-1", members, [])
        self.name, self.genesis, self.schema = hash_of("table", data), genesis, genesis["schema"]
        self.first, self.rotations = genesis["first_epoch"], []
        self.columns = [Column(index, value) for index, value in enumerate(self.schema["values"])]
        self.types = []
        for one in self.schema["types"]:
            kind = one["kind"]
            names = kind["enum"] if isinstance(kind, dict) else None
            self.types.append((one["name"], names, *(self.WIDTHS[kind] if names is None else (2, len(names) - 1))))
        self.ordered = [column.index for column in self.columns if column.ordered]
        self.policy = DEFAULTS | self.schema["policy"]
        self._check()

    def _check(self):
        rule = lambda holds, what: require(holds, "TB-1", what)
        policy, schema, genesis = self.policy, self.schema, self.genesis
        spelt = ["min_count", "extremes", "quantiles", *(n for n in DEFAULTS if policy[n] != DEFAULTS[n])]
        rule(list(schema["policy"]) == spelt, "the policy is spelt otherwise")
        rule(list(schema) == ["table", "types", "values", "policy", "order_proof", "key_period", "seal_deadline"],
             "the schema is spelt otherwise")
        names = [one[0] for one in self.types] + [column.name for column in self.columns]
        rule(len(set(names)) == len(names) <= 4096, "names are distinct")
        for _, enum, _, _ in self.types:
            rule(enum is None or 1 <= len(enum) == len(set(enum)) <= 4096, "names of an enum are distinct")
        rule(self.key_length() <= 128, "a key has 128 bytes at most")
        for column in self.columns:
            cuts = column.cuts
            rule(column.span > 0 and 1 <= column.moments <= 4 and column.scale <= 18, "a value column")
            rule(column.moments * column.span.bit_length() + 40 <= 250, "sums could wrap")
            rule(len(cuts) <= 4096 and all(a < b for a, b in zip(cuts, cuts[1:])), "cuts ascend")
        rule(self.ordered and schema["key_period"] >= 1, "an ordered column, a key period")
        rule(policy["rounding"] in (None, 8, 16, 32), "rounding")
        allowed = self.allowed()
        rule([word for word in KINDS if word in allowed] == allowed, "`allow`")
        rule(all(0 < p["part"] < p["whole"] for p in policy["quantiles"]), "quantiles")
        keys = [genesis["operator"], *genesis["witnesses"], *genesis["auditors"]]
        rule(all(re.fullmatch("[0-9a-f]{64}", key) and is_key(bytes.fromhex(key)) for key in keys), "keys")
        n, quorum = len(genesis["witnesses"]), genesis["quorum"]
        rule(len(set(genesis["witnesses"])) == n, "witnesses are distinct")
        rule(len(set(genesis["auditors"])) == len(genesis["auditors"]), "auditors are distinct")
        rule((n == quorum == 0) or (quorum <= n and 2 * quorum > n + genesis["dishonest"]), "the quorum")
        continues = genesis.get("continues")
        if continues is not None:
            rule(list(continues) == ["table", "epochs", "root"], "`continues`")
            hashes = (continues["table"], continues["root"])
            rule(all(re.fullmatch("[0-9a-f]{64}", one) for one in hashes), "hashes of `continues`")
            rule(type(continues["epochs"]) is int and 0 <= continues["epochs"] < 1 << 64, "epochs of `continues`")

    def allowed(self):
        """The kinds of answers that the policy gives."""
        named = self.policy["allow"]
        return KINDS[:2] if named is None else named

    def key_length(self):
        return max(1, sum(width for *_, width, _ in self.types))

    def codes(self, key):
        """The codes of a key; None if it is none."""
        if not self.types:
            return [] if key == b"\0" else None
        codes, at = [], 0
        for _, _, width, most in self.types:
            codes.append(int.from_bytes(key[at:at + width], "big"))
            at += width
            if codes[-1] > most:
                return None
        return codes if at == len(key) else None

    def slots(self, column):
        """Pairs of column and power."""
        columns = [column]
        if column == self.ordered[0]:
            columns += [other.index for other in self.columns if not other.ordered]
        return [(c, power) for c in columns for power in range(1, self.columns[c].moments + 1)]

    def operator(self, size):
        key = bytes.fromhex(self.genesis["operator"])
        for epoch, _, new in self.rotations:
            key = new if size > epoch - self.first + 1 else key
        return key

    def position(self, column, check):
        require(column in self.ordered, check, "the column is not ordered")
        return self.ordered.index(column)


class Checkpoint:
    """A note with its signatures; TB-5 when read, TB-6 and TB-7 when verified."""

    def __init__(self, table, data):
        text, _, lines = data.decode().rpartition("\n\n")
        self.text = text + "\n"
        body = self.text.split("\n")
        form = len(data) <= 1 << 20 and len(body) == 4 and lines.endswith("\n")
        require(form and re.fullmatch("0|[1-9][0-9]*", body[1]), "TB-5", "not origin, size and root")
        require(body[0] == f"subrosa.table/v1/{table.name.hex()}", "TB-5", "another table")
        self.size, self.root = int(body[1]), self._base64(body[2])
        self.lines = []
        for line in lines[:-1].split("\n"):
            match = re.fullmatch("— ([^ +]+) ([^ ]+)", line)
            require(match, "TB-5", "not the line of a signature")
            signed = self._base64(match[2])
            self.lines.append((match[1], signed[:4], signed[4:]))
        require(len(self.root) == 32 and self.lines[0][0] == body[0], "TB-5", "the operator's line is not first")

    @staticmethod
    def _base64(text):
        try:
            data = base64.b64decode(text, validate=True)
        except ValueError:
            data = b""
        require(base64.b64encode(data).decode() == text, "TB-5", "not base64")
        return data

    @staticmethod
    def _id(name, algorithm, key):
        return hashlib.sha256(name.encode() + b"\n" + bytes([algorithm]) + key).digest()[:4]

    def verify(self, table):
        key = table.operator(self.size)
        name, own, signature = self.lines[0]
        require(own == self._id(name, 1, key), "TB-6", "the operator's line is of another key")
        require(verify(key, self.text.encode(), signature), "TB-6", "the operator did not sign")
        self.signer, self.witnesses, times = key.hex(), [], []
        for name, own, signature in self.lines[1:]:
            require(name in table.genesis["witnesses"], "TB-7", "a cosignature of somebody else")
            require(name not in self.witnesses, "TB-7", "a witness signed twice")
            witness, time = bytes.fromhex(name), int.from_bytes(signature[:8], "big")
            message = f"cosignature/v1\ntime {time}\n{self.text}".encode()
            genuine = own == self._id(name, 4, witness) and len(signature) == 72 and time < 1 << 63
            require(genuine and verify(witness, message, signature[8:]), "TB-7", "a cosignature is not genuine")
            self.witnesses.append(name)
            times.append(time)
        quorum = table.genesis["quorum"]
        require(len(times) >= quorum, "TB-7", "too few witnesses")
        self.witnessed = sorted(times, reverse=True)[quorum - 1] if quorum else None

    def statement(self, table):
        return {"epochs": self.size, "first": table.first, "root": self.root.hex(), "operator": self.signer,
                "witnesses": self.witnesses, "witnessed": self.witnessed}


def _inclusion_root(index, size, leaf, proof):
    """The root of RFC 6962 above a leaf; the proof has exactly the length that index and size have."""
    sides, low, high = [], 0, size
    while high - low > 1:
        middle = low + (1 << ((high - low - 1).bit_length() - 1))
        left = index < middle
        sides.append(left)
        low, high = (low, middle) if left else (middle, high)
    require(len(sides) == len(proof), "TB-4", "a proof of another length")
    node = hashlib.sha256(b"\0" + leaf).digest()
    for left, sibling in zip(reversed(sides), proof):
        pair = node + sibling if left else sibling + node
        node = hashlib.sha256(b"\1" + pair).digest()
    return node


class Header:
    def __init__(self, reader):
        self.epoch, columns = reader.integer(4, "epoch"), reader.integer(2, "columns")
        self.roots = [(reader.take(32, "root of keys"), reader.take(32, "root of pseudonyms")) for _ in range(columns)]
        self.rollups, self.rows = reader.take(32, "root of roll-ups"), reader.integer(8, "rows")
        self.aux, self.previous = reader.take(32, "aux"), reader.take(32, "previous")
        self.audit = reader.take(32, "audit")

    def core(self, table):
        roots = [root for pair in self.roots for root in pair]
        return hash_of("core", table.name, self.epoch, len(self.roots), *roots, self.rollups, self.rows, self.aux,
                       self.previous)

    def digest(self, table):
        return hash_of("epoch", self.core(table), self.audit)


class LoggedEpoch:
    def __init__(self, reader):
        self.header = Header(reader)
        count = reader.integer(1, "length of the log proof")
        require(count <= 64, "CV-2", "a proof that is too long")
        self.proof = [reader.take(32, "log sibling") for _ in range(count)]

    def verify(self, table, checkpoint):
        """TB-4; the epoch's digest."""
        header = self.header
        require(len(header.roots) == len(table.ordered), "TB-4", "another number of columns")
        index = header.epoch - table.first
        require(0 <= index < checkpoint.size, "TB-4", "no such epoch in the log")
        digest = header.digest(table)
        root = _inclusion_root(index, checkpoint.size, digest, self.proof)
        require(root == checkpoint.root, "TB-4", "the epoch is not in the log")
        return digest


def read_records(reader):
    """All records of an epoch: their encodings, and kind and fields of each."""
    encodings, records = [], []
    for _ in range(reader.count("records", 256)):
        start, tag = reader.at, reader.integer(1, "tag")
        require(tag <= 3, "CV-4", "an unknown record")
        if tag == 2:
            fields = (reader.integer(4, "epoch"), *(reader.take(n) for n in (32, 32, 64, 64)))
        else:
            fields = (*(reader.integer(8, "erasures") for _ in range(tag == 3)), reader.take(32, "root or name"))
        encodings.append(reader.data[start:reader.at])
        records.append((tag, fields))
    return encodings, records


def apply_rotation(table, checkpoint, data):
    """TB-8."""
    reader = Reader(data)
    logged, (encodings, records) = LoggedEpoch(reader), read_records(reader)
    reader.finish()
    logged.verify(table, checkpoint)
    require(hash_of("aux", len(encodings), *encodings) == logged.header.aux, "TB-8", "other records")
    rotations = [fields for kind, fields in records if kind == 2]
    require(len(rotations) == 1, "TB-8", "not one rotation")
    epoch, old, new, consent, acceptance = rotations[0]
    signed = table.name + epoch.to_bytes(4, "little") + old + new
    genuine = all(is_key(key) and verify_in_domain(key, "subrosa/table/rotation", signed, signature)
                  for key, signature in ((old, consent), (new, acceptance)))
    later = not table.rotations or epoch > table.rotations[-1][0]
    was = [bytes.fromhex(table.genesis["operator"]), *(rotation[2] for rotation in table.rotations)]
    right = epoch == logged.header.epoch and old == table.operator(epoch - table.first + 1) and new not in was
    require(genuine and later and right, "TB-8", "not a change of the operator's key")
    table.rotations.append((epoch, old, new))


def read_logged(objects):
    """TB-9 without the epochs: table, checkpoint, and a reader of the proof."""
    try:
        table = Table(objects["genesis"][0])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Refused("TB-1", f"not a genesis: {error!r}") from None
    try:
        checkpoint = Checkpoint(table, objects["checkpoint"][0])
    except UnicodeDecodeError:
        raise Refused("TB-5", "not UTF-8") from None
    for rotation in objects["rotations"]:
        apply_rotation(table, checkpoint, rotation)
    checkpoint.verify(table)
    return table, checkpoint, Reader(objects["proof"][0], objects.get("notes"))


def tag_of(table, epoch, key, column, pseudonym):
    return hash_of("row", table.name, epoch, key, column, pseudonym)


def record_of(table, epoch, key, column, root):
    rows, doubles, top = root
    return hash_of("root", table.name, epoch, key, column, rows, doubles, top)


def points_of(encodings, check):
    points = [ristretto.decode(one) for one in encodings]
    require(all(point is not None for point in points), check, "not a canonical point")
    return points


class Leaf:
    def __init__(self, reader, slots):
        self.tag = reader.take(32, "tag")
        self.points = [reader.take(32, f"C_{j + 1}", "point") for j in range(slots)]

    def hash(self):
        return hash_of("leaf", self.tag, self.points)


class Path:
    """A leaf's path; `beside` is another path of the same key, whose upper part is not repeated."""

    def __init__(self, reader, slots, beside=None):
        self.index = reader.integer(8, "index")
        self.rows = beside.rows if beside else reader.integer(8, "rows of the key")
        require(self.index < self.rows <= 1 << 40, "CV-2", "the index is not below the rows")
        shape = list(self._shape(self.index, self.rows))
        shared = 0
        if beside:
            shared = sum(1 for layer, *_ in shape if self.index >> layer == beside.index >> layer)
        self.siblings = [self._sibling(reader, slots, one) for one in shape[:len(shape) - shared]]
        self.siblings += beside.siblings[len(beside.siblings) - shared:] if shared else []

    @staticmethod
    def _shape(index, rows):
        """Layer, rows below and side of each sibling."""
        layer = 0
        while (rows - 1) >> layer:
            sibling, width = (index >> layer) ^ 1, -(-rows >> layer)
            if sibling < width:
                below = min((sibling + 1) << layer, rows) - (sibling << layer)
                yield layer, below, sibling % 2 == 0
            layer += 1

    @staticmethod
    def _sibling(reader, slots, shape):
        _, below, left = shape
        if below == 1:
            return below, left, Leaf(reader, slots)
        doubles = [reader.take(32, f"sibling 2C_{j + 1}", "point") for j in range(slots)]
        return below, left, (doubles, reader.take(32, "left child"), reader.take(32, "right child"))

    def root(self, leaf, check):
        """The root (rows, encoded points, hash), and twice the sums of the rows behind the leaf."""
        sums = [point.double() for point in points_of(leaf.points, check)]
        behind, node, rows = [ristretto.IDENTITY] * len(sums), leaf.hash(), 1
        for below, left, sibling in self.siblings:
            if below == 1:
                points = [point.double() for point in points_of(sibling.points, check)]
                other = sibling.hash()
            else:
                points, other = points_of(sibling[0], check), hash_of("node", below, *sibling)
            sums, rows = [a + b for a, b in zip(sums, points)], rows + below
            behind = behind if left else [a + b for a, b in zip(behind, points)]
            pair = (other, node) if left else (node, other)
            node = hash_of("node", rows, [point.encode() for point in sums], *pair)
        return (rows, [point.encode() for point in sums], node), behind


class Label:
    def __init__(self, reader, limit=1024):
        length = reader.integer(2, "label length")
        require(1 <= length <= limit, "CV-2", "a label that is empty or longer than the key")
        self.bytes = reader.take(-(-length // 8), "label")
        text = "".join(f"{byte:08b}" for byte in self.bytes)
        require("1" not in text[length:], "CV-4", "the padding is not zero")
        self.bits = text[:length]

    def edge(self, below):
        return hash_of("trie edge", len(self.bits), self.bytes, below)


def bits_of(key):
    return "".join(f"{byte:08b}" for byte in key)


def _join(label, own, sibling, is_root):
    pair = (sibling, own) if label[0] == "1" else (own, sibling)
    return hash_of("trie root" if is_root else "trie node", *pair)


class Member:
    def __init__(self, reader):
        count = reader.integer(2, "steps")
        require(count <= 1024, "CV-2", "more steps than any key has bits")
        self.steps = [(Label(reader), reader.take(32, "edge beside")) for _ in range(count)]

    def follow(self, key, check):
        text, at = bits_of(key), 0
        for index, (label, sibling) in enumerate(self.steps):
            require(sibling != ZERO or index == 0, check, "only the root has one child")
            require(text[at:at + len(label.bits)] == label.bits, check, "an edge does not follow the key")
            at += len(label.bits)
        return at

    def fold(self, node):
        for index, (label, sibling) in reversed(list(enumerate(self.steps))):
            node = _join(label.bits, label.edge(node), sibling, index == 0)
        return node

    def verify(self, root, key, leaf, check):
        """TB-2."""
        whole = self.follow(key, check) == 8 * len(key) and self.steps
        require(whole and self.fold(leaf) == root, check, "the trie does not hold this")


class Absence:
    def __init__(self, reader):
        self.steps, tag = Member(reader), reader.integer(1, "end")
        require(tag <= 1, "CV-4", "an unknown end")
        self.label, self.below = (Label(reader), reader.take(32, "below")) if tag else (None, ZERO)
        self.sibling = reader.take(32, "sibling")

    def verify(self, root, key):
        """TB-3."""
        at, text, top = self.steps.follow(key, "TB-3"), bits_of(key), not self.steps.steps
        require(self.sibling != ZERO or top, "TB-3", "only the root has one child")
        if self.label is None:
            require(top, "TB-3", "only the root has one child")
            node = _join(text[0], ZERO, self.sibling, True)
        else:
            bits = self.label.bits
            fits = at + len(bits) <= len(text)
            require(fits and text[at] == bits[0] and text[at:at + len(bits)] != bits, "TB-3", "the edge does not part")
            node = _join(bits, self.label.edge(self.below), self.sibling, top)
        require(self.steps.fold(node) == root, "TB-3", "the trie does not show this")


class Lookup:
    """`TB-10` to `TB-12`, after `TB-4`."""

    def __init__(self, table, reader):
        self.table, self.epoch, self.column = table, LoggedEpoch(reader), reader.integer(2, "column")
        self.key, self.pseudonym = reader.bytes("key", 128), reader.take(32, "pseudonym")
        slots = reader.integer(2, "slots")
        require(slots <= 256, "CV-2", "more slots than any schema has")
        self.leaf = Leaf(reader, slots)
        self.path, self.types, self.ids = Path(reader, slots), Member(reader), Member(reader)
        reader.finish()

    def verify(self, checkpoint):
        table, column, key, leaf = self.table, self.column, self.key, self.leaf
        self.epoch.verify(table, checkpoint)
        position, number = table.position(column, "TB-10"), self.epoch.header.epoch
        right = len(leaf.points) == len(table.slots(column))
        right = right and leaf.tag == tag_of(table, number, key, column, self.pseudonym)
        require(right, "TB-10", "the leaf's tag is another")
        root, _ = self.path.root(leaf, "CV-6")
        record = hash_of("type leaf", record_of(table, number, key, column, root))
        keys_root, ids_root = self.epoch.header.roots[position]
        self.types.verify(keys_root, key, record, "TB-11")
        self.ids.verify(ids_root, self.pseudonym, hash_of("id leaf", self.pseudonym, leaf.hash()), "TB-12")


def check_lookup(objects, claim):
    table, checkpoint, reader = read_logged(objects)
    shown = Lookup(table, reader)
    shown.verify(checkpoint)
    require_stated(claim, {
        "table": table.name.hex(), "name": table.schema["table"], "log": checkpoint.statement(table),
        "epoch": shown.epoch.header.epoch, "column": table.columns[shown.column].name,
        "pseudonym": shown.pseudonym.hex(), "leaf": shown.leaf.hash().hex(), "present": True})


def check_absence(objects, claim):
    table, checkpoint, reader = read_logged(objects)
    epoch, column, pseudonym = LoggedEpoch(reader), reader.integer(2, "column"), reader.take(32, "pseudonym")
    absence = Absence(reader)
    reader.finish()
    epoch.verify(table, checkpoint)
    position = table.position(column, "TB-14")
    absence.verify(epoch.header.roots[position][1], pseudonym)
    require_stated(claim, {
        "table": table.name.hex(), "name": table.schema["table"], "log": checkpoint.statement(table),
        "epoch": epoch.header.epoch, "column": table.columns[column].name, "pseudonym": pseudonym.hex(),
        "present": False})
