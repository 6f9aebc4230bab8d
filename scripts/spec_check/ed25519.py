"""Ed25519, verified strictly: docs/spec/table.md. Signing is for making vectors wrong; it hides nothing."""

import hashlib

from .ristretto import D, IDENTITY, ORDER, P, SQRT_M1, Point, multiply

BASE_Y = 4 * pow(5, P - 2, P) % P


def _decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * SQRT_M1 % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return Point(x, y, 1, x * y % P)


def _compress(point):
    inverse = pow(point.z, P - 2, P)
    x, y = point.x * inverse % P, point.y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _is_small(point):
    eighth = point.double().double().double()
    return eighth.x == 0 and (eighth.y - eighth.z) % P == 0


BASE = _decompress((BASE_Y).to_bytes(32, "little"))
assert not _is_small(BASE) and not _is_small(BASE + IDENTITY)


def is_key(key):
    point = _decompress(key)
    return point is not None and not _is_small(point)


def verify(key, message, signature):
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    a, r_point = _decompress(key), _decompress(r)
    if len(signature) != 64 or a is None or r_point is None or s >= ORDER or _is_small(a) or _is_small(r_point):
        return False
    k = int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % ORDER
    return _compress(multiply([s, k], [BASE, -a])) == r


def sign(seed, message):
    """Ed25519, RFC 8032: the signature, and the public key."""
    half = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(half[:32], "little") & (1 << 254) - 8 | 1 << 254
    public = _compress(multiply([scalar % ORDER], [BASE]))
    nonce = int.from_bytes(hashlib.sha512(half[32:] + message).digest(), "little") % ORDER
    commitment = _compress(multiply([nonce], [BASE]))
    challenge = int.from_bytes(hashlib.sha512(commitment + public + message).digest(), "little")
    return commitment + ((nonce + challenge * scalar) % ORDER).to_bytes(32, "little"), public


def verify_in_domain(key, domain, data, signature):
    return verify(key, domain.encode() + digest(domain, data), signature)


def digest(domain, data):
    """The digest of docs/spec/conventions.md."""
    return hashlib.sha256(len(domain).to_bytes(8, "little") + domain.encode() + data).digest()
