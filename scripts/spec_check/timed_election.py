"""Elections of version 2, which have times: docs/spec/election.md."""

from . import shuffle
from .ed25519 import digest
from .election import MAX_PAYLOAD, ROLES, Election
from .encoding import Reader, Refused, require
from .voting import Ballots

PART, PARTS, OVERHEAD = 1 << 24, 128, 1 << 12


def _head(reader):
    return reader.integer(8, "size"), reader.take(32, "root")


def _size_of_head(entry):
    """The size of the head at the end of a payload."""
    return Reader(entry.payload[-40:]).integer(8, "size")


class TimedElection(Election):
    """What the entries amount to by the rules of version 2."""

    def __init__(self, genesis, notes=None):
        super().__init__(genesis, notes)
        self.heads, self.began, self.last_ballots = {genesis.head}, genesis, 0
        self.confirmed, self.closed, self.signers, self.closing = [], None, set(), None

    def _require_version(self, genesis):
        good = genesis.kind == "election/setup/2" and self.description.has_times
        require(good, "EL-26", "the first entry is not that of version 2")

    def _occasion(self):
        return self.phase, getattr(self, "round", 0), self.turn

    def _named_phase(self):
        complete = self.phase == "key generation" and self.round == 2 and not self.waiting
        return "opening" if complete else self.phase

    def apply(self, entry):
        self.heads.add(entry.head)
        before, occasion = self.phase in ("registration", "readiness", "key generation"), self._occasion()
        if before and entry.time >= self.description.closes:
            self.phase = "failure"
        party, phase = self.parties.get(entry.author), self._named_phase()
        try:
            require(party and self._waits_for(party, entry.kind), "EL-4", "out of turn")
            require(not entry.contradicts, "BD-4", "the author said something else before")
            self._require_subject(entry)
            self._take(entry, Reader(entry.payload, self.notes), *party)
        except Refused as refused:
            self._fault(entry, phase, party, refused.check)
        if self._occasion() != occasion:
            self.began = entry

    def _require_subject(self, entry):
        """BD-5."""
        reader, own = Reader(entry.payload), None
        if entry.kind == "election/absent/2":
            role, number = reader.integer(1, "role"), reader.integer(2, "number")
            require(role < len(ROLES), "CV-4", "not a role")
            name = "operator" if role == 0 else f"{ROLES[role]} {number}"
            own = f"{_size_of_head(entry)}: {name}"
        elif entry.kind in ("election/open/2", "election/close/2"):
            own = str(_size_of_head(entry))
        elif entry.kind == "mix/header":
            own = str(reader.integer(4, "turn"))
        elif entry.kind == "mix/part":
            own = f"{reader.integer(4, 'turn')}/{reader.integer(4, 'index')}"
        else:
            return super()._require_subject(entry)
        require(entry.subject == own.encode(), "BD-5", "another subject")

    def _may_sign(self, role, number, kind):
        signs = kind == "election/seen" and role in ("trustee", "mixer")
        return signs and self.closed is not None and (role, number) not in self.signers

    def _waits_for(self, party, kind):
        role, number = party
        if self.phase == "readiness":
            awaited = kind == "election/ready" and party in self.unready | self.absent
            return awaited or (role, kind) == ("operator", "election/absent/2")
        if self.phase == "key generation":
            own = "election/open/2" if self.round == 2 else "election/absent/2"
            awaited = role == "trustee" and number in self.waiting | self.absent and kind.startswith("key/")
            return awaited or (role, kind) == ("operator", own)
        if self.phase == "casting":
            return (role, kind) in (("station", "ballots/revisions"), ("operator", "election/close/2"))
        if self.phase == "mixing":
            due = "mix/header" if self.header is None else "mix/part"
            back = (role, kind) == ("mixer", "election/back") and number in self.late
            mixes = (role, kind) == ("mixer", due) and self.queue[0] == number
            absent = (role, kind) == ("operator", "election/absent/2")
            return back or mixes or absent or self._may_sign(role, number, kind)
        if self.phase in ("certification", "decryption") and self._may_sign(role, number, kind):
            return True
        return self.phase in ("registration", "decryption") and super()._waits_for(party, kind)

    def _take(self, entry, reader, role, number):
        take = {
            "election/ready": lambda: self._ready(reader, (role, number)),
            "election/absent/2": lambda: self._absence(entry, reader),
            "election/open/2": lambda: self._open(entry, reader),
            "ballots/revisions": lambda: self._take_ballots(entry, reader),
            "election/close/2": lambda: self._close_in_time(entry, reader),
            "election/seen": lambda: self._certify(reader, (role, number)),
            "election/back": lambda: self._back(reader, number),
            "mix/header": lambda: self._announce(reader),
            "mix/part": lambda: self._gather(reader, number),
        }.get(entry.kind)
        if take is not None:
            return take()
        return super()._take(entry, reader, role, number)

    def _read_head(self, reader):
        """EL-21."""
        head = _head(reader)
        reader.finish()
        require(head in self.heads, "EL-21", "a head of another board")
        return head[0]

    def _require_room(self, voters):
        """EL-5."""
        row, opened = 64 * self.description.columns + 192, MAX_PAYLOAD // (32 * self.description.columns)
        good = voters <= (PARTS * PART - self._overhead()) // row and voters <= opened - self._overhead()
        require(good, "EL-5", "too many voters")

    def _overhead(self):
        return OVERHEAD

    def _begin(self, trustees):
        if self.phase == "registration":
            self.phase, self.nonces, self.absent = "readiness", {}, set()
            self.unready = {("trustee", number) for number in trustees}
            self.unready |= {("mixer", number) for number in range(1, self.description.mixers + 1)}
        else:
            super()._begin(trustees)
            self.absent = set()

    def _ready(self, reader, party):
        """EL-22."""
        nonce = reader.take(32, "nonce")
        require(self._read_head(reader) > self.began.sequence, "EL-22", "a board without its roll")
        self.nonces[party] = nonce
        self.unready.discard(party)
        self.absent.discard(party)
        self._end_readiness()

    def _end_readiness(self):
        if self.unready:
            return
        ready = sorted((ROLES.index(role), number) for role, number in self.nonces)
        drawn = [bytes([role]) + number.to_bytes(2, "little") + self.nonces[ROLES[role], number] for role, number in ready]
        self.session = digest("subrosa/election/session/v2", self.name + b"".join(drawn))
        self._begin({number for role, number in self.nonces if role == "trustee"})

    def _key(self, entry, reader, number):
        self.places = {**getattr(self, "places", {}), entry.payload: entry.sequence}
        self.absent.discard(number)
        super()._key(entry, reader, number)

    def _end_round(self, entry):
        if self.round < 2:
            before = self.round
            super()._end_round(entry)
            if self.round != before:
                self.absent = set()
        elif not self.waiting:
            # All verdicts are there: without a key now there will be none.
            try:
                self._verdicts(entry.sequence + 1)
            except Refused:
                self.phase = "failure"
                raise

    def _verdicts(self, size):
        """Those that stand before a place, by their authors."""
        known = [item for item in self.messages if self.places[item[1]] < size]
        known.sort(key=lambda item: item[0].author)
        faults, has_key = self.keys.end_round3(known)
        require(has_key, "TH-4", "the verdicts give no key")
        return known, faults

    def _is_after_patience(self, entry):
        return entry.time - self.began.time > self.description.patience

    def _absence(self, entry, reader):
        """EL-7."""
        role, number = reader.integer(1, "role"), reader.integer(2, "number")
        require(role < len(ROLES), "CV-4", "not a role")
        size, party, phase = self._read_head(reader), (ROLES[role], number), self.phase
        own = {"readiness": lambda: self.unready, "mixing": lambda: {("mixer", self.queue[0])},
               "key generation": lambda: {("trustee", one) for one in self.waiting}}
        require(party in own[phase](), "EL-7", "not waited for")
        require(size > self.began.sequence, "EL-7", "of a board that did not wait yet")
        require(self._is_after_patience(entry), "EL-7", "too early")
        self._require_enough(party)
        if phase == "readiness":
            self.unready.discard(party)
            self.absent.add(party)
            self._end_readiness()
        elif phase == "key generation":
            self.waiting.discard(number)
            self.absent.add(number)
            self._end_round(entry)
        else:
            self.late.append(self.queue.pop(0))
            self._next_turn()
        self._fault(entry, phase, party, "EL-7")

    def _require_enough(self, party):
        needed = {"trustee": self.description.threshold, "mixer": self.description.minimum_mixers}[party[0]]
        if self.phase == "readiness":
            present = sum(role == party[0] for role, _ in [*self.unready, *self.nonces])
        elif self.phase == "key generation":
            present = len(self.messages) + len(self.waiting)
        else:
            return
        require(present > needed, "EL-7", "the phase cannot go on without it")

    def _open(self, entry, reader):
        """EL-8."""
        key = reader.point("key")
        named = [reader.integer(2, "trustee") for _ in range(reader.count("confirmed", 255))]
        size = self._read_head(reader)
        whole = not self.waiting and all(self.places[payload] < size for _, payload in self.messages)
        require(whole or self._is_after_patience(entry), "EL-8", "verdicts are waited for")
        known, faults = self._verdicts(size)
        require(key == self.keys.key, "EL-8", "another key")
        confirmed = [read.author for read, _ in known if read.seen == self.keys.digest2]
        require(named == confirmed, "EL-8", "confirmed by others")
        silent = self.asked - {read.author for read, _ in known}
        for who, check in [*((who, "EL-6") for who in sorted(silent)), *faults]:
            self._fault(entry, "key generation", ("trustee", who), check)
        self.confirmed, self.context, self.phase = named, entry.digest, "casting"
        keys = [voter[1] for voter in self.roll]
        self.box = Ballots(entry.digest, self.keys.key, self.description.columns, keys)

    def _take_ballots(self, entry, reader):
        """EL-9."""
        ballots = self.box.read(reader)
        require(self.description.opens <= entry.time < self.description.closes, "EL-9", "not open")
        self.last_ballots = entry.sequence
        self.box.take(ballots)
        self.accepted, self.refused = [ballot for *_, ballot in self.box.counting()], self.box.refused

    def _close_in_time(self, entry, reader):
        """EL-10."""
        counts, own = (reader.integer(4, "accepted"), reader.integer(4, "refused")), reader.take(32, "digest")
        size = self._read_head(reader)
        require(entry.time >= self.description.closes, "EL-10", "the polls are open")
        require(size > self.last_ballots, "EL-10", "a board without all ballots")
        self._check_list(counts, own, self.box.digest())
        self.closed, self.closing, self.phase = (entry.digest, *entry.head), entry.digest, "certification"

    def _certify(self, reader, party):
        """EL-23."""
        closing, size, root = reader.take(32, "closing"), *_head(reader)
        reader.finish()
        require((closing, size, root) == self.closed, "EL-23", "another closing")
        self.signers.add(party)
        if self.phase == "certification" and len(self.signers) >= self.description.quorum:
            self.phase, self.turn, self.header = "mixing", 1, None
            self.queue, self.late = list(range(1, self.description.mixers + 1)), []

    def _next_turn(self):
        """EL-24."""
        self.turn, self.header = self.turn + 1, None
        enough = len(self.mixed_by) >= self.description.minimum_mixers
        if not self.queue and not enough:
            self.queue, self.late = self.late, []
        if not self.queue:
            self.phase = "decryption" if enough else "failure"

    def _back(self, reader, mixer):
        reader.finish()
        self.late.remove(mixer)
        self.queue.append(mixer)

    def _announce(self, reader):
        """EL-25."""
        turn, length, own = reader.integer(4, "turn"), reader.integer(8, "length"), reader.take(32, "digest")
        reader.finish()
        require(turn == self.turn, "EL-25", "another turn")
        most = min(self._most_bytes(), PARTS * PART)
        require(1 <= length <= most, "EL-25", "a mix of another length")
        self.header, self.parts = (length, own), []

    def _most_bytes(self):
        return (64 * self.description.columns + 192) * len(self.columns[0][0]) + 2 * OVERHEAD

    def _gather(self, reader, mixer):
        turn, index, part = reader.integer(4, "turn"), reader.integer(4, "index"), reader.bytes("part", PART)
        reader.finish()
        length, own = self.header
        left = length - sum(map(len, self.parts))
        require((turn, index) == (self.turn, len(self.parts)), "EL-25", "another part")
        require(1 <= len(part) <= left and index < PARTS, "EL-25", "a part of another length")
        self.parts.append(part)
        if len(part) < left:
            require(len(self.parts) < PARTS, "EL-25", "too many parts")
            return
        mix, self.header = b"".join(self.parts), None
        require(digest("subrosa/election/mix/parts/v2", mix) == own, "EL-25", "other parts than announced")
        self.queue.pop(0)
        try:
            self._verify_mixes(Reader(mix), mixer)
            self.mixed_by.append(mixer)
        finally:
            self._next_turn()

    def _verify_mixes(self, reader, mixer):
        """EL-11."""
        read = shuffle.Mix.of_election(reader, self.keys.key, self.context, mixer, len(self.mixed_by) + 1)
        shuffle.verify_mix(read, self.columns)
        self.columns = read.columns

    def statement(self, faults):
        certified = sorted(self.signers, key=lambda party: (ROLES.index(party[0]), party[1]))
        course = {name: getattr(self.description, name) for name in ("opens", "closes", "patience", "quorum")}
        return super().statement(faults) | {"course": course | {
            "opening": self.context.hex(), "closing": self.closing.hex(), "confirmed_by": self.confirmed,
            "certified_by": [" ".join(map(str, party)) for party in certified],
        }}
