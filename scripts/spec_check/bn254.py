"""BN254 and its pairing, by hand and slowly: docs/spec/conventions.md."""

P = 21888242871839275222246405745257275088696311157297823662689037894645226208583
ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617
LOOP = 29793968203157093288


# The quadratic extension: pairs (a, b) for a + b·u, u² = -1.

def mul2(x, y):
    return ((x[0] * y[0] - x[1] * y[1]) % P, (x[0] * y[1] + x[1] * y[0]) % P)


def inv2(x):
    n = pow(x[0] * x[0] + x[1] * x[1], -1, P)
    return (x[0] * n % P, -x[1] * n % P)


def pow2(x, e):
    out = (1, 0)
    while e:
        if e & 1:
            out = mul2(out, x)
        x, e = mul2(x, x), e >> 1
    return out


def sqrt1(x):
    root = pow(x, (P + 1) // 4, P)
    return root if root * root % P == x % P else None


def sqrt2(x):
    if x[1] == 0:
        root = sqrt1(x[0])
        return (root, 0) if root is not None else (0, sqrt1(-x[0] % P))
    norm = sqrt1((x[0] * x[0] + x[1] * x[1]) % P)
    if norm is None:
        return None
    half = pow(2, -1, P)
    for sign in (norm, -norm):
        first = sqrt1((x[0] + sign) * half % P)
        if first:
            root = (first, x[1] * pow(2 * first, -1, P) % P)
            if mul2(root, root) == (x[0] % P, x[1] % P):
                return root
    return None


class Field1:
    B, LENGTH = 3, 32
    add = staticmethod(lambda x, y: (x + y) % P)
    mul = staticmethod(lambda x, y: x * y % P)
    neg = staticmethod(lambda x: -x % P)
    inv = staticmethod(lambda x: pow(x, -1, P))
    sqrt = staticmethod(sqrt1)
    small = staticmethod(lambda n: n % P)
    split = staticmethod(lambda x: [x])
    join = staticmethod(lambda parts: parts[0])


class Field2:
    B, LENGTH = mul2((3, 0), inv2((9, 1))), 64
    add = staticmethod(lambda x, y: ((x[0] + y[0]) % P, (x[1] + y[1]) % P))
    mul = staticmethod(mul2)
    neg = staticmethod(lambda x: (-x[0] % P, -x[1] % P))
    inv = staticmethod(inv2)
    sqrt = staticmethod(sqrt2)
    small = staticmethod(lambda n: (n % P, 0))
    split = staticmethod(list)
    join = staticmethod(tuple)


class Point:
    """Affine; `None` in the place of coordinates is the neutral element."""

    def __init__(self, field, at):
        self.field, self.at = field, at

    def __eq__(self, other):
        return self.field is other.field and self.at == other.at

    def __neg__(self):
        return self if self.at is None else Point(self.field, (self.at[0], self.field.neg(self.at[1])))

    def __add__(self, other):
        f = self.field
        if self.at is None or other.at is None:
            return other if self.at is None else self
        (x1, y1), (x2, y2) = self.at, other.at
        if x1 == x2:
            if y1 != y2 or y1 == f.small(0):
                return Point(f, None)
            slope = f.mul(f.mul(f.small(3), f.mul(x1, x1)), f.inv(f.add(y1, y1)))
        else:
            slope = f.mul(f.add(y2, f.neg(y1)), f.inv(f.add(x2, f.neg(x1))))
        x3 = f.add(f.mul(slope, slope), f.neg(f.add(x1, x2)))
        return Point(f, (x3, f.add(f.mul(slope, f.add(x1, f.neg(x3))), f.neg(y1))))

    def times(self, scalar):
        out, base = Point(self.field, None), self
        while scalar:
            if scalar & 1:
                out = out + base
            base, scalar = base + base, scalar >> 1
        return out

    def __mul__(self, scalar):
        return self.times(scalar % ORDER)

    def on_curve(self):
        f = self.field
        if self.at is None:
            return True
        x, y = self.at
        return f.mul(y, y) == f.add(f.mul(x, f.mul(x, x)), f.B)

    def in_group(self):
        return self.on_curve() and (self.field is Field1 or self.times(ORDER).at is None)

    def encode(self):
        f = self.field
        if self.at is None:
            return bytes(f.LENGTH - 1) + b"\x40"
        x, y = self.at
        out = bytearray(b"".join(part.to_bytes(32, "little") for part in f.split(x)))
        out[-1] |= 0x80 if larger(f, y) else 0
        return bytes(out)


def larger(field, y):
    return field.split(y)[::-1] > field.split(field.neg(y))[::-1]


def decode(field, data):
    """The point of an encoding; None if it is none."""
    data, flags = bytearray(data), data[-1] & 0xC0
    data[-1] &= 0x3F
    if flags & 0x40:
        return Point(field, None) if flags == 0x40 and not any(data) else None
    parts = [int.from_bytes(data[i:i + 32], "little") for i in range(0, len(data), 32)]
    if any(part >= P for part in parts):
        return None
    x = field.join(parts)
    y = field.sqrt(field.add(field.mul(x, field.mul(x, x)), field.B))
    if y is None or None in field.split(y):
        return None
    point = Point(field, (x, y))
    if larger(field, y) != (flags == 0x80):
        point = -point
    return point if point.in_group() else None


G = Point(Field1, (1, 2))
H = Point(Field2, (
    (10857046999023057135944570762232829481370756359578518086990519993285655852781,
     11559732032986387107991004021392285783925812861821192530917403151452391805634),
    (8495653923123431417604973247489272438418190587263600148770280649306958101930,
     4082367875863433681332203403145435568316851327593401208105741076214120093531)))


# The extension of degree 12: polynomials in w modulo w^12 - 18 w^6 + 82, u = w^6 - 9.

def mul12(x, y):
    out = [0] * 23
    for i, a in enumerate(x):
        if a:
            for j, b in enumerate(y):
                out[i + j] += a * b
    for i in range(22, 11, -1):
        out[i - 6] += 18 * out[i]
        out[i - 12] -= 82 * out[i]
    return [c % P for c in out[:12]]


def pow12(x, e):
    out = [1] + [0] * 11
    for bit in bin(e)[2:]:
        out = mul12(out, out)
        if bit == "1":
            out = mul12(out, x)
    return out


def _put(out, at, value):
    out[at] = (out[at] + value[0] - 9 * value[1]) % P
    out[at + 6] = (out[at + 6] + value[1]) % P


FROBENIUS_X, FROBENIUS_Y = pow2((9, 1), (P - 1) // 3), pow2((9, 1), (P - 1) // 2)


def _frobenius(point):
    x, y = point.at
    return Point(Field2, (mul2((x[0], -x[1] % P), FROBENIUS_X), mul2((y[0], -y[1] % P), FROBENIUS_Y)))


def _line(left, right, at):
    """The line through two points of G2 at a point of G1, and the sum."""
    (x1, y1), (x2, y2) = left.at, right.at
    f = Field2
    if left == right:
        slope = f.mul(f.mul((3, 0), f.mul(x1, x1)), f.inv(f.add(y1, y1)))
    else:
        slope = f.mul(f.add(y2, f.neg(y1)), f.inv(f.add(x2, f.neg(x1))))
    xp, yp = at.at
    line = [0] * 12
    _put(line, 0, (-yp % P, 0))
    _put(line, 1, (slope[0] * xp % P, slope[1] * xp % P))
    _put(line, 3, f.add(y1, f.neg(f.mul(slope, x1))))
    x3 = f.add(f.mul(slope, slope), f.neg(f.add(x1, x2)))
    return line, Point(f, (x3, f.add(f.mul(slope, f.add(x1, f.neg(x3))), f.neg(y1))))


def miller(pairs):
    """The product of Miller loops of pairs of G1 and G2."""
    pairs = [(p, q) for p, q in pairs if p.at is not None and q.at is not None]
    out, at = [1] + [0] * 11, [q for _, q in pairs]
    for bit in bin(LOOP)[3:]:
        out = mul12(out, out)
        for i, (p, q) in enumerate(pairs):
            line, at[i] = _line(at[i], at[i], p)
            out = mul12(out, line)
            if bit == "1":
                line, at[i] = _line(at[i], q, p)
                out = mul12(out, line)
    for i, (p, q) in enumerate(pairs):
        first = _frobenius(q)
        line, at[i] = _line(at[i], first, p)
        out = mul12(out, line)
        line, at[i] = _line(at[i], -_frobenius(first), p)
        out = mul12(out, line)
    return out


def pairing(pairs):
    return pow12(miller(pairs), (P**12 - 1) // ORDER)


def neutral(pairs):
    """Whether the product of pairings is one."""
    return pairing(pairs) == [1] + [0] * 11


def combine(pairs):
    """Pairs with one point of G2 each put together."""
    groups = []
    for p, q in pairs:
        for group in groups:
            if group[1] == q:
                group[0] = group[0] + p
                break
        else:
            groups.append([p, q])
    return groups
