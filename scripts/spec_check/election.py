"""Elections with the shuffle of Terelius and Wikström: docs/spec/election.md."""

import json
import re

from . import counting, lizard, shuffle
from .boardlog import read_logged
from .bundle import require_stated
from .description import read_answer, read_description
from .ed25519 import digest, is_key, verify as verify_ed25519
from .encoding import Reader, Refused, require
from .threshold import Ballot, KeyGeneration, PartialDecryption, Round1, Round2, Round3, combine

KIND = re.compile(r"[a-z0-9./-]{1,64}")
ROLES = ["operator", "station", "trustee", "mixer"]
MAX_PAYLOAD = 1 << 28
ROUNDS = [("key/commitments", Round1), ("key/shares", Round2), ("key/verdicts", Round3)]


def signed(key, domain, data, signature):
    return verify_ed25519(key, domain.encode() + digest(domain, data), signature)


class Entry:
    def __init__(self, data):
        reader = Reader(data)
        require(reader.integer(1, "version") == 1, "CV-5", "not an entry of version 1")
        self.sequence, self.previous = reader.integer(8, "sequence"), reader.take(32, "previous")
        self.author = reader.take(32, "author")
        require(is_key(self.author), "CV-6", "not a key")
        self.kind = reader.text("kind", 64)
        require(KIND.fullmatch(self.kind), "CV-4", "not a kind of entry")
        self.payload = reader.bytes("payload", MAX_PAYLOAD)
        self.unsigned, self.signature = data[:reader.at], reader.take(64, "signature")
        reader.finish()
        self.digest, self.subject, self.contradicts, self.time = digest("subrosa/board/chain/v1", data), None, False, None


def read_board(objects):
    """BD-1 and BD-2."""
    entries, previous, name = [Entry(data) for data in objects], bytes(32), bytes(32)
    for sequence, entry in enumerate(entries):
        require(entry.sequence == sequence, "BD-1", f"entry {sequence} has another sequence")
        require(entry.previous == previous, "BD-1", f"entry {sequence} is not behind the one before")
        good = signed(entry.author, "subrosa/board/entry/v1", name + entry.unsigned, entry.signature)
        require(good, "BD-2", f"entry {sequence}: the signature")
        previous = entry.digest
        name = entries[0].digest
    return entries


class Election:
    """What the entries amount to."""

    def __init__(self, genesis, notes=None):
        self.notes = notes
        require(genesis.kind.startswith("election/setup"), "EL-2", "the first entry sets nothing up")
        reader = Reader(genesis.payload, notes)
        self.description = read_description(reader)
        self.parties = {}
        for role in ROLES:
            count = reader.integer(2, f"number of {role}s")
            require(count <= 255, "CV-2", f"{count} {role}s")
            for number in range(1, count + 1):
                key = reader.take(32, role)
                require(is_key(key), "CV-6", f"{role} {number}: not a key")
                require(key not in self.parties, "EL-2", "two parties have one key")
                self.parties[key] = (role, number)
        reader.finish()
        for role, expected in [("operator", 1), ("trustee", self.description.trustees), ("mixer", self.description.mixers)]:
            require(self._count(role) == expected, "EL-2", f"another number of {role}s")
        require(self.parties.get(genesis.author) == ("operator", 1), "EL-2", "not the operator's entry")
        self._require_version(genesis)
        self.name, self.phase, self.turn = genesis.digest, "registration", 0
        self.context = self.session = genesis.digest
        self.faults, self.mixed_by, self.partials, self.answered = [], [], [], set()
        self.accepted, self.refused, self.seen, self.voted, self.end = [], 0, set(), set(), None

    def _require_version(self, genesis):
        good = genesis.kind == "election/setup" and not self.description.has_times
        require(good, "EL-26", "the first entry is not that of version 1")

    def _count(self, role):
        return sum(own == role for own, _ in self.parties.values())

    def apply(self, entry):
        """An entry that breaks a rule is a fault, and has no effect."""
        party, phase = self.parties.get(entry.author), self.phase
        try:
            require(party and self._waits_for(party, entry.kind), "EL-4", "out of turn")
            require(not entry.contradicts, "BD-4", "the author said something else before")
            self._require_subject(entry)
            self._take(entry, Reader(entry.payload, self.notes), *party)
        except Refused as refused:
            self._fault(entry, phase, party, refused.check)

    def _fault(self, entry, phase, party, check):
        self.faults.append((entry.sequence, phase, party, check))

    def _require_subject(self, entry):
        """BD-5."""
        if entry.subject is None:
            return
        own, read = b"", Reader(entry.payload)
        if entry.kind in ("ballots", "ballots/revisions"):
            own = digest("subrosa/election/batch/v1", entry.payload)
        elif entry.kind == "election/absent":
            role, number = read.integer(1, "role"), read.integer(2, "number")
            name = "operator" if role == 0 else f"{ROLES[role]} {number}"
            phase = f"{self.phase}, round {self.round + 1 if self.phase == 'key generation' else 0}"
            own = f"{phase}: {name}".encode()
        elif entry.kind == "election/close":
            own = str(read.integer(4, "accepted") + read.integer(4, "refused")).encode()
        elif entry.kind == "election/outcome":
            read.bytes("tally", 1 << 20)
            own = str(read.count("faults", 1 << 24)).encode()
        require(entry.subject == own, "BD-5", "another subject")

    def _waits_for(self, party, kind):
        role, number = party
        return (self.phase, role, kind) in {
            ("registration", "operator", "election/roll"), ("opening", "operator", "election/open"),
            ("casting", "station", "ballots"), ("casting", "operator", "election/close"),
            ("key generation", "operator", "election/absent"), ("mixing", "operator", "election/absent"),
            ("decryption", "operator", "election/outcome"),
        } or (self.phase == "key generation" and role == "trustee" and number in self.waiting and kind.startswith("key/")
        ) or (self.phase, role, kind, number) == ("mixing", "mixer", "mix", self.turn
        ) or (self.phase, role, kind) == ("decryption", "trustee", "decryption") and self._may_decrypt(number)

    def _may_decrypt(self, number):
        return number in self.keys.first and number not in self.answered

    def _take(self, entry, reader, role, number):
        if entry.kind == "election/roll":
            self._register(reader)
        elif entry.kind == "election/absent":
            self._absent(entry, reader)
        elif self.phase == "key generation":
            self._key(entry, reader, number)
        elif entry.kind == "election/open":
            key = reader.point("key")
            reader.finish()
            require(key == self.keys.key, "EL-8", "another key")
            self.phase = "casting"
        elif entry.kind == "ballots":
            self._cast(reader)
        elif entry.kind == "election/close":
            self._close(reader)
        elif entry.kind == "mix":
            self._mix(reader, number)
        elif entry.kind == "decryption":
            self._decrypt(reader, number)
        else:
            self._finish(entry, reader)

    def _register(self, reader):
        """EL-5."""
        voters = self._read_voters(reader)
        for name, _ in voters:
            require(name and not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in name), "CV-4", "a voter's name")
        for own in zip(*voters):
            require(len(set(own)) == len(voters), "EL-5", "twice on the roll")
        self._require_room(len(voters))
        self.roll = voters
        self._begin(set(range(1, self.description.trustees + 1)))

    def _read_voters(self, reader):
        voters = []
        for _ in range(reader.count("voters", 10**6)):
            voters.append((reader.text("name", 200), reader.take(32, "key")))
            require(is_key(voters[-1][1]), "CV-6", "not a key")
        reader.finish()
        return voters

    def _require_room(self, voters):
        require(voters < MAX_PAYLOAD // (64 * self.description.columns + 192), "EL-5", "too many voters")

    def _begin(self, trustees):
        """Round 1."""
        self.phase, self.round, self.waiting, self.messages = "key generation", 0, trustees, []
        self.asked = set(trustees)
        self.keys = KeyGeneration(self.description.threshold, self.description.trustees, self.session)

    def _key(self, entry, reader, number):
        """EL-6."""
        kind, message = ROUNDS[self.round]
        require(entry.kind == kind, "EL-6", "another round")
        read = message(reader)
        reader.finish()
        self.waiting.discard(number)
        if read.author == number:
            self.messages.append((read, entry.payload))
        self._end_round(entry)
        require(read.author == number, "EL-6", "in the name of another")

    def _end_round(self, entry):
        if self.waiting:
            return
        messages = sorted(self.messages, key=lambda item: item[0].author)
        end = [self.keys.end_round1, self.keys.end_round2, self.keys.end_round3][self.round]
        wrong, goes_on = end(messages)
        # Round 1 misses also who was not ready for it.
        due = set(range(1, self.description.trustees + 1)) if self.round == 0 else self.asked
        silent = due - {message.author for message, _ in messages}
        for who, check in [*((who, "EL-6") for who in sorted(silent)), *wrong]:
            self._fault(entry, "key generation", ("trustee", who), check)
        self.round, self.messages = self.round + 1, []
        self.asked = set(self.keys.first)
        self.waiting = set(self.asked)
        if not goes_on:
            self.phase = "failure"
        elif self.round == 3:
            self.phase = "opening"
        else:
            self._end_round(entry)

    def _absent(self, entry, reader):
        """EL-7."""
        role, number = reader.integer(1, "role"), reader.integer(2, "number")
        reader.finish()
        require(role < len(ROLES), "CV-4", "not a role")
        waited = self.waiting if self.phase == "key generation" else {self.turn}
        awaited = "trustee" if self.phase == "key generation" else "mixer"
        require(ROLES[role] == awaited and number in waited, "EL-7", "not waited for")
        phase = self.phase
        if phase == "key generation":
            self.waiting.discard(number)
            self._end_round(entry)
        else:
            self._next_turn()
        self._fault(entry, phase, (awaited, number), "EL-7")

    def _cast(self, reader):
        """EL-9."""
        for voter, ballot, signature in self._read_ballots(reader):
            try:
                self._admit(voter, ballot, signature)
            except Refused:
                self.refused += 1

    @staticmethod
    def _read_ballots(reader):
        ballots = []
        for _ in range(reader.count("ballots", 10**4)):
            voter = reader.integer(4, "voter")
            ballots.append((voter, Ballot(reader), reader.take(64, "signature")))
        reader.finish()
        return ballots

    def _admit(self, voter, ballot, signature):
        require(voter < len(self.roll), "EL-9", "not on the roll")
        key = self.roll[voter][1]
        data = self.context + voter.to_bytes(4, "little") + ballot.data
        require(signed(key, "subrosa/election/ballot/v1", data, signature), "EL-9", "the voter's signature")
        ballot.verify(self.description.columns, self.keys.key, self.context, key)
        firsts = [first.encode() for first in ballot.firsts()]
        require(len(set(firsts)) == len(firsts) and not self.seen & set(firsts), "TH-6", "a copy")
        require(voter not in self.voted, "EL-9", "voted before")
        self.seen |= set(firsts)
        self.voted.add(voter)
        self.accepted.append(ballot)

    def _close(self, reader):
        """EL-10."""
        counts, own = (reader.integer(4, "accepted"), reader.integer(4, "refused")), reader.take(32, "digest")
        reader.finish()
        self._check_close(counts, own)
        self.phase = "mixing"
        self._next_turn()

    def _check_close(self, counts, own):
        codes = "".join(ballot.tracking_code() for ballot in self.accepted)
        self._check_list(counts, own, digest("subrosa/election/ballots/v1", codes.encode()))

    def _check_list(self, counts, own, expected):
        require(counts == (len(self.accepted), self.refused), "EL-10", "another number of ballots")
        require(own == expected, "EL-10", "other ballots")
        self._draw_up()

    def _draw_up(self):
        self.columns = self._columns_of(self.accepted)

    def _columns_of(self, ballots):
        return [
            [[ballot.ciphertexts[l][m] for ballot in ballots] for m in range(2)]
            for l in range(self.description.columns)
        ]

    def _next_turn(self):
        if self.turn < self.description.mixers:
            self.turn += 1
        else:
            enough = len(self.mixed_by) >= self.description.minimum_mixers
            self.phase = "decryption" if enough else "failure"

    def _mix(self, reader, number):
        """EL-11."""
        mix = shuffle.Mix.of_election(reader, self.keys.key, self.context, number, len(self.mixed_by) + 1)
        try:
            shuffle.verify_mix(mix, self.columns)
            self.columns = mix.columns
            self.mixed_by.append(number)
        finally:
            self._next_turn()

    def _decryption_context(self):
        return self.context

    def _ciphertexts(self):
        return [pair for column in self.columns for pair in zip(*column)]

    def _decrypt(self, reader, number):
        """EL-12. The phase fails when fewer than the threshold can still come."""
        partial = PartialDecryption(reader)
        reader.finish()
        self.answered.add(number)
        try:
            require(partial.trustee == number, "EL-12", "in the name of another")
            partial.verify(self.keys, self._ciphertexts(), self._decryption_context())
            self.partials.append(partial)
        finally:
            if len(self.partials) + len(set(self.keys.first) - self.answered) < self.description.threshold:
                self.phase = "failure"

    def _finish(self, entry, reader):
        """EL-13."""
        own = reader.bytes("tally", 1 << 20)
        listed = [reader.integer(8, "fault") for _ in range(reader.count("faults", 1 << 24))]
        reader.finish()
        require(listed == sorted({sequence for sequence, *_ in self.faults}), "EL-13", "other faults")
        opened = combine(self.partials, self.description.threshold, self._ciphertexts())
        count = lambda *ballots: counting.tally(  # noqa: E731
            self.description.questions, *ballots, is_plain=self.description.is_plain)
        self.tally = self._count_cells(count, [lizard.decode(point) for point in opened])
        compact = json.dumps(self.tally, separators=(",", ":"), ensure_ascii=False).encode()
        require(own == compact, "EL-13", "another tally")
        self.end, self.phase = entry.sequence, "end"

    def _count_cells(self, count, cells):
        rows = len(self.accepted)
        return count([
            self._read([cells[l * rows + row] for l in range(self.description.columns)]) for row in range(rows)])

    def _read(self, cells):
        questions = self.description.questions
        if None in cells:
            return ["wrong_length"] * len(questions)
        data, answers = b"".join(cells), []
        for at, question in enumerate(questions):
            own = data if at + 1 == len(questions) else data[:question["bytes"]]
            data = data[question["bytes"]:]
            answers.append(read_answer(question, own))
        return answers

    def statement(self, faults):
        questions = self.description.questions
        about = {"question": questions[0]["question"], "candidates": questions[0]["candidates"]}
        if not self.description.is_plain:
            asked = [{name: q[name] for name in ("question", "candidates", "seats", "decides")} for q in questions]
            about = {"questions": asked}
        return about | {
            "election": self.name.hex(), "title": self.description.title, "threshold": self.description.threshold,
            "registered": len(self.roll), "accepted": len(self.accepted), "refused": self.refused,
            "mixed_by": self.mixed_by, "decrypted_by": [partial.trustee for partial in self.partials],
            "faults": faults, "tally": self.tally,
        }


def require_faults(election, stated):
    """What stands before and after the words of a fault."""
    require(len(stated) == len(election.faults), "CB-12", "another number of faults")
    for text, (sequence, phase, party, _) in zip(stated, election.faults):
        who = "" if party is None else " ".join(map(str, party if party[0] != "operator" else party[:1])) + ": "
        good = text.startswith(f"{phase}: {who}") and text.endswith(f" (entry {sequence})")
        require(good, "CB-12", f"a fault is stated otherwise: {text}")


def _listed_faults(last):
    if last.kind != "election/outcome":
        return set()
    reader = Reader(last.payload)
    reader.bytes("tally", 1 << 20)
    return {reader.integer(8, "fault") for _ in range(reader.count("faults", 1 << 24))}


def check_election(objects, claim):
    """EL-14."""
    # Here, for it is built on what stands above.
    from .classes import ClassElection
    from .timed_election import TimedElection

    notes, log = objects.get("notes", {}), None
    due = (1,) if not objects.get("log") else (2, 3)
    require(claim["version"] in due, "EL-14", "a claim of another version")
    if objects.get("log"):
        entries, log = read_logged(objects["board"], objects["log"][0])
    else:
        entries = read_board(objects["board"])
    begin = TimedElection if claim["version"] == 3 else Election
    if begin is TimedElection and read_description(Reader(entries[0].payload)).classes:
        begin = ClassElection
    election, listed = begin(entries[0], notes.setdefault(0, [])), _listed_faults(entries[-1])
    for entry in entries[1:]:
        require(election.end is None, "EL-14", "something stands behind the outcome")
        election.notes, known = notes.setdefault(entry.sequence, []), len(election.faults)
        election.apply(entry)
        for sequence, _, _, check in election.faults[known:]:
            require(sequence in listed, check, f"entry {sequence} is wrong, and the outcome does not say so")
    require(election.end is not None, "EL-14", "the board ends before the outcome")
    stated = claim["statement"].get("faults")
    require(isinstance(stated, list) and all(isinstance(text, str) for text in stated), "CB-12", "no faults")
    require_faults(election, stated)
    require_stated(claim, election.statement(stated) | ({"log": log} if log else {}))
