"""Bytes in: docs/spec/conventions.md."""

from . import ristretto


class Refused(Exception):
    """A check of the specification that fails."""

    def __init__(self, check, reason):
        super().__init__(f"{check}: {reason}")
        self.check = check


class NotChecked(Exception):
    """Something that this checker has no vector for."""


def require(holds, check, reason):
    if not holds:
        raise Refused(check, reason)


class Reader:
    """A cursor over bytes that nobody vouches for. It can note what stands where, for making mutants."""

    def __init__(self, data, notes=None):
        self.data, self.at, self.notes = data, 0, notes

    def take(self, length, name="bytes", kind="bytes"):
        require(length <= len(self.data) - self.at, "CV-1", f"{name}: the bytes end too early")
        start, self.at = self.at, self.at + length
        if self.notes is not None and length:
            self.notes.append((name, kind, start, length))
        return self.data[start:self.at]

    def integer(self, size, name):
        return int.from_bytes(self.take(size, name, "integer"), "little")

    def count(self, name, limit):
        got = self.integer(4, name)
        require(got <= limit, "CV-2", f"{name}: {got} is over the limit of {limit}")
        return got

    def bytes(self, name, limit):
        return self.take(self.count(f"length of {name}", limit), name)

    def text(self, name, limit):
        try:
            return self.bytes(name, limit).decode()
        except UnicodeDecodeError:
            raise Refused("CV-3", f"{name}: not UTF-8") from None

    def header(self, kind, version):
        expected = b"SUBROSA\0" + kind.encode().ljust(8, b"\0") + version.to_bytes(2, "little")
        require(self.take(18, "header") == expected, "CV-5", f"not a file `{kind}` of version {version}")

    def point(self, name):
        point = ristretto.decode(self.take(32, name, "point"))
        require(point is not None, "CV-6", f"{name}: not a canonical point")
        return point

    def scalar(self, name):
        scalar = int.from_bytes(self.take(32, name, "scalar"), "little")
        require(scalar < ristretto.ORDER, "CV-6", f"{name}: not a reduced scalar")
        return scalar

    def points(self, name, n):
        # Nothing is reserved by a count that the bytes cannot bear out.
        require(32 * n <= len(self.data) - self.at, "CV-1", f"{name}: the bytes end too early")
        return [self.point(f"{name}_{i + 1}") for i in range(n)]

    def scalars(self, name, n):
        require(32 * n <= len(self.data) - self.at, "CV-1", f"{name}: the bytes end too early")
        return [self.scalar(f"{name}_{i + 1}") for i in range(n)]

    def finish(self):
        require(self.at == len(self.data), "CV-1", "bytes follow the value")
