"""Wrong boards made from a right one: one entry changed, it and all behind it signed again by their authors."""

import json

from .bundle import Bundle
from .ed25519 import digest, sign
from .election import Election, check_election, read_board
from .encoding import NotChecked, Refused
from .mutants import mutants

# Which checks refuse another value of a field, by the kind of entry. Another set-up is another board, on which
# no proof holds that names it; another key or ballot fails by what is said about it later.
CHECKS = {
    "election/setup": "EL-1 EL-2 TH-2",
    "election/roll": "EL-4 EL-5 EL-10",
    "key/commitments": "EL-6 TH-2 TH-3",
    "key/shares": "EL-6 TH-3 TH-4",
    "key/verdicts": "EL-6 TH-4",
    "election/open": "EL-8",
    "ballots": "EL-10",
    "election/close": "EL-10",
    "mix": "EL-11 TW-6 TW-7 TW-8 TW-9 TW-10 TW-11 TW-12",
    "decryption": "EL-12 TH-7",
    "election/outcome": "EL-13 EL-14",
}


class Board:
    """A board whose authors' keys are known."""

    def __init__(self, entries, keys):
        self.entries, parties = entries, Election(entries[0]).parties
        self.seeds = {key: bytes.fromhex(keys[f"{role} {number}"]) for key, (role, number) in parties.items()}

    def with_payload(self, at, payload, kind=None, author=None):
        """The board's objects with another entry, and all behind it in a chain with it."""
        objects, previous, name = [], bytes(32), bytes(32)
        for entry in self.entries:
            changed = entry.sequence == at
            own, said = (payload if changed else entry.payload), (kind if changed and kind else entry.kind).encode()
            by = author if changed and author else entry.author
            unsigned = b"\1" + entry.sequence.to_bytes(8, "little") + previous + by
            unsigned += len(said).to_bytes(4, "little") + said + len(own).to_bytes(4, "little") + own
            domain = "subrosa/board/entry/v1"
            signature, _ = sign(self.seeds[by], domain.encode() + digest(domain, name + unsigned))
            objects.append(unsigned + signature)
            previous = digest("subrosa/board/chain/v1", objects[-1])
            name = name if entry.sequence else previous
        return objects


def _refused(objects, claim, allowed, what, refusals):
    try:
        check_election({"board": objects}, claim)
    except Refused as refused:
        good = refused.check in allowed or refused.check.startswith("CV-")
        assert good, f"election: {what}: refused by {refused}, not {sorted(allowed)}"
        refusals[refused.check] = refusals.get(refused.check, 0) + 1
    except NotChecked:
        refusals["not checked"] = refusals.get("not checked", 0) + 1
    else:
        raise AssertionError(f"election: {what}: accepted")


def _absences(board, claim, refusals):
    """A trustee who says nothing in a round is a fault of it, before the operator's word that it is absent."""
    for entry in board.entries:
        if entry.kind in ("key/commitments", "key/shares", "key/verdicts"):
            role, number = Election(board.entries[0]).parties[entry.author]
            assert role == "trustee"
            payload = bytes([2]) + number.to_bytes(2, "little")
            absent = board.with_payload(
                entry.sequence, payload, kind="election/absent", author=board.entries[0].author)
            last = [own.sequence for own in board.entries if own.kind == entry.kind][-1]
            # Where it ends the round, the silence is named first; elsewhere the absence.
            allowed = {"EL-6"} if entry.sequence == last else {"EL-7"}
            _refused(absent, claim, allowed, f"entry {entry.sequence}: absent in place of it", refusals)


def refuse_timed(folder):
    """An election on a log: nothing of it can be changed, left out, added or told otherwise."""
    bundle = Bundle(folder)
    [claim] = [claim for claim in bundle.claims.values() if claim["kind"] == "election"]
    objects, refusals = bundle.objects(claim, {"board": (1, 1 << 20), "log": (1, 1)}), {}
    check_election(objects, claim)
    board, [log] = objects["board"], objects["log"]

    def refused(entries, record, stated, checks, what):
        try:
            check_election({"board": entries, "log": [record]}, stated)
        except Refused as error:
            good = error.check in checks.split() or error.check.startswith("CV-")
            assert good, f"{what}: refused by {error}, not {checks}"
            refusals[error.check] = refusals.get(error.check, 0) + 1
        else:
            raise AssertionError(f"{what}: accepted")

    def flipped(data, byte):
        return data[:byte] + bytes([data[byte] ^ 1]) + data[byte + 1:]

    for at, entry in list(enumerate(board))[::3]:
        for byte, checks in ((1, "BD-4"), (20, "LG-1 BD-4"), (len(entry) - 1, "LG-2")):
            # The last byte of an entry without a payload is that of its length.
            changed = [*board[:at], flipped(entry, byte), *board[at + 1:]]
            refused(changed, log, claim, checks, f"entry {at}, byte {byte}")
    refused(board[:-1], log, claim, "BD-4", "without the outcome")
    refused([*board, board[-1]], log, claim, "BD-4", "the outcome twice")
    refused([board[0], board[2], board[1], *board[3:]], log, claim, "BD-4", "entries in another order")
    for byte in range(30, len(log), 997):
        refused(board, flipped(log, byte), claim, "BD-3 BD-4 LG-1 LG-5 LG-8 EL-14 CB-12", f"the log, byte {byte}")
    for name, value in claim["statement"]["course"].items():
        course = claim["statement"]["course"] | {name: [] if isinstance(value, list) else 0}
        other = claim | {"statement": claim["statement"] | {"course": course}}
        refused(board, log, other, "CB-12", f"course, {name}")
    for version in (1, 2):
        refused(board, log, claim | {"version": version}, "EL-14 EL-26", f"as version {version}")
    return refusals


def refuse_all(folder, keys_file, step):
    """Every `step`-th mutant of every entry's payload is refused; returns how many, check by check."""
    bundle = Bundle(folder)
    [claim] = bundle.claims.values()
    objects, notes, refusals = bundle.objects(claim, {"board": (1, 1 << 20)})["board"], {}, {}
    check_election({"board": objects, "notes": notes}, claim)
    board = Board(read_board(objects), json.loads(keys_file.read_text()))
    assert board.with_payload(-1, b"") == objects, "signed again, the board is another"
    for entry in board.entries:
        wrong = list(mutants(entry.payload, notes[entry.sequence]))
        for title, _, _, mutant in wrong[::step] + wrong[-3:]:
            what = f"entry {entry.sequence}, {entry.kind}: {title}"
            allowed = set(CHECKS[entry.kind].split())
            _refused(board.with_payload(entry.sequence, mutant), claim, allowed, what, refusals)
        if entry.sequence:
            author = next(key for key in board.seeds if key != entry.author)
            moved = board.with_payload(entry.sequence, entry.payload, author=author)
            _refused(moved, claim, {"EL-4", "EL-6"}, f"entry {entry.sequence}: by another party", refusals)
    _absences(board, claim, refusals)
    for at, entry in enumerate(objects):
        for byte, check in ((1, "BD-1"), (9, "BD-1"), (len(entry) - 1, "BD-2")):
            flipped = objects[:at] + [entry[:byte] + bytes([entry[byte] ^ 1]) + entry[byte + 1:]] + objects[at + 1:]
            _refused(flipped, claim, {check}, f"entry {at}, byte {byte}", refusals)
    _refused(objects[:-1], claim, {"EL-14"}, "without the outcome", refusals)
    _refused([*objects[:-1], objects[-2]], claim, {"BD-1"}, "an entry again", refusals)
    for name in claim["statement"]:
        other = claim | {"statement": claim["statement"] | {name: "other"}}
        _refused(objects, other, {"CB-12"}, f"statement, {name}", refusals)
    return refusals
