"""Bulletproofs+: docs/spec/table-audit.md, "Range proofs"."""

import hashlib

from . import ristretto
from .encoding import Reader, require
from .ristretto import ORDER, multiply

G = ristretto.hash_to_group(b"subrosa/table/v1/G")
H = ristretto.hash_to_group(b"subrosa/table/v1/H")
_generators = {}


def _generator_list(letter, bits, count):
    known = (letter, bits, count)
    if known not in _generators:
        points = []
        for j in range(count):
            stream = hashlib.shake_256(b"GeneratorsChain" + letter + j.to_bytes(4, "little")).digest(64 * bits)
            points += [ristretto.one_way_map(stream[64 * i:64 * i + 64]) for i in range(bits)]
        _generators[known] = points
    return _generators[known]


def length(bits, statements):
    rounds = (bits * (1 << (statements - 1).bit_length())).bit_length() - 1
    return 1 + 32 * (2 * rounds + 6)


def _inverse(x):
    return pow(x, ORDER - 2, ORDER)


def verify(transcript, bits, statements, proof, check):
    """TC-5; the transcript has absorbed what the statements depend on."""
    require(len(proof) == length(bits, len(statements)) and proof[0] == 1, check, "a range proof of another form")
    count = 1 << (len(statements) - 1).bit_length()
    n, rounds = bits * count, (bits * count).bit_length() - 1
    points = statements + [ristretto.IDENTITY] * (count - len(statements))
    reader = Reader(proof[1:])
    d1, a, a1, b = reader.scalar("d1"), reader.point("A"), reader.point("A1"), reader.point("B")
    r1, s1 = reader.scalar("r1"), reader.scalar("s1")
    folds = [(reader.point("L"), reader.point("R")) for _ in range(rounds)]
    require(not any(p.is_identity() for p in (a, a1, b, *sum(folds, ()))), check, "a neutral point")

    transcript.absorb("dom-sep", b"Bulletproofs+ Range Proof")
    transcript.absorb("H", G.encode())
    transcript.absorb("G", H.encode())
    for label, number in (("N", bits), ("T", 1), ("M", count)):
        transcript.absorb(label, number)
    for point in points:
        transcript.absorb("Ci", point.encode())
    for _ in points:
        transcript.absorb("vi - minimum_value", 0)
    transcript.absorb("A", a.encode())
    y, z = transcript.wide("y"), transcript.wide("z")
    challenges = []
    for left, right in folds:
        transcript.absorb("L", left.encode())
        transcript.absorb("R", right.encode())
        challenges.append(transcript.wide("e"))
    transcript.absorb("A1", a1.encode())
    transcript.absorb("B", b.encode())
    e = transcript.wide("e")
    require(all((y, z, e, *challenges)), check, "a challenge is zero")

    inverses, y_inverse, squared = [_inverse(c) for c in challenges], _inverse(y), e * e % ORDER
    s = [1]
    for inverse in inverses:
        s[0] = s[0] * inverse % ORDER
    for i in range(1, n):
        t = i.bit_length() - 1
        s.append(s[i - (1 << t)] * challenges[rounds - t - 1] ** 2 % ORDER)
    of_g = [(r1 * e * pow(y_inverse, i, ORDER) * s[i] + squared * z) % ORDER for i in range(n)]
    d = [pow(z, 2 * (i // bits + 1), ORDER) * 2 ** (i % bits) % ORDER for i in range(n)]
    of_h = [(s1 * e * s[n - 1 - i] - squared * d[i] * pow(y, n - i, ORDER) - squared * z) % ORDER for i in range(n)]
    top = pow(y, n + 1, ORDER)
    evens = [pow(z, 2 * (j + 1), ORDER) for j in range(count)]
    value = r1 * y * s1 + squared * (
        top * z * (2**bits - 1) * sum(evens) + (z * z - z) * sum(pow(y, i, ORDER) for i in range(1, n + 1)))
    scalars = of_g + of_h + [-squared * top * even for even in evens] + [value, d1, -e, -1, -squared]
    bases = _generator_list(b"G", bits, count) + _generator_list(b"H", bits, count) + points + [G, H, a1, b, a]
    for (left, right), c, inverse in zip(folds, challenges, inverses):
        scalars += [-squared * c * c, -squared * inverse * inverse]
        bases += [left, right]
    require(multiply(scalars, bases).is_identity(), check, "a range proof is false")
