"""What a user holds its own row to: docs/spec/table.md, `TB-13` and "Receipts"."""

import base64
import csv
import json
from decimal import Decimal

from . import blake3, ristretto
from .ed25519 import verify_in_domain
from .encoding import Reader, require
from .range_proof import G, H
from .table import Checkpoint, Leaf, Lookup, Table, tag_of

SKEW = 300


def keyed(key, context, *inputs):
    """`H_context(k; …)` with 64 bytes."""
    items = [context.encode(), *(item.to_bytes(8, "little") if isinstance(item, int) else item for item in inputs)]
    return blake3.keyed(key, b"".join(len(item).to_bytes(4, "little") + item for item in items))


class Own:
    """A user's keys, as `subrosa table keys` writes them, and its row, from a file with names in its first line."""

    def __init__(self, keys, row):
        own = json.loads(keys)
        genesis = json.dumps(own["genesis"], indent=2, ensure_ascii=False).encode() + b"\n"
        self.table, self.name = Table(genesis), own["user"]
        self.blinding, self.identity = bytes.fromhex(own["keys"][:64]), bytes.fromhex(own["keys"][64:])
        [row] = csv.DictReader(row.decode().splitlines())
        codes = []
        for name, names, width, _ in self.table.types:
            code = {"false": 0, "true": 1}.get(row[name]) if names is None and width == 1 else None
            code = names.index(row[name]) if names else int(row[name]) if code is None else code
            codes.append(code.to_bytes(width, "big"))
        self.key = b"".join(codes) or b"\0"
        self.values = [int(Decimal(row[c.name]).scaleb(c.scale)) - c.min for c in self.table.columns]

    def leaf(self, epoch, column):
        """The pseudonym, the tag and the points of the row in an ordered column."""
        name, user = self.table.name, self.name.encode()
        pseudonym = keyed(self.identity, "pseudonym", name, epoch, column, user)[:32]
        points = []
        for own, power in self.table.slots(column):
            value = self.values[own]
            blinding = keyed(self.blinding, "blinding", name, epoch, self.key, own, power, value)
            blinding = int.from_bytes(blinding, "little") % ristretto.ORDER
            points.append((G * value**power + H * blinding).encode())
        return pseudonym, tag_of(self.table, epoch, self.key, column, pseudonym), points


class Receipt:
    def __init__(self, table, data):
        reader = Reader(data)
        self.epoch, self.column = reader.integer(4, "epoch"), reader.integer(2, "column")
        self.key, self.pseudonym = reader.bytes("key", 128), reader.take(32, "pseudonym")
        self.leaf = Leaf(reader, reader.integer(2, "slots"))
        self.size, self.deadline = reader.integer(8, "epochs in the log"), reader.integer(8, "deadline")
        self.signed, self.signature = data[:reader.at], reader.take(64, "signature")
        reader.finish()
        self.table = table

    def verify(self):
        tag = tag_of(self.table, self.epoch, self.key, self.column, self.pseudonym)
        genuine = verify_in_domain(
            self.table.operator(self.size + 1), "subrosa/table/receipt", self.table.name + self.signed, self.signature)
        require(tag == self.leaf.tag and genuine, "TB-15", "not what the operator signed")


def _is(own, epoch, column, shown):
    pseudonym, tag, points = own.leaf(epoch, column)
    return shown == (own.key, pseudonym, tag, points)


def check(files, lookup):
    """A user's files and, of the same row, the folder of the objects of a look-up."""
    own = Own(files["ada.keys"], files["ada.csv"])
    lines = [json.loads(line) for line in files["receipts"].decode().splitlines()]
    receipts = [Receipt(own.table, base64.b64decode(line["receipt"])) for line in lines if line["user"] == own.name]
    require(receipts, "TB-15", "no receipt")
    for receipt in receipts:
        receipt.verify()
    now = int(files["time"])
    latest = now + own.table.schema["seal_deadline"] + SKEW
    require(all(receipt.deadline <= latest for receipt in receipts), "TB-16", "a deadline far away")
    checkpoint = Checkpoint(own.table, (lookup / "checkpoint.txt").read_bytes())
    checkpoint.verify(own.table)
    shown = Lookup(own.table, Reader((lookup / "lookup-0.proof").read_bytes()))
    shown.verify(checkpoint)
    row = (shown.key, shown.pseudonym, shown.leaf.tag, shown.leaf.points)
    require(_is(own, shown.epoch.header.epoch, shown.column, row), "TB-13", "not the user's row")
    for receipt in receipts:
        row = (receipt.key, receipt.pseudonym, receipt.leaf.tag, receipt.leaf.points)
        require(_is(own, receipt.epoch, receipt.column, row), "TB-17", "a receipt of another row")
