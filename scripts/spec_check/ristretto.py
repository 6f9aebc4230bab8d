"""ristretto255 (RFC 9496) and Ed25519's verification (RFC 8032), in variable time: for public data only."""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def _negative(x):
    return x & 1


def _abs(x):
    return P - x if _negative(x) else x


def _sqrt_ratio(u, v):
    """SQRT_RATIO_M1 of RFC 9496, section 4.2."""
    r = u * pow(v, 3, P) % P * pow(u * pow(v, 7, P) % P, (P - 5) // 8, P) % P
    check = v * r * r % P
    u %= P
    correct, flipped = check == u, check == -u % P
    flipped_i = check == -u * SQRT_M1 % P
    if flipped or flipped_i:
        r = r * SQRT_M1 % P
    return correct or flipped, _abs(r)


INVSQRT_A_MINUS_D = _sqrt_ratio(1, -1 - D)[1]
ONE_MINUS_D_SQ = (1 - D * D) % P
D_MINUS_ONE_SQ = (D - 1) ** 2 % P
# The sign that RFC 9496 gives as a constant.
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235
assert SQRT_AD_MINUS_ONE**2 % P == (-D - 1) % P


class Point:
    """A point of the curve in extended coordinates; equality is that of ristretto255."""

    __slots__ = ("x", "y", "z", "t")

    def __init__(self, x, y, z, t):
        self.x, self.y, self.z, self.t = x, y, z, t

    def __add__(self, other):
        a = (self.y - self.x) * (other.y - other.x) % P
        b = (self.y + self.x) * (other.y + other.x) % P
        c = 2 * self.t * other.t % P * D % P
        d = 2 * self.z * other.z % P
        e, f, g, h = b - a, d - c, d + c, b + a
        return Point(e * f % P, g * h % P, f * g % P, e * h % P)

    def __neg__(self):
        return Point(-self.x % P, self.y, self.z, -self.t % P)

    def __sub__(self, other):
        return self + -other

    def double(self):
        a, b, c = self.x * self.x % P, self.y * self.y % P, 2 * self.z * self.z % P
        e = (self.x + self.y) ** 2 % P - a - b
        g, h = b - a, -a - b
        f = g - c
        return Point(e * f % P, g * h % P, f * g % P, e * h % P)

    def __mul__(self, scalar):
        return multiply([scalar], [self])

    def __eq__(self, other):
        return (self.x * other.y - self.y * other.x) % P == 0 or (
            self.y * other.y - self.x * other.x
        ) % P == 0

    def is_identity(self):
        return self == IDENTITY

    def encode(self):
        u1 = (self.z + self.y) * (self.z - self.y) % P
        u2 = self.x * self.y % P
        inverse = _sqrt_ratio(1, u1 * u2 * u2)[1]
        den1, den2 = inverse * u1 % P, inverse * u2 % P
        z_inverse = den1 * den2 * self.t % P
        x, y, den = self.x, self.y, den2
        if _negative(self.t * z_inverse % P):
            x, y = self.y * SQRT_M1 % P, self.x * SQRT_M1 % P
            den = den1 * INVSQRT_A_MINUS_D % P
        if _negative(x * z_inverse % P):
            y = -y
        return _abs((self.z - y) * den % P).to_bytes(32, "little")


IDENTITY = Point(0, 1, 1, 0)


def decode(data):
    """The point of 32 bytes; None if they are not a canonical encoding."""
    s = int.from_bytes(data, "little")
    if len(data) != 32 or s >= P or _negative(s):
        return None
    ss = s * s % P
    u1, u2 = (1 - ss) % P, (1 + ss) % P
    u2_squared = u2 * u2 % P
    v = (-(D * u1 * u1) - u2_squared) % P
    was_square, inverse = _sqrt_ratio(1, v * u2_squared)
    den_x = inverse * u2 % P
    den_y = inverse * den_x * v % P
    x = _abs(2 * s * den_x % P)
    y = u1 * den_y % P
    t = x * y % P
    return None if not was_square or _negative(t) or y == 0 else Point(x, y, 1, t)


def _map(data):
    """MAP of RFC 9496, section 4.3.4."""
    t = (int.from_bytes(data, "little") & (2**255 - 1)) % P
    r = SQRT_M1 * t * t % P
    u = (r + 1) * ONE_MINUS_D_SQ % P
    v = (-1 - r * D) * (r + D) % P
    was_square, s = _sqrt_ratio(u, v)
    s, c = (s, -1) if was_square else (-_abs(s * t % P), r)
    n = c * (r - 1) * D_MINUS_ONE_SQ - v
    w0, w1 = 2 * s * v, n * SQRT_AD_MINUS_ONE
    w2, w3 = 1 - s * s, 1 + s * s
    return Point(w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P)


def one_way_map(data):
    """The point of 64 bytes, section 4.3.4."""
    return _map(data[:32]) + _map(data[32:])


def hash_to_group(label):
    return one_way_map(hashlib.sha512(label).digest())


GENERATOR = decode(bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"))


def multiply(scalars, points):
    """`sum scalars_i · points_i`, four bits at a time."""
    rows = []
    for scalar, point in zip(scalars, points, strict=True):
        multiples = [IDENTITY, point]
        for _ in range(14):
            multiples.append(multiples[-1] + point)
        rows.append((scalar % ORDER, multiples))
    total = IDENTITY
    for shift in range(252, -1, -4):
        total = total.double().double().double().double()
        for scalar, multiples in rows:
            digit = scalar >> shift & 15
            total = total + multiples[digit] if digit else total
    return total
