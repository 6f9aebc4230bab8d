"""Sums and values by rank: docs/spec/table-answers.md. Statistics of which there is no vector are not read."""

from fractions import Fraction

from . import range_proof
from .bundle import require_stated
from .ed25519 import is_key, verify_in_domain
from .encoding import NotChecked, require
from .range_proof import G, H
from .ristretto import IDENTITY, ORDER, multiply
from .table import Label, Leaf, LoggedEpoch, Path, ZERO, bits_of, hash_of, points_of, read_logged, record_of
from .transcript import Transcript

MOMENTS, MINIMUM, MAXIMUM, QUANTILE = range(4)
CHUNK = 16


class Query:
    def __init__(self, reader):
        start = reader.at
        self.column = reader.integer(2, "column")
        self.first, self.last = reader.integer(4, "first epoch"), reader.integer(4, "last epoch")
        self.boxes = []
        for _ in range(reader.count("boxes", 4096)):
            count = reader.count("types", 128)
            self.boxes.append([(reader.integer(8, "least"), reader.integer(8, "greatest")) for _ in range(count)])
        self.statistic = reader.integer(1, "statistic")
        require(self.statistic <= 5, "CV-4", "an unknown statistic")
        if self.statistic > QUANTILE:
            raise NotChecked("top shares and histograms")
        self.fraction = (reader.integer(4, "part"), reader.integer(4, "whole")) if self.statistic == QUANTILE else None
        self.bytes = reader.data[start:reader.at]

    def check(self, table, size):
        last = table.first + size - 1
        require(table.first <= self.first <= self.last <= last, "TA-1", "the epochs are not in the log")
        require(self.boxes and all(a < b for a, b in zip(self.boxes, self.boxes[1:])), "TA-1", "boxes ascend")
        for index, box in enumerate(self.boxes):
            fits = len(box) == len(table.types) and all(
                low <= high <= most for (low, high), (*_, most) in zip(box, table.types))
            require(fits, "TA-1", "a box is not of the schema")
            require(not any(meets(box, other) for other in self.boxes[:index]), "TA-1", "boxes overlap")
        policy = table.policy
        require(self.column < len(table.columns), "TA-2", "no such column")
        kind = "moments" if self.statistic == MOMENTS else "order"
        require(kind in table.allowed(), "TA-2", "the policy does not allow it")
        require(self.statistic == MOMENTS or table.columns[self.column].ordered, "TA-2", "the column is not ordered")
        require(self.statistic not in (MINIMUM, MAXIMUM) or policy["extremes"], "TA-2", "no extremes")
        granted = [(p["part"], p["whole"]) for p in policy["quantiles"]]
        require(self.fraction is None or self.fraction in granted, "TA-2", "no such quantile")
        if policy["hierarchy"] is not None:
            raise NotChecked("hierarchies")

    def overlaps(self, table, bits):
        """Whether keys that begin with these bits may be of the region."""
        at, spans = 0, []
        for _, _, width, _ in table.types:
            known = bits[at:at + 8 * width]
            spans.append(tuple(int(known.ljust(8 * width, fill), 2) for fill in "01"))
            at += 8 * width
        return any(meets(box, spans) for box in self.boxes)

    def rank(self, count):
        if self.statistic == MINIMUM:
            return 1
        if self.statistic == MAXIMUM:
            return count
        part, whole = self.fraction
        return max(1, -(-count * part // whole))


def meets(one, other):
    return all(low <= high2 and low2 <= high for (low, high), (low2, high2) in zip(one, other))


class Cover:
    """A covered trie, hashed while it is read (TA-5)."""

    def __init__(self, reader):
        self.sides = []
        for _ in range(2):
            tag = reader.integer(1, "side")
            require(tag <= 1, "CV-4", "a side is neither absent nor present")
            self.sides.append(self._edge(reader, 1024) if tag else None)

    def _edge(self, reader, left):
        label, tag = Label(reader, left), reader.integer(1, "below")
        require(tag <= 2, "CV-4", "an unknown node")
        left -= len(label.bits)
        if tag == 0:
            return label, reader.take(32, "stub")
        return label, [self._edge(reader, left) for _ in range(tag)] if tag == 2 else None

    def verify(self, table, root, leaves, query):
        rule = lambda holds, what: require(holds, "TA-5", what)
        rest, length = list(leaves), 8 * table.key_length()

        def edge(one, before, side):
            label, below = one
            prefix = before + label.bits
            rule(label.bits[0] == side and len(prefix) <= length, "a label on the wrong side or too long")
            inside = query.overlaps(table, prefix)
            rule(inside != isinstance(below, bytes), "a stub hides keys, or a branch outside is opened")
            if below is None:
                key, leaf = rest.pop(0) if rest else (b"", None)
                rule(len(prefix) == length and bits_of(key) == prefix, "a key is missing or out of order")
                below = leaf
            elif isinstance(below, list):
                rule(len(prefix) < length, "a node at the end of a key")
                below = hash_of("trie node", *(edge(one, prefix, side) for one, side in zip(below, "01")))
            return label.edge(below)

        edges = [edge(one, "", side) if one else ZERO for one, side in zip(self.sides, "01")]
        rule(not rest, "a key is not of the region")
        rule(hash_of("trie root", *edges) == root, "the covered trie is another")


class Key:
    def __init__(self, reader):
        self.key, rows = reader.bytes("key", 128), reader.integer(8, "rows")
        doubles = [reader.take(32, "2C", "point") for _ in range(reader.count("slots", 256))]
        self.root = rows, doubles, reader.take(32, "top")


class Answer:
    def __init__(self, reader):
        self.query, tag = Query(reader), reader.integer(1, "keys or roll-up")
        if tag != 0:
            raise NotChecked("roll-ups and keys beside a region")
        self.covers = []
        for _ in range(reader.count("covers", 65536)):
            logged, cover = LoggedEpoch(reader), Cover(reader)
            self.covers.append((logged, cover, [Key(reader) for _ in range(reader.count("keys", 1 << 24))]))
        start, self.kind = reader.at, reader.integer(1, "outcome")
        if self.kind not in (0, 1, 2):
            raise NotChecked("other outcomes")
        self.rows = reader.integer(8, "rows") if self.kind else 0
        if self.kind == 1:
            count = reader.integer(1, "number of sums")
            require(count <= 4, "CV-2", "too many sums")
            self.sums = reader.scalars("V", count)
        self.value = reader.integer(8, "value") if self.kind == 2 else None
        self.outcome = reader.data[start:reader.at]
        if self.kind == 1:
            self.openings = [reader.take(32, f"R_{j + 1}", "point") for j in range(count)], reader.scalars("s", count)
        if self.kind == 2:
            self._read_order(reader)
        self.words = [Word(reader) for _ in range(reader.count("attestations", 65536))]
        reader.finish()

    def _read_order(self, reader):
        keys = [key.root for *_, keys in self.covers for key in keys]
        slots = len(keys[0][1]) if keys else 0
        self.cuts = []
        for _ in range(2):
            ranks = [reader.integer(8, "rank") for _ in keys]
            require(all(rank <= root[0] for rank, root in zip(ranks, keys)), "CV-2", "a rank beyond the rows")
            self.cuts.append(ranks)
        self.leaves = []
        for low, high, (rows, *_) in zip(*self.cuts, keys):
            lower = (Leaf(reader, slots), Path(reader, slots)) if low > 0 else None
            upper = None
            if high < rows:
                leaf = Leaf(reader, slots)
                upper = leaf, Path(reader, slots, lower and lower[1])
            self.leaves.append((lower, upper))
        count = reader.count("range proofs", 65536)
        self.ranges = [reader.bytes("range proof", 4096) for _ in range(count)]


class Word:
    """An attestation about a whole epoch."""

    def __init__(self, reader):
        start = reader.at
        self.auditor, self.epoch = reader.take(32, "auditor"), reader.integer(4, "epoch")
        self.digest, scope = reader.take(32, "digest"), reader.integer(1, "scope")
        if scope != 0:
            raise NotChecked("attestations about parts")
        self.signed = reader.data[start + 32:reader.at]
        self.signature = reader.take(64, "signature")


def check_answer(objects, claim):
    table, checkpoint, reader = read_logged(objects)
    answer = Answer(reader)
    query = answer.query
    query.check(table, checkpoint.size)
    column = table.columns[query.column]
    tree = query.column if column.ordered else table.ordered[0]
    slots = [index for index, (owner, _) in enumerate(table.slots(tree)) if owner == query.column]
    digests, keys = _keys(table, checkpoint, answer, tree)
    count = sum(key.root[0] for _, key, _ in keys)
    require(count <= 1 << 40, "TA-6", "too many rows")

    transcript = Transcript("subrosa/table/v1/query")
    transcript.absorb("table", table.name)
    transcript.absorb("log size", checkpoint.size)
    transcript.absorb("log root", checkpoint.root)
    transcript.absorb("query", query.bytes)
    transcript.absorb("keys", len(keys))
    for epoch, key, record in keys:
        transcript.absorb("epoch", epoch)
        transcript.absorb("key", key.key)
        transcript.absorb("record", record)
    cuts = answer.cuts if answer.kind == 2 else []
    transcript.absorb("cuts", len(cuts))
    for ranks in cuts:
        transcript.absorb("ranks", b"".join(rank.to_bytes(8, "little") for rank in ranks))
    transcript.absorb("outcome", answer.outcome)

    require(count > 0 or answer.kind == 0, "TA-11", "an outcome about no rows")
    require(answer.rows == count, {0: "TA-11", 1: "TA-12", 2: "TA-14"}[answer.kind], "another number of rows")
    if count > 0:
        require((query.statistic == MOMENTS) == (answer.kind == 1), "TA-12", "an answer to another question")
        if answer.kind == 1:
            _moments(table, column, answer, [key for _, key, _ in keys], slots, transcript)
        else:
            _order(column, answer, [key for _, key, _ in keys], transcript)
    _policy(table, answer, [key for _, key, _ in keys])
    assurance = _assurance(table, answer.words, digests)
    require_stated(claim, _statement(table, checkpoint, answer, column, digests, assurance))


def _keys(table, checkpoint, answer, tree):
    query, digests, keys = answer.query, [], []
    require(len(answer.covers) == query.last - query.first + 1, "TA-3", "another number of epochs")
    for epoch, (logged, cover, listed) in enumerate(answer.covers, query.first):
        require(logged.header.epoch == epoch, "TA-3", "an epoch is missing or out of order")
        digests.append((epoch, logged.verify(table, checkpoint)))
        require(all(a.key < b.key for a, b in zip(listed, listed[1:])), "TA-4", "keys ascend")
        leaves = []
        for key in listed:
            rows, doubles, _ = key.root
            fits = len(doubles) == len(table.slots(tree)) and 1 <= rows <= 1 << 40
            require(fits, "TA-4", "the record of a key")
            record = record_of(table, epoch, key.key, tree, key.root)
            keys.append((epoch, key, record))
            leaves.append((key.key, hash_of("type leaf", record)))
        cover.verify(table, logged.header.roots[table.ordered.index(tree)][0], leaves, query)
    return digests, keys


def _moments(table, column, answer, keys, slots, transcript):
    require(table.policy["rounding"] is None, "TA-12", "the policy rounds")
    require(len(answer.sums) == len(slots), "TA-8", "another number of sums")
    for power, value in enumerate(answer.sums, 1):
        require(value <= answer.rows * column.span**power, "TA-8", "a sum is too large")
    commitments, responses = answer.openings
    transcript.absorb("R", b"".join(commitments))
    c = transcript.wide("c")
    for slot, value, commitment, response in zip(slots, answer.sums, points_of(commitments, "CV-6"), responses):
        total = IDENTITY
        for point in points_of([key.root[1][slot] for key in keys], "CV-6"):
            total = total + point
        found = multiply([response, 2 * c * value, -c], [H, G, total])
        require(found == commitment, "TA-7", "the opening of a sum")


def _order(column, answer, keys, transcript):
    low, high = answer.cuts
    rank = answer.query.rank(answer.rows)
    require(answer.value <= column.span, "TA-14", "the value is out of range")
    enough = sum(low) >= rank and answer.rows - sum(high) >= answer.rows - rank + 1
    require(enough, "TA-14", "the value does not have the rank")
    bound, lower, upper = G * answer.value, [], []
    for key, before, behind, leaves in zip(keys, low, high, answer.leaves):
        for shown, index, statements in ((leaves[0], before - 1, lower), (leaves[1], behind, upper)):
            if shown:
                leaf, path = shown
                fits = path.index == index and path.rows == key.root[0]
                require(fits and path.root(leaf, "CV-6")[0] == key.root, "TA-9", "the path of a leaf")
                statements.append(points_of(leaf.points[:1], "CV-6")[0])
    statements = [bound - point for point in lower] + [point - bound for point in upper]
    chunks = [statements[i:i + CHUNK] for i in range(0, len(statements), CHUNK)]
    require(len(chunks) == len(answer.ranges), "TA-10", "another number of range proofs")
    for number, (chunk, proof) in enumerate(zip(chunks, answer.ranges)):
        own = transcript.copy()
        own.absorb("b", column.bits)
        own.absorb("chunk", number)
        range_proof.verify(own, column.bits, chunk, proof, "TA-10")


def _policy(table, answer, keys):
    policy = table.policy
    least, rows = policy["min_count"], [key.root[0] for key in keys]
    require(not rows or sum(rows) >= least, "TA-17", "fewer rows than min_count")
    require(answer.kind != 2 or min(rows) >= least, "TA-17", "a key with fewer rows than min_count")
    if answer.kind == 2 and policy["rank_gap"] > 0:
        raise NotChecked("rank_gap")


def _assurance(table, words, digests):
    for word in words:
        signed = is_key(word.auditor) and verify_in_domain(
            word.auditor, "subrosa/table/attestation", table.name + word.signed, word.signature)
        require(signed and (word.epoch, word.digest) in digests, "TA-21", "an attestation")
    auditors = [bytes.fromhex(key) for key in table.genesis["auditors"]]
    vouched = {(word.auditor, word.epoch) for word in words}
    every = all((auditor, epoch) in vouched for auditor in auditors for epoch, _ in digests)
    return "audited" if auditors and every else "committed, not audited"


def decimal(value, digits):
    """Halves away from zero, no sign for zero."""
    scaled = abs(Fraction(value)) * 10**digits
    steps = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    sign = "-" if value < 0 and steps else ""
    whole, part = divmod(steps, 10**digits)
    return f"{sign}{whole}.{part:0{digits}}" if digits else f"{sign}{whole}"


def _outcome(column, answer):
    count, step = answer.rows, Fraction(1, 10**column.scale)
    if answer.kind == 0:
        return {"count": 0}
    if answer.kind == 2:
        return {"count": count, "value": decimal((answer.value + column.min) * step, column.scale)}
    first = answer.sums[0]
    total = (first + count * column.min) * step
    shown = {"count": count, "sum": decimal(total, column.scale), "mean": decimal(total / count, column.scale + 4)}
    if column.moments > 1:
        spread = count * answer.sums[1] - first**2
        variance = Fraction(spread, count * (count - 1)) * step**2 if count > 1 else None
        shown["variance"] = None if variance is None else decimal(variance, column.scale + 4)
    if column.moments > 2:
        raise NotChecked("skewness")
    return shown


def _statement(table, checkpoint, answer, column, digests, assurance):
    query = answer.query

    def shown(one, low, high):
        name, names, _, most = one
        code = lambda value: names[value] if names else bool(value) if most == 1 else value
        if (low, high) == (0, most):
            return name, None
        if low == high:
            return name, code(low)
        return name, [code(value) for value in range(low, high + 1)] if names else [code(low), code(high)]

    statistic = {MOMENTS: "moments", MINIMUM: "min", MAXIMUM: "max"}.get(query.statistic)
    keys = [dict(shown(one, *span) for one, span in zip(table.types, box)) for box in query.boxes]
    return {
        "table": table.name.hex(), "name": table.schema["table"], "log": checkpoint.statement(table),
        "column": column.name, "unit": column.unit, "epochs": [query.first, query.last], "keys": keys,
        "digests": [digest.hex() for _, digest in digests], "rolled_up": None,
        "statistic": statistic or "quantile {}/{}".format(*query.fraction), "outcome": _outcome(column, answer),
        "assurance": assurance, "witnessed": checkpoint.witnessed}
