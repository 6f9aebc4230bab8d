"""Ballots from voters' devices, on the board and on the device: docs/spec/voting.md."""

import json

from . import lizard
from .aead import keystream
from .ed25519 import digest, sign, verify
from .encoding import Reader, Refused, require
from .ristretto import GENERATOR, ORDER, multiply
from .threshold import Ballot, ballot_transcript, code, knowledge_challenge


def seal(opening, key, voter, credential, revision, cells, seed):
    """The ballot's bytes."""
    place, number = voter.to_bytes(4, "little"), revision.to_bytes(4, "little")
    secret = digest("subrosa/election/seal/v1", b"".join(
        [seed, opening, key.encode(), place, credential, number, *cells]))
    stream = keystream(secret, 64 * (len(cells) + 1))
    *randomness, mask = [int.from_bytes(stream[64 * i:64 * i + 64], "little") % ORDER for i in range(len(cells) + 1)]
    firsts = [multiply([r], [GENERATOR]) for r in randomness]
    seconds = [lizard.encode(cell) + multiply([r], [key]) for cell, r in zip(cells, randomness)]
    announcement = multiply([mask], [GENERATOR])
    transcript = ballot_transcript(opening, credential, key, seconds)
    c = knowledge_challenge(transcript, firsts, announcement)
    response = (mask - sum(pow(c, l, ORDER) * r for l, r in enumerate(randomness, 1))) % ORDER
    columns = b"".join(first.encode() + second.encode() for first, second in zip(firsts, seconds))
    return len(cells).to_bytes(4, "little") + columns + announcement.encode() + response.to_bytes(32, "little")


def tracker(opening, voter, class_of, revision, ballot):
    own = 0 if class_of is None else class_of + 1
    return digest("subrosa/election/tracker/v1", b"".join([
        opening, voter.to_bytes(4, "little"), own.to_bytes(2, "little"), revision.to_bytes(4, "little"), ballot]))


class Ballots:
    """What voters who may vote again have on the board."""

    def __init__(self, opening, key, columns, keys, classes=()):
        """`keys` are the voters', by their places; `classes` theirs, if there are any."""
        self.opening, self.key, self.columns, self.keys, self.classes = opening, key, columns, keys, classes
        self.seen, self.voters, self.refused = set(), {}, 0

    @staticmethod
    def read(reader):
        """The ballots of one entry."""
        ballots = []
        count = reader.count("ballots", 10**4)
        require(count > 0, "CV-4", "there are none")
        for _ in range(count):
            voter, revision = reader.integer(4, "voter"), reader.integer(4, "revision")
            require(revision > 0, "CV-4", "revisions count from 1")
            ballots.append((voter, revision, Ballot(reader), reader.take(64, "signature")))
        reader.finish()
        return ballots

    def take(self, ballots):
        """Accepts them, or refuses them, one by one."""
        for ballot in ballots:
            try:
                self._admit(*ballot)
            except Refused:
                self.refused += 1

    def _admit(self, voter, revision, ballot, signature):
        require(voter < len(self.keys), "VO-1", "not on the roll")
        key, own = self.keys[voter], self.classes[voter] if self.classes else None
        name = tracker(self.opening, voter, own, revision, ballot.data)
        message = "subrosa/election/ballot/v2"
        require(verify(key, message.encode() + name, signature), "VO-1", "the voter's signature")
        ballot.verify(self.columns, self.key, self.opening, key)
        known = self.voters.get(voter, {})
        if revision in known:
            require(known[revision][0] == name, "VO-2", "another ballot of this revision")
            return
        firsts = [first.encode() for first in ballot.firsts()]
        require(len(set(firsts)) == len(firsts) and not self.seen & set(firsts), "TH-6", "a copy")
        self.seen |= set(firsts)
        self.voters.setdefault(voter, {})[revision] = (name, ballot)

    def counting(self):
        """VO-3: voter, tracker and ballot, one of each voter."""
        return [(voter, *own[max(own)]) for voter, own in self.voters.items()]

    def digest(self):
        """That of the closing."""
        return digest("subrosa/election/ballots/v2", b"".join(name for _, name, _ in self.counting()))


def check(file):
    """Every case of the vectors, computed from its seed."""
    cases = json.loads(file.read_text())
    for case in cases:
        data = {name: bytes.fromhex(case[name]) for name in ("opening", "key", "credential", "seed")}
        key, (_, public) = Reader(data["key"]).point("key"), sign(data["credential"], b"")
        cells = [bytes.fromhex(cell) for cell in case["cells"]]
        ballot = seal(data["opening"], key, case["voter"], public, case["revision"], cells, data["seed"])
        assert ballot.hex() == case["ballot"], "another ballot"
        own = tracker(data["opening"], case["voter"], case["class"], case["revision"], ballot)
        assert own.hex() == case["tracker"] and code(own) == case["code"], "another tracker"
        for name, domain in (("commitment", "commitment/v1"), ("signature", "ballot/v2")):
            domain = f"subrosa/election/{domain}"
            signature, _ = sign(data["credential"], domain.encode() + own)
            assert signature.hex() == case[name], f"another {name}"
    _check_revisions(cases[0])
    print(f"election/{file.name}: {len(cases)} ballots sealed from their seeds; the greatest revision counts")


def _check_revisions(case):
    """Revisions of one voter in every order, a conflict, a copy, and what another signed."""
    opening, key = bytes.fromhex(case["opening"]), Reader(bytes.fromhex(case["key"])).point("key")
    seeds = [bytes([1]) * 32, bytes([2]) * 32]
    keys, cells = [sign(seed, b"")[1] for seed in seeds], [bytes(16)]

    def cast(voter, revision, seed, by=None, ballot=None):
        own = ballot or seal(opening, key, voter, keys[voter], revision, cells, seed)
        name = tracker(opening, voter, None, revision, own)
        signature, _ = sign(seeds[voter if by is None else by], b"subrosa/election/ballot/v2" + name)
        return name, voter.to_bytes(4, "little") + revision.to_bytes(4, "little") + own + signature

    def close(*cast_in_order):
        box = Ballots(opening, key, 1, keys)
        for _, data in cast_in_order:
            box.take(box.read(Reader((1).to_bytes(4, "little") + data)))
        return [name for _, name, _ in box.counting()], box.refused

    first, second, third = (cast(0, revision, bytes([revision]) * 32) for revision in (1, 2, 3))
    other = cast(1, 1, bytes(32))
    for order in ([first, second, third], [third, first, second], [second, third, first, second]):
        assert close(*order, other) == ([third[0], other[0]], 0), "not the greatest revision"
    conflict = cast(0, 2, bytes([9]) * 32)
    assert close(first, second, conflict) == ([second[0]], 1) and close(conflict, second) == ([conflict[0]], 1)
    copied = cast(0, 4, None, ballot=first[1][8:-64])
    assert close(first, copied) == ([first[0]], 1), "a copy counts"
    assert close(cast(0, 5, bytes(32), by=1)) == ([], 1), "another voter's signature counts"
