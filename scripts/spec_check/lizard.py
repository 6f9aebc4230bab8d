"""Messages in points of ristretto255: docs/spec/conventions.md, "ristretto255"."""

import hashlib

from . import ristretto
from .ristretto import D, P, SQRT_M1

K = (1 - D * D) % P


def _square_root(x):
    was_square, root = ristretto._sqrt_ratio(x % P, 1)
    return root if was_square else None


def _roots(a, b, c):
    """Of a·r² + b·r + c."""
    if a % P == 0:
        return [] if b % P == 0 else [-c * pow(b, -1, P) % P]
    root = _square_root(b * b - 4 * a * c)
    return [] if root is None else [(-b + sign * root) * pow(2 * a, -1, P) % P for sign in (1, -1)]


def _preimages(point):
    """All non-negative field elements that MAP takes to a point."""
    inverse = pow(point.z, -1, P)
    x, y = point.x * inverse % P, point.y * inverse % P
    found = set()
    # The point may be any of its coset; with y = (1 − s²)/(1 + s²) each gives s².
    for y_of_coset in (y, -y, SQRT_M1 * x, -SQRT_M1 * x):
        if (1 + y_of_coset) % P == 0:
            continue
        ss = (1 - y_of_coset) * pow(1 + y_of_coset, -1, P) % P
        # s² = u/v where that is a square, r·u/v elsewhere; both are quadratic in r = i·t².
        linear = -(1 + D * D) * ss - K
        for r in _roots(-D * ss, linear, -D * ss - K) + _roots(-D * ss - K, linear, -D * ss):
            t = _square_root(-SQRT_M1 * r)
            if t is not None and ristretto._map(t.to_bytes(32, "little")) == point:
                found.add(t)
    return found


def encode(message):
    """The point that carries 16 bytes."""
    data = bytearray(hashlib.sha256(message).digest())
    data[8:24] = message
    data[0] &= 0xFE
    data[31] &= 0x3F
    return ristretto._map(bytes(data))


def decode(point):
    """The 16 bytes of a point; None if it carries no message."""
    messages = []
    for element in _preimages(point):
        data = element.to_bytes(32, "little")
        expected = bytearray(hashlib.sha256(data[8:24]).digest())
        expected[8:24] = data[8:24]
        expected[0] &= 0xFE
        expected[31] &= 0x3F
        if data == bytes(expected):
            messages.append(data[8:24])
    return messages[0] if len(messages) == 1 else None
