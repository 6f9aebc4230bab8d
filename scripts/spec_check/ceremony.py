"""The claim `ceremony`, native and over BN254: docs/spec/ceremony.md."""

import hashlib
import re

from . import first_key
from .encoding import NotChecked
from .bn254 import G, H, ORDER, Field1, Field2, decode, neutral
from .bundle import require_stated
from .ed25519 import digest
from .encoding import Reader, require
from .powers import (Container, Equations, base, blake, framed, hash_to_g2, point, points, root_of_unity, total,
                     uncompressed, weights, width)
from .transcript import Transcript

ROLES = {"parameters": (0, 1), "circuit": (0, 1), "phase1": (0, 1), "record": (0, 1)}
LIMITS = {"parameters": 1 << 32, "circuit": 1 << 30, "phase1": 1 << 32, "record": 1 << 26}
NATIVE = 100
LOCATION = re.compile(r"[\x21-\x7e]{1,200}")
# What takes Python longer than anybody waits.
LARGEST = 10


class Turn:
    """A contribution of section 100."""

    def __init__(self, reader, form, before):
        start = reader.at
        name = reader.text("name", 192)
        require(len(name.encode("utf-16-le")) <= 128, "CE-28", "a name that is too long")
        self.name, self.before = name or None, before
        self.after = [_own(field, reader) for field in form["after"]]
        kind = reader.integer(1, "kind")
        require(kind <= 1, "CV-4", "a contribution of an unknown kind")
        self.beacon, self.proofs = None, []
        if kind == 1:
            exponent, data = reader.integer(1, "exponent"), reader.bytes("beacon", 255)
            require(data and 10 <= exponent <= 63, "CE-4", "a beacon that is none")
            self.beacon = (exponent, data)
        else:
            self.proofs = self._proofs(reader, form, name)
        self.hash = blake(before, reader.data[start:reader.at])

    def _proofs(self, reader, form, name):
        transcript = Transcript(form["label"])
        transcript.absorb("round", 1)
        transcript.absorb("before", self.before)
        transcript.absorb("name", name.encode())
        transcript.absorb("input", reader.take(32, "input"))
        challenge, proofs = transcript.squeeze("challenge", 64), []
        for tag in form["tags"]:
            start = reader.at
            own = _own(Field1, reader)
            label = f"subrosa/ceremony/v1/{tag}".encode().ljust(32, b"\0")
            proofs.append((own, hash_to_g2(label + reader.data[start:reader.at] + challenge), _own(Field2, reader)))
        return proofs

    def stated(self):
        beacon = None
        if self.beacon is not None:
            beacon = {"hash": self.beacon[1].hex(), "iterations_exp": self.beacon[0]}
        return {"name": self.name, "hash": self.hash.hex(), "beacon": beacon}

    def secrets(self, form):
        """A beacon's (`CE-9`)."""
        exponent, data = self.beacon
        for _ in range(1 << exponent):
            data = hashlib.sha256(data).digest()
        transcript = Transcript(form["label"])
        transcript.absorb("before", self.before)
        transcript.absorb("beacon", data)
        out = []
        while len(out) < len(form["tags"]):
            secret = int.from_bytes(transcript.squeeze("secret", 64), "little") % ORDER
            out += [secret] if secret > 1 else []
        return out


PHASE1 = {"kind": "phase1", "label": "subrosa/ceremony/phase1/v2", "tags": ["tau", "alpha", "beta"],
          "after": [Field1, Field1, Field1, Field2, Field2]}
PHASE2 = {"kind": "phase2", "label": "subrosa/ceremony/phase2/v2", "tags": ["delta"], "after": [Field1]}


def _own(field, reader):
    """A point in its own compressed encoding."""
    one = decode(field, reader.take(field.LENGTH, "point"))
    require(one is not None, "CV-6", "not a point")
    require(one.at is not None, "CE-1", "a point is neutral")
    return one


def _turns(container, form, parts, check):
    section = container.section(NATIVE)
    require(len(section) <= 1 << 24, "CV-2", "the transcript is too long")
    reader, before = Reader(section), blake(framed(form["label"].encode(), *parts))
    reader.header(form["kind"], 2)
    turns = []
    for _ in range(reader.integer(4, "contributions")):
        turns.append(Turn(reader, form, before))
        before = turns[-1].hash
    reader.finish()
    require(any(turn.beacon is None for turn in turns), check, "nobody contributed, or only beacons")
    work = sum(1 << turn.beacon[0] for turn in turns if turn.beacon)
    require(work <= 1 << 32, "CE-4", "too much work")
    if work > 1 << 20:
        raise NotChecked("beacons that are hashed so often")
    return turns


class Ptau:
    """A file of phase 1."""

    def __init__(self, data):
        self.file, self.lists = Container(data, b"ptau"), {}
        reader = Reader(self.file.section(1))
        base(reader)
        self.power, self.whole = reader.integer(4, "power"), reader.integer(4, "ceremony power")
        reader.finish()
        require(1 <= self.power <= self.whole <= 28, "CE-28", "the power is out of range")
        n = 1 << self.power
        counts = {2: [2 * n - 1], 3: [n], 4: [n], 5: [n], 6: [1]}
        self.prepared = any(kind in self.file.sections for kind in (12, 13, 14, 15))
        if self.prepared:
            counts |= {12: [4 * n - 1, 2 * n - 1], 13: [2 * n - 1], 14: [2 * n - 1], 15: [2 * n - 1]}
        for kind, allowed in counts.items():
            self.file.section(kind, *(count * width(self.field(kind)) for count in allowed))
        if NATIVE not in self.file.sections or self.whole > LARGEST or self.power < self.whole:
            raise NotChecked("a phase 1 in the form of snarkjs, a large one, or one that was cut")
        require(self.file.section(7) == bytes(4), "CE-9", "contributions of snarkjs, too")

    @staticmethod
    def field(kind):
        return Field2 if kind in (3, 6, 13) else Field1

    def list(self, kind):
        if kind not in self.lists:
            self.lists[kind] = points(self.field(kind), self.file.section(kind), kind >= 12)
        return self.lists[kind]

    def domain(self, kind, log):
        found = self.list(kind)[(1 << log) - 1:(2 << log) - 1]
        require(len(found) == 1 << log, "CE-10", "the phase 1 has no such domain")
        return found

    def verify(self):
        turns = _turns(self.file, PHASE1, [b"BN254", self.whole.to_bytes(8, "little")], "CE-3")
        equations, before = Equations(), [G, G, G, H, H]
        for turn in turns:
            for i, (own, base_, proof) in enumerate(turn.proofs):
                equations.same_ratio((G, own), (base_, proof))
                equations.same_ratio((before[i], turn.after[i]), (base_, proof))
            if turn.proofs:
                equations.same_ratio((G, turn.proofs[0][0]), (before[3], turn.after[3]))
                equations.same_ratio((G, turn.proofs[2][0]), (before[4], turn.after[4]))
            for i in range(3):
                require(turn.after[i] != before[i], "CE-3", "a contribution that changes nothing")
            if turn.beacon:
                tau, alpha, beta = turn.secrets(PHASE1)
                own = [one * x for one, x in zip(before, (tau, alpha, beta, tau, beta))]
                require(own == turn.after, "CE-9", "not the points of the beacon")
            before = turn.after
        equations.check("CE-8", "a contribution does not follow from its secrets")
        self._check_powers(before)
        require(G not in before[:3], "CE-3", "a secret is 1")
        if self.prepared:
            self._check_lagrange()
        return turns

    def _check_powers(self, after):
        tau, alpha, beta, tau2, beta2 = after
        equations = Equations()
        for kind, first in ((2, [G, tau]), (4, [alpha]), (5, [beta])):
            found = self.list(kind)
            require(found[:len(first)] == first, "CE-5", f"section {kind} begins with other points")
            w = weights(len(found) - 1)
            equations.same_ratio((total(Field1, w, found[:-1]), total(Field1, w, found[1:])), (H, tau2))
        found = self.list(3)
        require(found[:2] == [H, tau2] and self.list(6) == [beta2], "CE-5", "other points of G2")
        w = weights(len(found) - 1)
        equations.same_ratio((G, tau), (total(Field2, w, found[:-1]), total(Field2, w, found[1:])))
        equations.check("CE-5", "a point is not tau times the one before")

    def _check_lagrange(self):
        for kind, powers in ((12, 2), (13, 3), (14, 4), (15, 5)):
            field, known = self.field(kind), self.list(powers)
            domains, sums = self.list(kind), [0] * (4 << self.power)
            w, start, log = weights(len(domains)), 0, 0
            while start < len(domains):
                size = 1 << log
                inverse, scale = pow(root_of_unity(log), -1, ORDER), pow(size, -1, ORDER)
                for j in range(size):
                    value = sum(w[start + i] * pow(inverse, i * j, ORDER) for i in range(size))
                    sums[j] = (sums[j] + value * scale) % ORDER
                start, log = start + size, log + 1
            # The power that the largest domain lacks is neutral in a file that was not cut.
            own = total(field, w, domains)
            require(own == total(field, sums[:len(known)], known), "CE-7", f"section {kind} is another transform")


class Zkey:
    """A key, or a record of one."""

    def __init__(self, data, is_record):
        self.file = Container(data, b"zkey")
        require(self.file.section(1) == b"\1\0\0\0", "CE-28", "not of Groth16")
        reader = Reader(self.file.section(2))
        base(reader)
        require(int.from_bytes(reader.bytes("prime", 64), "little") == ORDER, "CE-28", "over another curve")
        self.wires, self.publics, self.rows = (reader.integer(4, "count") for _ in range(3))
        power_of_two = self.rows and not self.rows & (self.rows - 1)
        require(self.publics < self.wires and power_of_two and self.rows <= 1 << 28, "CE-28", "sizes")
        one = lambda field: point(field, reader.take(width(field)))
        self.alpha1, self.beta1, self.beta2, self.gamma2 = one(Field1), one(Field1), one(Field2), one(Field2)
        self.delta1, self.delta2 = one(Field1), one(Field2)
        reader.finish()
        require(len(self.file.section(10)) >= 68, "CE-28", "section 10 is too short")
        self.ic = points(Field1, self.file.section(3, 64 * (self.publics + 1)), True)
        self.circuit_hash = self.file.section(10)[:64]
        native = NATIVE in self.file.sections
        if is_record:
            expected = [1, 2, 3, 10] + [NATIVE] * native
            require(list(self.file.sections) == expected, "CE-28", "not the sections of a record")
        else:
            private = self.wires - self.publics - 1
            for kind, size in ((5, 64), (6, 64), (7, 128)):
                self.file.section(kind, size * self.wires)
            self.file.section(8, 64 * private)
            self.file.section(9, 64 * self.rows)
        if not native:
            raise NotChecked("a key in the form of snarkjs")
        require(self.file.section(10)[64:] == bytes(4), "CE-15", "contributions of snarkjs, too")

    def contributions(self):
        counts = b"".join(n.to_bytes(4, "little") for n in (self.wires, self.publics, self.rows))
        turns = _turns(self.file, PHASE2, [b"BN254", counts, self.circuit_hash], "CE-11")
        last = turns[-1].after[0]
        require(self.gamma2 == H and self.delta1 == last and last != G, "CE-11", "gamma or delta")
        require(neutral([(G, self.delta2), (-self.delta1, H)]), "CE-11", "delta differs between the groups")
        equations, before = Equations(), G
        for turn in turns:
            [after] = turn.after
            require(after != before, "CE-15", "a contribution that changes nothing")
            for own, base_, proof in turn.proofs:
                equations.same_ratio((G, own), (base_, proof))
                equations.same_ratio((before, after), (base_, proof))
            if turn.beacon:
                require(before * turn.secrets(PHASE2)[0] == after, "CE-15", "not the point of the beacon")
            before = after
        equations.check("CE-15", "a contribution does not follow from its secret")
        return turns

    def key(self):
        out = (self.publics + 1).to_bytes(4, "little")
        for one in (self.alpha1, self.beta2, self.gamma2, self.delta2, *self.ic):
            out += uncompressed(one)
        return digest("snark/groth16/key/v1", b"BN254" + out).hex()


def check_ceremony(objects, claim):
    """`CE-23` to `CE-27`."""
    stated = claim["statement"]
    require(isinstance(stated, dict), "CE-27", "the statement is no object")
    for role, limit in LIMITS.items():
        require(all(len(one) <= limit for one in objects[role]), "CB-11", f"{role} is over the limit")
    there = tuple(bool(objects[role]) for role in ("parameters", "circuit", "phase1", "record"))
    require(there in ((1, 0, 0, 0), (1, 1, 1, 0), (0, 0, 0, 1)), "CE-23", "roles that do not go together")
    location = stated.get("location")
    plain = location is None or isinstance(location, str) and LOCATION.fullmatch(location)
    require(plain, "CE-27", "a location that is none")
    found = dict.fromkeys(["power", "wires", "rows", "circuit", "circuit_hash", "key", "phase1"])
    found |= {"form": "native", "curve": "BN254", "location": location, "hashes_checked": not there[3]}
    if there == (1, 0, 0, 0):
        file = Ptau(objects["parameters"][0])
        turns = file.verify()
        found |= {"phase": 1, "power": file.power, "parameters": file.file.digest()}
    else:
        turns, own = (_record if there[3] else _key)(objects, stated)
        found |= own
    require_stated(claim, found | {"contributions": [turn.stated() for turn in turns]})


def _found(key):
    return {"phase": 2, "wires": key.wires, "rows": key.rows, "key": key.key(), "circuit_hash": key.circuit_hash.hex()}


def _record(objects, stated):
    name = stated.get("parameters")
    require(isinstance(name, str) and re.fullmatch("[0-9a-f]{64}", name), "CE-27", "no digest of the parameters")
    key = Zkey(objects["record"][0], True)
    require(neutral([(G, key.beta2), (-key.beta1, H)]), "CE-26", "beta differs between the groups")
    return key.contributions(), _found(key) | {"parameters": name}


def _key(objects, stated):
    phase1 = Ptau(objects["phase1"][0])
    before = phase1.verify()
    key = Zkey(objects["parameters"][0], False)
    turns = key.contributions()
    [circuit] = objects["circuit"]
    first_key.check(key, circuit, phase1)
    found = {"parameters": key.file.digest(), "circuit": digest("subrosa/ceremony/circuit", circuit).hex()}
    below = {"parameters": phase1.file.digest(), "contributions": [turn.stated() for turn in before]}
    return turns, _found(key) | found | {"phase1": below}
