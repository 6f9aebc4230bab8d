"""Succinct proofs over BN254: docs/spec/snark.md and docs/formats/snark-files.md."""

import json
import re

from .bn254 import ORDER, Field1, Field2, G, H, P, Point, combine, decode, neutral, pairing, pow12
from .bundle import require_stated
from .encoding import NotChecked, Reader, Refused, require
from .ed25519 import digest
from .transcript import Transcript

X = 4965661367192848881
NAME = b"BN254"
KEY = ["protocol", "curve", "vk_alpha_1", "vk_beta_2", "vk_gamma_2", "vk_delta_2", "IC", "nPublic", "vk_alphabeta_12"]
PROOF = ["pi_a", "pi_b", "pi_c", "protocol", "curve"]


def inputs(data):
    values = json.loads(data)
    require(isinstance(values, list), "SN-1", "not a list")
    for value in values:
        good = isinstance(value, str) and re.fullmatch(r"0|[1-9][0-9]*", value) and int(value) < ORDER
        require(good, "SN-1", "a public input that is no reduced number")
    return [int(value) for value in values]


def _object(data, members, check, what):
    """JSON of snarkjs with members among these, the last one left out at most."""
    try:
        value = json.loads(data)
    except ValueError:
        value = None
    needed = set(members[:-1])
    good = isinstance(value, dict) and needed <= set(value) <= set(members)
    require(good, check, f"another {what}")
    return value


def _json_point(field, value, check):
    depth = (lambda v: [int(c) for c in v]) if field is Field1 else (lambda v: [tuple(map(int, c)) for c in v])
    x, y, z = depth(value)
    require(z == field.small(1), check, "a third coordinate that is not 1")
    reduced = all(0 <= c < P for c in field.split(x) + field.split(y))
    point = Point(field, (x, y))
    require(reduced and point.in_group(), check, "not a point of the group")
    return point


def _ic(ic, values):
    require(len(values) == len(ic) - 1, "SN-1", "another number of public inputs")
    out = ic[0]
    for point, value in zip(ic[1:], values):
        out = out + point * value
    return out


def groth16(key, public, proof):
    key, proof, values = _object(key, KEY, "SN-2", "key"), _object(proof, PROOF, "SN-3", "proof"), inputs(public)
    require((key["protocol"], key["curve"]) == ("groth16", "bn128"), "SN-2", "another key")
    one = _json_point(Field1, key["vk_alpha_1"], "SN-2")
    beta, gamma, delta = (_json_point(Field2, key[f"vk_{name}_2"], "SN-2") for name in ("beta", "gamma", "delta"))
    ic = [_json_point(Field1, point, "SN-2") for point in key["IC"]]
    require(ic and delta not in (gamma, -gamma, H, -H), "SN-2", "delta is gamma or a generator")
    if "vk_alphabeta_12" in key:
        told = [0] * 12
        for i, half in enumerate(key["vk_alphabeta_12"]):
            for j, (a, b) in enumerate(half):
                told[i + 2 * j] += int(a) - 9 * int(b)
                told[i + 2 * j + 6] += int(b)
        value = pow12(pairing([(one, beta)]), 2 * X * (6 * X * X + 3 * X + 1))
        require([c % P for c in told] == value, "SN-2", "another pairing of alpha and beta")
    a, c = (_json_point(Field1, proof[name], "SN-3") for name in ("pi_a", "pi_c"))
    b = _json_point(Field2, proof["pi_b"], "SN-3")
    holds = neutral([(-a, b), (one, beta), (_ic(ic, values), gamma), (c, delta)])
    require(holds, "SN-4", "the equation does not hold")


class Points(Reader):
    def head(self, kind, version):
        self.header(kind, version)
        require(self.bytes("pairing", 32) == NAME, "CV-5", "another pairing")

    def curve(self, field, name, check):
        point = decode(field, self.take(field.LENGTH, name, "bytes"))
        require(point is not None, "CV-6", f"{name}: not a point")
        require(check is None or point.at is not None, check, f"{name} is neutral")
        return point

    def number(self, name):
        value = self.integer(32, name)
        require(value < ORDER, "CV-6", f"{name}: not reduced")
        return value


def gm17(key, public, proof, notes=None):
    values, key, proof = inputs(public), Points(key), Points(proof, notes)
    key.head("gm17vk", 1)
    alpha, gamma1 = (key.curve(Field1, name, "SN-5") for name in ("alpha", "gamma"))
    beta, gamma = (key.curve(Field2, name, "SN-5") for name in ("beta", "gamma"))
    ic = [key.curve(Field1, "IC", "SN-5") for _ in range(key.count("IC", 1 << 20))]
    key.finish()
    require(ic and gamma not in (H, -H), "SN-5", "gamma is a generator")
    require(neutral([(gamma1, H), (-G, gamma)]), "SN-5", "two gammas")
    proof.head("gm17prf", 1)
    a, b, c = (proof.curve(field, name, "SN-6") for field, name in ((Field1, "A"), (Field2, "B"), (Field1, "C")))
    proof.finish()
    first = [(a + alpha, b + beta), (-alpha, beta), (-_ic(ic, values), gamma), (-c, H)]
    require(neutral(first), "SN-6", "the first equation does not hold")
    require(neutral([(a, gamma), (-gamma1, b)]), "SN-6", "the second equation does not hold")


def r1cs(data):
    """Wires, public wires, constraints: the published format of iden3, version 1."""
    reader = Reader(data)
    require(reader.take(4) == b"r1cs" and reader.integer(4, "version") == 1, "SN-1", "not a .r1cs file")
    sections = {}
    for _ in range(reader.integer(4, "sections")):
        kind, length = reader.integer(4, "section"), reader.integer(8, "length")
        sections[kind] = Reader(reader.take(length))
    reader.finish()
    head, body = sections[1], sections[2]
    require(head.integer(4, "field") == 32 and head.integer(32, "prime") == ORDER, "SN-1", "another field")
    wires, outputs, public, _ = (head.integer(4, "count") for _ in range(4))
    head.integer(8, "labels")
    side = lambda: [(body.integer(4, "wire"), body.number("factor")) for _ in range(body.integer(4, "terms"))]
    body.__class__ = Points
    return wires, outputs + public, [[side() for _ in range(3)] for _ in range(head.integer(4, "constraints"))]


def _normal(terms):
    sums = {}
    for wire, factor in terms:
        sums[wire] = (sums.get(wire, 0) + factor) % ORDER
    return sorted((wire, factor) for wire, factor in sums.items() if factor)


class System:
    """"The system of gates"."""

    def __init__(self, wires, public, constraints):
        gates, zeros = [], []
        for constraint in constraints:
            a, b, c = map(_normal, constraint)
            constant = lambda terms: all(wire == 0 for wire, _ in terms)
            factor = lambda terms: terms[0][1] if terms else 0
            if constant(a) or constant(b):
                f, other = (factor(a), b) if constant(a) else (factor(b), a)
                zeros.append(_normal([(w, f * x) for w, x in other] + [(w, -x) for w, x in c]))
            else:
                gates.append((a, b, c))
        n = self.n = len(gates)
        homes, taken = {}, set()
        for i, gate in enumerate(gates, 1):
            for side, slot in ((0, n - i), (1, n + i)):
                if len(gate[side]) == 1 and gate[side][0][0] not in homes:
                    wire, factor = gate[side][0]
                    homes[wire] = (slot, pow(factor, -1, ORDER))
                    taken.add(slot)
        said = {wire for gate in gates for terms in gate for wire, _ in terms}
        said |= {wire for zero in zeros for wire, _ in zero}
        loose = [w for w in range(wires) if w not in homes and (w in said or w <= public)]
        self.h, self.p = len(loose), public
        homes |= {wire: (2 * n + j, 1) for j, wire in enumerate(loose, 1)}
        stand = lambda terms: [(homes[w][0], x * homes[w][1] % ORDER) for w, x in terms]
        self.rows = [stand(c) for _, _, c in gates] + [stand([(w, 1)]) for w in range(public + 1)]
        for i, (a, b, _) in enumerate(gates, 1):
            for terms, slot in ((a, n - i), (b, n + i)):
                if slot not in taken:
                    self.rows.append(stand(terms) + [(slot, ORDER - 1)])
        self.rows += [stand(zero) for zero in zeros]
        self.q = len(self.rows) - n
        counts = [public, n, self.h, len(self.rows), sum(map(len, self.rows))]
        ends = [sum(map(len, self.rows[:i + 1])) for i in range(len(self.rows))]
        out = b"".join(value.to_bytes(8, "little") for value in counts + ends)
        for slot, factor in (term for row in self.rows for term in row):
            out += slot.to_bytes(4, "little") + factor.to_bytes(32, "little")
        self.digest = digest("snark/sonic/circuit/v1", out)

    def s(self, x, y):
        total = 0
        for k, row in enumerate(self.rows, 1):
            value = sum(factor * power(x, slot - self.n) for slot, factor in row)
            weight = -(power(y, k) + power(y, -k)) if k <= self.n else power(y, k)
            total += weight * value
        return total % ORDER

    def k(self, y, values):
        return power(y, self.n + 1) * (1 + sum(v * power(y, j) for j, v in enumerate(values, 1))) % ORDER


def power(x, e):
    return pow(x, e, ORDER)


def sonic(circuit, key, public, proof, notes=None):
    system, values = System(*r1cs(circuit)), inputs(public)
    n, h = system.n, system.h
    reader = Points(key)
    reader.head("sonicvk", 2)
    start = reader.at
    d = reader.integer(8, "degree")
    x, alpha, alpha_x, alpha_xx = (reader.curve(Field2, "key", "SN-7") for _ in range(4))
    t_powers, r_powers = ([[reader.curve(Field2, "piece", "SN-7") for _ in range(2)] for _ in range(k)] for k in (4, 2))
    pieces = key[start:reader.at]
    circuit_digest, p = reader.take(32), reader.integer(4, "public inputs")
    reader.finish()
    require(d >= max(2 * (n + h + 4), n + system.q), "SN-7", "the reference string is too short")
    require((circuit_digest, p) == (system.digest, system.p), "SN-10", "the key of another circuit")
    require(len(values) == p, "SN-1", "another number of public inputs")
    srs = digest("snark/sonic/srs/v1", NAME + d.to_bytes(8, "little") + x.encode() + alpha.encode() + alpha_x.encode())

    reader = Points(proof, notes)
    reader.head("sonicprf", 2)
    rs, ts = ([reader.curve(Field1, name, None) for _ in range(k)] for name, k in (("R", 2), ("T", 4)))
    a, b = reader.number("a"), reader.number("b")
    w = reader.curve(Field1, "W", None)
    reader.finish()

    transcript = Transcript("subrosa/sonic/v1")
    transcript.absorb("pairing", NAME)
    transcript.absorb("srs", srs)
    transcript.absorb("pieces", pieces)
    transcript.absorb("circuit", circuit_digest)
    transcript.absorb("public inputs", p)
    transcript.absorb("inputs", b"".join(value.to_bytes(32, "little") for value in values))
    draw = lambda label: int.from_bytes(transcript.squeeze(label, 64), "little") % ORDER
    for point in rs:
        transcript.absorb("R", point.encode())
    y = draw("y")
    for point in ts:
        transcript.absorb("T", point.encode())
    z = draw("z")
    transcript.absorb("a", a.to_bytes(32, "little"))
    transcript.absorb("b", b.to_bytes(32, "little"))
    rho = draw("r1")
    require(y not in (0, 1) and z and rho, "SN-8", "a challenge is 0, or y is 1")

    zy = z * y % ORDER
    v = (a * (b + system.s(z, y)) - system.k(y, values)) % ORDER
    m = -(-(4 * n + 3 * h + 9) // 4)
    m += 3 * m == 2 * (n + h + 4)
    begins = lambda low, count: [low + 1 + k * m for k in range(count)]
    # W(x - z)(x - zy), and what is taken from it.
    pairs = [(w, alpha_xx), (w * -(z + zy), alpha_x), (w * (z * zy), alpha)]
    for point, e, (low, high) in zip(ts, begins(-2 * (n + h + 4), 4), t_powers):
        f = power(z, e)
        pairs += [(point * -f, high), (point * (f * zy), low)]
    for point, e, (low, high) in zip(rs, begins(-(n + h + 4), 2), r_powers):
        f, g = rho * power(z, e), power(zy, e)
        pairs += [(point * -(f + g), high), (point * (f * zy + g * z), low)]
    u = v + rho * a
    pairs += [(G * (u + b), alpha_x), (G * -(u * zy + b * z), alpha)]
    require(neutral(combine(pairs)), "SN-8", "the equation does not hold")
    key_digest = digest("snark/sonic/key/v1", NAME + key[start:])
    return {"circuit": circuit_digest.hex(), "srs": srs.hex(), "key": key_digest.hex()}


PROOFS = {"key": (1, 1), "proof": (1, 1 << 16), "circuit": (0, 1)}
LIMITS = {"key": 1 << 24, "proof": 1 << 12, "circuit": 1 << 30}
VISIBLE = re.compile(r"[\x21-\x7e]{1,64}")


def _named(public, names):
    require(isinstance(public, list), "SN-9", "public is no list")
    for values in public:
        require(isinstance(values, list) and all(isinstance(v, str) for v in values), "SN-9", "not a list of strings")
    if names is not None:
        good = isinstance(names, list) and all(isinstance(n, str) and VISIBLE.fullmatch(n) for n in names)
        require(good and len(set(names)) == len(names), "SN-9", "names that are none")
        require(all(len(values) == len(names) for values in public), "SN-9", "not as many names as public inputs")


def _key_of_json(key):
    """The curve, and the digest of the points as they are read."""
    try:
        key = json.loads(key)
        curve = {"bn128": "BN254", "bls12381": "BLS12-381"}.get(key["curve"])
        one = lambda point: [int(point[0]), int(point[1])]
        two = lambda point: [int(c) for pair in point[:2] for c in reversed(pair)]
        numbers = one(key["vk_alpha_1"])
        for name in ("beta", "gamma", "delta"):
            numbers += two(key[f"vk_{name}_2"])
        for point in key["IC"]:
            numbers += one(point)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise Refused("SN-10", "a key that is none") from None
    require(curve is not None, "SN-10", "over another curve")
    size = 32 if curve == "BN254" else 48
    require(all(0 <= number < 1 << 8 * size for number in numbers), "SN-2", "a coordinate that is not reduced")
    data = len(key["IC"]).to_bytes(4, "little") + b"".join(number.to_bytes(size, "big") for number in numbers)
    return curve, digest("snark/groth16/key/v1", curve.encode() + data).hex()


def _key(data):
    """System, curve, digest."""
    head = {b"gm17vk\0\0\1\0": ("gm17", "gm17"), b"sonicvk\0\2\0": ("sonic", "sonic"),
            b"sonicuvk\1\0": ("sonic-unhelped", "sonic-unhelped")}.get(data[8:18])
    if data[:8] != b"SUBROSA\0" or head is None:
        return "groth16", *_key_of_json(data)
    system, name = head
    reader = Reader(data[18:])
    pairing = reader.text("pairing", 32)
    require(pairing in ("BN254", "BLS12-381"), "SN-10", "over another curve")
    return system, pairing, digest(f"snark/{name}/key/v1", pairing.encode() + data[18 + reader.at:]).hex()


def check_proofs(objects, claim):
    """The claim `snark-proof`."""
    stated = claim["statement"]
    require(isinstance(stated, dict), "SN-12", "the statement is no object")
    public, names = stated.get("public"), stated.get("names")
    [key], proofs, circuit = objects["key"], objects["proof"], objects["circuit"]
    _named(public, names)
    require(len(public) == len(proofs), "SN-9", "another number of proofs than lists of public inputs")
    for role, limit in LIMITS.items():
        require(all(len(one) <= limit for one in objects[role]), "CB-11", f"{role} is over the limit")
    system, curve, name = _key(key)
    require(bool(circuit) == (system == "sonic"), "SN-10", "a circuit that verifies nothing, or none")
    if curve != "BN254" or system == "sonic-unhelped":
        raise NotChecked(f"{system} over {curve}")
    verify = {"groth16": groth16, "gm17": gm17, "sonic": lambda *files: sonic(circuit[0], *files)}[system]
    for proof, values in zip(proofs, public):
        found = verify(key, json.dumps(values), proof)
    own = found["circuit"] if system == "sonic" else None
    require_stated(claim, {"system": system, "curve": curve, "key": name, "circuit": own, "public": public, "names": names})
