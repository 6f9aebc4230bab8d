"""Files of ceremonies over BN254, and equations about them: docs/spec/ceremony.md, docs/formats/foreign.md."""

import hashlib
import secrets

from .encoding import NotChecked
from .bn254 import FROBENIUS_X, FROBENIUS_Y, G, H, ORDER, P, Field1, Field2, Point, combine, inv2, mul2, neutral, sqrt2
from .encoding import Reader, require

RADIX = pow(2**256, -1, P)
X = 4965661367192848881
BLS_PRIME = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab


def blake(*parts):
    return hashlib.blake2b(b"".join(parts)).digest()


def framed(*parts):
    return b"".join(len(part).to_bytes(4, "little") + part for part in parts)


class Container:
    """`CE-28`."""

    def __init__(self, data, magic):
        reader = Reader(data)
        require(reader.take(4) == magic and reader.integer(4, "version") == 1, "CE-28", "another file")
        self.magic, self.sections = magic, {}
        for _ in range(reader.count("sections", 1024)):
            kind, length = reader.integer(4, "section"), reader.integer(8, "length")
            require(kind not in self.sections, "CE-28", f"section {kind} is there twice")
            self.sections[kind] = reader.take(length)
        reader.finish()

    def section(self, kind, *lengths):
        require(kind in self.sections, "CE-28", f"section {kind} is missing")
        data = self.sections[kind]
        require(not lengths or len(data) in lengths, "CE-28", f"section {kind} has another length")
        return data

    def digest(self):
        domain = b"ceremony/input/sections"
        out = len(domain).to_bytes(8, "little") + domain + self.magic + len(self.sections).to_bytes(8, "little")
        for kind in sorted(self.sections):
            data = self.sections[kind]
            out += kind.to_bytes(4, "little") + len(data).to_bytes(8, "little") + data
        return hashlib.sha256(out).hexdigest()


def base(reader):
    """The prime of coordinates: that of BN254, here."""
    prime = int.from_bytes(reader.bytes("prime", 64), "little")
    if prime == BLS_PRIME:
        raise NotChecked("a ceremony over BLS12-381")
    require(prime == P, "CE-28", "over another curve")


def width(field):
    return 64 if field is Field1 else 128


def point(field, data, neutral_allowed=False):
    """A point in Montgomery form (`CE-1`)."""
    numbers = [int.from_bytes(data[i:i + 32], "little") for i in range(0, len(data), 32)]
    require(all(number < P for number in numbers), "CE-1", "a coordinate that is not reduced")
    if not any(numbers):
        require(neutral_allowed, "CE-1", "a point is neutral")
        return Point(field, None)
    numbers = [number * RADIX % P for number in numbers]
    half = len(numbers) // 2
    out = Point(field, (field.join(numbers[:half]), field.join(numbers[half:])))
    require(out.in_group(), "CE-1", "not a point of the group")
    return out


def points(field, data, neutral_allowed=False):
    size = width(field)
    return [point(field, data[i:i + size], neutral_allowed) for i in range(0, len(data), size)]


def uncompressed(one):
    """As snarkjs hashes it."""
    if one.at is None:
        return bytes(width(one.field))
    return b"".join(part.to_bytes(32, "big") for coordinate in one.at for part in one.field.split(coordinate)[::-1])


def total(field, scalars, bases):
    """The sum of multiples, with one doubling for all."""
    out = Point(field, None)
    for bit in range(max((scalar.bit_length() for scalar in scalars), default=0) - 1, -1, -1):
        out = out + out
        for scalar, one in zip(scalars, bases):
            if scalar >> bit & 1:
                out = out + one
    return out


def weights(count):
    return [secrets.randbits(128) for _ in range(count)]


class Equations:
    """Equations `(a, b) ~ (c, d)`, with random weights."""

    def __init__(self):
        self.pairs = []

    def same_ratio(self, one, two):
        (a, b), (c, d), weight = one, two, secrets.randbits(128)
        self.pairs += [(a * weight, d), (-b * weight, c)]

    def check(self, check, what):
        require(neutral(combine(self.pairs)), check, what)


# Hashing to G2: RFC 9380, section 5.2 and appendix F.1.

DST = b"SUBROSA-V01-CS01-with-BN254G2_XMD:SHA-256_SVDW_RO_"


def _expand(label, length):
    suffix = DST + bytes([len(DST)])
    seed = hashlib.sha256(bytes(64) + label + length.to_bytes(2, "big") + b"\0" + suffix).digest()
    out, block = b"", bytes(32)
    for i in range(1, length // 32 + 1):
        block = hashlib.sha256(bytes(a ^ b for a, b in zip(seed, block)) + bytes([i]) + suffix).digest()
        out += block
    return out


def _curve(x):
    f = Field2
    return f.add(f.mul(x, f.mul(x, x)), f.B)


def _parity(x):
    return x[0] & 1 if x[0] else x[1] & 1


def _root(x):
    root = sqrt2(x)
    return root if root is not None and None not in root and mul2(root, root) == x else None


def _small(n):
    return (n % P, 0)


def _map(u):
    f = Field2
    c1 = _curve(_small(1))
    c3 = _root(mul2(f.neg(c1), _small(3)))
    c3 = f.neg(c3) if _parity(c3) else c3
    c4 = mul2(mul2(_small(-4), c1), inv2(_small(3)))
    t = mul2(mul2(u, u), c1)
    minus, plus = f.add(_small(1), f.neg(t)), f.add(_small(1), t)
    product = mul2(minus, plus)
    inverse = inv2(product) if product != (0, 0) else (0, 0)
    offset = mul2(mul2(mul2(u, minus), inverse), c3)
    c2 = f.neg(inv2(_small(2)))
    square = mul2(mul2(plus, plus), inverse)
    x3 = f.add(mul2(mul2(square, square), c4), _small(1))
    for x in (f.add(c2, f.neg(offset)), f.add(c2, offset), x3):
        y = _root(_curve(x))
        if y is not None:
            return Point(f, (x, y if _parity(y) == _parity(u) else f.neg(y)))
    raise AssertionError("one of the three is on the curve")


def _psi(one):
    if one.at is None:
        return one
    conjugated = [(part[0], -part[1] % P) for part in one.at]
    return Point(Field2, (mul2(conjugated[0], FROBENIUS_X), mul2(conjugated[1], FROBENIUS_Y)))


def hash_to_g2(label):
    uniform = _expand(label, 192)
    numbers = [int.from_bytes(uniform[i:i + 48], "big") % P for i in range(0, 192, 48)]
    one = _map(tuple(numbers[:2])) + _map(tuple(numbers[2:]))
    multiple = one.times(X)
    inner = _psi(multiple + _psi(one))
    return multiple + _psi(multiple + multiple + multiple + inner)


GENERATORS = (G, H)
ROOT = pow(5, (ORDER - 1) >> 28, ORDER)


def root_of_unity(log):
    return pow(ROOT, 1 << 28 - log, ORDER)
