"""What epochs of tables record besides rows: docs/spec/table.md, from "What epochs record" to "Successors"."""

import hashlib

from .bundle import require_stated
from .encoding import Reader, Refused, require
from .table import LOGGED, Header, LoggedEpoch, Table, _inclusion_root, hash_of, read_logged, read_records

RECORDED = {"genesis": (1, 1), "header": (1, 1), "records": (1, 1)}
SUCCEEDED = LOGGED | {"successor": (1, 1)}
DAY = 86_400


def leaf_hash(data):
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


class Growing:
    """A tree of RFC 6962 that leaves are added to: the roots of its complete subtrees."""

    def __init__(self):
        self.size, self.peaks = 0, []

    def push(self, data):
        node, size = leaf_hash(data), self.size
        while size & 1:
            node, size = node_hash(self.peaks.pop(), node), size >> 1
        self.peaks.append(node)
        self.size += 1

    def root(self):
        if not self.peaks:
            return hashlib.sha256(b"").digest()
        node = self.peaks[-1]
        for left in reversed(self.peaks[:-1]):
            node = node_hash(left, node)
        return node


def consistent(old, old_root, new, new_root, proof):
    """RFC 9162, 2.1.4.2."""
    if not 0 < old <= new:
        return False
    if old == new:
        return not proof and old_root == new_root
    nodes = [old_root] * (old & (old - 1) == 0) + proof
    if not nodes:
        return False
    fn, sn = old - 1, new - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = nodes[0]
    for node in nodes[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node_hash(node, fr), node_hash(node, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node_hash(sr, node)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and (fr, sr) == (old_root, new_root)


def read_proof(reader):
    count = reader.integer(1, "length of a proof")
    require(count <= 64, "CV-2", "a proof that is too long")
    return [reader.take(32, "a hash") for _ in range(count)]


class LoggedRecords:
    """TB-20."""

    def __init__(self, reader):
        self.epoch = LoggedEpoch(reader)
        self.encodings, self.records = read_records(reader)

    def verify(self, table, checkpoint):
        self.epoch.verify(table, checkpoint)
        check_aux(self.epoch.header, self.encodings)

    def only(self, tag, check):
        found = [fields for kind, fields in self.records if kind == tag]
        require(len(found) == 1, check, "not one record of the kind")
        return found[0]


def check_aux(header, encodings):
    require(hash_of("aux", len(encodings), *encodings) == header.aux, "TB-20", "other records")


def read_table(data):
    try:
        return Table(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Refused("TB-1", f"not a genesis: {error!r}") from None


def about(table, checkpoint, **more):
    base = {"table": table.name.hex(), "name": table.schema["table"], "log": checkpoint.statement(table)}
    return base | more


def check_record_list(objects, claim):
    table = read_table(objects["genesis"][0])
    reader = Reader(objects["header"][0])
    header = Header(reader)
    reader.finish()
    reader = Reader(objects["records"][0], objects.get("notes"))
    encodings, records = read_records(reader)
    reader.finish()
    check_aux(header, encodings)

    def first(tag, shown):
        found = [fields for kind, fields in records if kind == tag]
        return shown(*found[0]) if found else None

    require_stated(claim, {
        "table": table.name.hex(), "name": table.schema["table"], "epoch": header.epoch,
        "digest": header.digest(table).hex(), "recorded": {
            "questions": first(0, bytes.hex), "successor": first(1, bytes.hex),
            "operator": first(2, lambda _epoch, _old, new, *_signatures: new.hex()),
            "erasures": first(3, lambda count, root: {"count": count, "root": root.hex()})}})


def check_erased(objects, claim):
    table, checkpoint, reader = read_logged(objects)
    recorded, number = LoggedRecords(reader), reader.integer(8, "number")
    start = reader.at
    epoch, column, pseudonym = reader.integer(4, "epoch"), reader.integer(2, "column"), reader.take(32, "pseudonym")
    tombstone = reader.data[start:reader.at]
    proof = read_proof(reader)
    reader.finish()
    recorded.verify(table, checkpoint)
    count, root = recorded.only(3, "TB-21")
    holder = recorded.epoch.header.epoch
    require(table.first <= epoch < holder, "TB-21", "the row's epoch")
    table.position(column, "TB-21")
    require(number < count, "TB-21", "the number is past the list")
    require(_inclusion_root(number, count, tombstone, proof) == root, "TB-21", "the list does not have it")
    require_stated(claim, about(
        table, checkpoint, epoch=epoch, column=table.columns[column].name, pseudonym=pseudonym.hex(), erased=True,
        recorded_by=holder, erasures=count))


def read_entry(reader):
    """An entry of the log of queries, which has one spelling; its bytes and its fields."""
    data = reader.bytes("entry", (1 << 16) + (1 << 8) + (1 << 6) + 24)
    entry = Reader(data)
    time, text = entry.integer(8, "time"), entry.text("question", 1 << 16)
    asker, answers, refused = None, 1, None
    if entry.at < len(data):
        asker = entry.text("asker", 1 << 8)
        if entry.at < len(data):
            answers, refused = entry.integer(4, "answers"), entry.text("refusal", 1 << 6)
            require(answers != 1 or refused, "CV-4", "an entry in another spelling")
            asker, refused = asker or None, refused or None
    entry.finish()
    return data, (time, text, asker, answers, refused)


def check_question(objects, claim):
    table, checkpoint, reader = read_logged(objects)
    recorded, count = LoggedRecords(reader), reader.integer(8, "questions")
    number, (entry, fields) = reader.integer(8, "number"), read_entry(reader)
    proof = read_proof(reader)
    reader.finish()
    recorded.verify(table, checkpoint)
    (root,) = recorded.only(0, "TB-22")
    require(number < count, "TB-22", "the number is past the list")
    require(_inclusion_root(number, count, entry, proof) == root, "TB-22", "the list does not have it")
    time, text, asker, answers, refused = fields
    require_stated(claim, about(
        table, checkpoint, recorded_by=recorded.epoch.header.epoch, time=time, question=text, asker=asker,
        answers=answers, refused=refused))


def most_in_a_day(given):
    most = within = oldest = 0
    given = sorted(given)
    for time, answers in given:
        within += answers
        while oldest < len(given) and given[oldest][0] + DAY <= time:
            within, oldest = within - given[oldest][1], oldest + 1
        most = max(most, within)
    return most


def check_budgets(table, questions):
    by_asker = {}
    for time, _, asker, answers, _ in questions:
        by_asker.setdefault(asker, []).append((time, answers))
    day, each = (table.policy[name] for name in ("max_queries_per_day", "max_queries_per_asker"))
    every = [given for of in by_asker.values() for given in of]
    require(day is None or most_in_a_day(every) <= day, "TB-23", "more answers than a day's budget")
    kept = each is None or all(most_in_a_day(of) <= each for of in by_asker.values())
    require(kept, "TB-23", "more answers than an asker's budget")


def check_questions(objects, claim):
    table, checkpoint, reader = read_logged(objects)
    epochs = []
    for _ in range(reader.count("epochs", 1 << 20)):
        header = Header(reader)
        encodings, records = read_records(reader)
        epochs.append((header, encodings, records, reader.integer(8, "questions")))
    entries = [read_entry(reader) for _ in range(reader.count("questions", 1 << 22))]
    reader.finish()
    log, noted = Growing(), Growing()
    for index, (header, encodings, records, count) in enumerate(epochs):
        require(header.epoch == table.first + index, "TB-23", "an epoch is missing")
        log.push(header.digest(table))
        check_aux(header, encodings)
        require(noted.size <= count <= len(entries), "TB-23", "the number of questions")
        while noted.size < count:
            noted.push(entries[noted.size][0])
        roots = [fields[0] for kind, fields in records if kind == 0]
        require(roots == [noted.root()] or (not roots and count == 0), "TB-23", "another list of questions")
    whole = (log.size, log.root()) == (checkpoint.size, checkpoint.root)
    require(whole, "TB-23", "these are not the epochs of the log")
    require(noted.size == len(entries), "TB-23", "questions that no epoch records")
    questions = [fields for _, fields in entries]
    check_budgets(table, questions)
    require_stated(claim, about(
        table, checkpoint, questions=len(questions), answers=sum(one[3] for one in questions),
        refused=sum(one[4] is not None for one in questions), max_queries_per_day=table.policy["max_queries_per_day"],
        max_queries_per_asker=table.policy["max_queries_per_asker"], budgets_kept=True))


def check_successor(objects, claim):
    table, checkpoint, reader = read_logged(objects)
    recorded, proof = LoggedRecords(reader), read_proof(reader)
    reader.finish()
    recorded.verify(table, checkpoint)
    (name,) = recorded.only(1, "TB-24")
    successor = read_table(objects["successor"][0])
    continues = successor.genesis.get("continues")
    require(name == successor.name, "TB-24", "another table follows")
    require(continues is not None and continues["table"] == table.name.hex(), "TB-24", "it continues another table")
    old, root = continues["epochs"], bytes.fromhex(continues["root"])
    leads = consistent(old, root, checkpoint.size, checkpoint.root, proof)
    require(leads, "TB-24", "the log does not continue the one named")
    require_stated(claim, about(
        table, checkpoint, successor=successor.name.hex(), successor_name=successor.schema["table"],
        continues={"epochs": old, "root": root.hex()}))


KINDS = {
    "table-records": (RECORDED, check_record_list),
    "table-erased": (LOGGED, check_erased),
    "table-question": (LOGGED, check_question),
    "table-questions": (LOGGED, check_questions),
    "table-successor": (SUCCEEDED, check_successor),
}
