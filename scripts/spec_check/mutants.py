"""Wrong files made from right ones: decoded, changed in one field, encoded again."""

from . import ristretto
from .ristretto import GENERATOR, ORDER


def _other(kind, data):
    """The field with another value of its kind."""
    match kind:
        case "point":
            return (ristretto.decode(data) + GENERATOR).encode()
        case "scalar":
            return ((int.from_bytes(data, "little") + 1) % ORDER).to_bytes(32, "little")
        case "integer":
            return ((int.from_bytes(data, "little") + 1) % 256 ** len(data)).to_bytes(len(data), "little")
        case _:
            return bytes([data[0] ^ 1]) + data[1:]


def _misspelt(kind, data):
    """The field's value with another spelling; None if its kind has no other."""
    match kind:
        case "point":
            return bytes([data[0] ^ 1]) + data[1:]
        case "scalar":
            return (int.from_bytes(data, "little") + ORDER).to_bytes(32, "little")
        case _:
            return None


def mutants(data, notes):
    """The name, the manner, the field and the bytes of wrong files, two for each noted field and three of the length."""
    for name, kind, start, length in notes:
        field = data[start:start + length]
        for what, changed in (("another value", _other(kind, field)), ("misspelt", _misspelt(kind, field))):
            if changed is not None:
                yield f"{name}, {what}", what, name, data[:start] + changed + data[start + length:]
    yield "one byte less", "length", "", data[:-1]
    yield "one byte more", "length", "", data + b"\0"
    yield "nothing", "length", "", b""
