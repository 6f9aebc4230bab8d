"""The transcript: docs/spec/conventions.md, "The transcript"."""

from .ristretto import ORDER

MASK = 2**64 - 1
R = 166


def _rotate(x, n):
    return (x << n | x >> (64 - n)) & MASK if n else x


def _round_constants():
    lfsr = 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            if lfsr & 1:
                constant |= 1 << (2**j - 1)
            lfsr = lfsr << 1 ^ (0x171 if lfsr & 0x80 else 0)
        yield constant


ROUND_CONSTANTS = list(_round_constants())


def keccak(state):
    """Keccak-f[1600] of FIPS 202, on 200 bytes."""
    lane = lambda x, y: 8 * (x + 5 * y)
    a = {(x, y): int.from_bytes(state[lane(x, y):lane(x, y) + 8], "little") for x in range(5) for y in range(5)}
    for constant in ROUND_CONSTANTS:
        c = [a[x, 0] ^ a[x, 1] ^ a[x, 2] ^ a[x, 3] ^ a[x, 4] for x in range(5)]
        d = [c[(x - 1) % 5] ^ _rotate(c[(x + 1) % 5], 1) for x in range(5)]
        a = {(x, y): value ^ d[x] for (x, y), value in a.items()}
        x, y, current = 1, 0, a[1, 0]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            current, a[x, y] = a[x, y], _rotate(current, (t + 1) * (t + 2) // 2 % 64)
        a = {(x, y): a[x, y] ^ (~a[(x + 1) % 5, y] & MASK & a[(x + 2) % 5, y]) for (x, y) in a}
        a[0, 0] ^= constant
    out = bytearray(200)
    for (x, y), value in a.items():
        out[lane(x, y):lane(x, y) + 8] = value.to_bytes(8, "little")
    return out


class Transcript:
    def __init__(self, name):
        state = bytearray(200)
        state[:6] = bytes([0x01, 0xA8, 0x01, 0x00, 0x01, 0x60])
        state[6:18] = b"STROBEv1.0.2"
        self.state, self.pos, self.begin = keccak(state), 0, 0
        self._meta(b"Merlin v1.0")
        self.absorb("dom-sep", name.encode())

    def copy(self):
        other = object.__new__(Transcript)
        other.state, other.pos, other.begin = bytearray(self.state), self.pos, self.begin
        return other

    def absorb(self, label, data):
        data = data.to_bytes(8, "little") if isinstance(data, int) else data
        self._meta(label.encode() + len(data).to_bytes(4, "little"))
        self._operate(0x02)
        self._absorb(data)

    def squeeze(self, label, length):
        self._meta(label.encode() + length.to_bytes(4, "little"))
        self._operate(0x07)
        out = bytearray()
        for _ in range(length):
            out.append(self.state[self.pos])
            self.state[self.pos] = 0
            self._advance()
        return bytes(out)

    def wides(self, label, count):
        data = self.squeeze(label, 64 * count)
        return [int.from_bytes(data[i:i + 64], "little") % ORDER for i in range(0, len(data), 64)]

    def wide(self, label):
        return self.wides(label, 1)[0]

    def shorts(self, label, count):
        data = self.squeeze(label, 16 * count)
        return [int.from_bytes(data[i:i + 16], "little") for i in range(0, len(data), 16)]

    def _meta(self, data):
        self._operate(0x12)
        self._absorb(data)

    def _operate(self, flags):
        old, self.begin = self.begin, self.pos + 1
        self._absorb(bytes([old, flags]))
        if flags & 0x04 and self.pos != 0:
            self._permute()

    def _absorb(self, data):
        for byte in data:
            self.state[self.pos] ^= byte
            self._advance()

    def _advance(self):
        self.pos += 1
        if self.pos == R:
            self._permute()

    def _permute(self):
        self.state[self.pos] ^= self.begin
        self.state[self.pos + 1] ^= 0x04
        self.state[R + 1] ^= 0x80
        self.state, self.pos, self.begin = keccak(self.state), 0, 0
