"""Elections of version 2 with classes of voters: docs/spec/election.md, EL-15 to EL-20."""

from . import counting, shuffle
from .ed25519 import is_key
from .encoding import require
from .timed_election import OVERHEAD, TimedElection
from .voting import Ballots


class ClassElection(TimedElection):
    """What the entries amount to where every class is a list of its own."""

    def _waits_for(self, party, kind):
        if self.phase == "registration":
            return (party[0], kind) == ("operator", "election/roll/classes")
        return super()._waits_for(party, kind)

    def _take(self, entry, reader, role, number):
        if entry.kind == "election/roll/classes":
            return self._register(reader)
        return super()._take(entry, reader, role, number)

    def _read_voters(self, reader):
        """EL-16."""
        voters, self.classes = [], []
        for _ in range(reader.count("voters", 10**6)):
            voters.append((reader.text("name", 200), reader.take(32, "key")))
            self.classes.append(reader.integer(1, "class"))
        require(voters, "CV-4", "nobody is on the roll")
        reader.finish()
        require(all(is_key(key) for _, key in voters), "CV-6", "not a key")
        classes = self.description.classes
        require(all(own < len(classes) for own in self.classes), "EL-16", "a class that there is not")
        self.registered = [self.classes.count(own) for own in range(len(classes))]
        enough = all(count >= of["min_ballots"] for count, of in zip(self.registered, classes))
        require(enough, "EL-16", "a class with fewer voters than it needs ballots")
        return voters

    def _overhead(self):
        return OVERHEAD * len(self.description.classes)

    def _open(self, entry, reader):
        super()._open(entry, reader)
        keys = [voter[1] for voter in self.roll]
        self.box = Ballots(entry.digest, self.keys.key, self.description.columns, keys, self.classes)

    def _draw_up(self):
        """EL-18."""
        self.cast, self.lists = [], []
        for number, of in enumerate(self.description.classes):
            own = [ballot for voter, _, ballot in self.box.counting() if self.classes[voter] == number]
            self.cast.append(len(own))
            if len(own) >= of["min_ballots"]:
                self.lists.append((number, self._columns_of(own)))

    def _most_bytes(self):
        row = 64 * self.description.columns + 192
        return OVERHEAD + sum(row * len(columns[0][0]) + OVERHEAD for _, columns in self.lists)

    def _verify_mixes(self, reader, mixer):
        """EL-18: all of them hold, or none counts."""
        position, mixed = len(self.mixed_by) + 1, []
        count = reader.count("mixes", 32)
        require(count == len(self.lists), "EL-18", f"{count} mixes of {len(self.lists)} lists")
        mixes = [
            shuffle.Mix.read(reader, self.keys.key, self.context, b"ballots/class/%d" % (number + 1), mixer, position)
            for number, _ in self.lists
        ]
        reader.finish()
        for (number, columns), mix in zip(self.lists, mixes):
            shuffle.verify_mix(mix, columns)
            mixed.append((number, mix.columns))
        self.lists = mixed

    def _ciphertexts(self):
        """EL-19."""
        return [pair for _, columns in self.lists for column in columns for pair in zip(*column)]

    def _decryption_context(self):
        lists = [bytes([number]) + len(columns[0][0]).to_bytes(8, "little") for number, columns in self.lists]
        return self.context + b"".join(lists)

    def _opened(self, cells):
        """EL-20: each opened ballot, and what it counts."""
        ballots, weights, self.opened = [], [], {}
        for number, columns in self.lists:
            rows = len(columns[0][0])
            own, cells = cells[:rows * len(columns)], cells[rows * len(columns):]
            read = [self._read([own[l * rows + row] for l in range(len(columns))]) for row in range(rows)]
            self.opened[number] = read
            ballots += read
            weights += [self.description.classes[number]["votes"]] * rows
        return ballots, weights

    def _count_cells(self, count, cells):
        tally = count(*self._opened(cells))
        blank = lambda own: sum(  # noqa: E731
            all(not isinstance(answer, str) and counting.is_blank(answer) for answer in ballot) for ballot in own)
        tally["classes"] = [
            {"weight": of["weight"], "votes": of["votes"], "ballots": self.cast[number],
             "opened": number in self.opened, "blank": blank(self.opened.get(number, []))}
            for number, of in enumerate(self.description.classes)
        ]
        return tally

    def statement(self, faults):
        classes = [
            {"name": of["name"], "weight": of["weight"], "min_ballots": of["min_ballots"],
             "registered": self.registered[number], "ballots": self.cast[number], "opened": number in self.opened}
            for number, of in enumerate(self.description.classes)
        ]
        return super().statement(faults) | {"classes": classes}
