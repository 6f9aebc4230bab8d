"""ChaCha20-Poly1305 with the nonce 0 (RFC 8439), and HKDF with SHA-256 (RFC 5869) for a key of 32 bytes."""

import hashlib
import hmac

PRIME = (1 << 130) - 5


def _quarter(state, a, b, c, d):
    for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[x] = state[x] + state[y] & 0xFFFFFFFF
        mixed = state[z] ^ state[x]
        state[z] = (mixed << turn | mixed >> 32 - turn) & 0xFFFFFFFF


def keystream(key, length):
    """ChaCha20 from block 0."""
    words, stream = [int.from_bytes(key[4 * i:4 * i + 4], "little") for i in range(8)], b""
    while len(stream) < length:
        constants = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574]
        start = [*constants, *words, len(stream) // 64, 0, 0, 0]
        state = list(start)
        for _ in range(10):
            for column in range(4):
                _quarter(state, column, column + 4, column + 8, column + 12)
            for row in range(4):
                _quarter(state, row, 4 + (row + 1) % 4, 8 + (row + 2) % 4, 12 + (row + 3) % 4)
        stream += b"".join((x + y & 0xFFFFFFFF).to_bytes(4, "little") for x, y in zip(state, start))
    return stream[:length]


def hkdf(secret, info):
    """Without a salt."""
    key = hmac.digest(bytes(32), secret, hashlib.sha256)
    return hmac.digest(key, info + b"\1", hashlib.sha256)


def _padded(data):
    return data + bytes(-len(data) % 16)


def tag(key, data, sealed):
    """Poly1305 of associated data and ciphertext."""
    once = keystream(key, 32)
    r, s = int.from_bytes(once[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF, int.from_bytes(once[16:], "little")
    text = _padded(data) + _padded(sealed) + len(data).to_bytes(8, "little") + len(sealed).to_bytes(8, "little")
    total = 0
    for at in range(0, len(text), 16):
        total = (total + int.from_bytes(text[at:at + 16] + b"\1", "little")) * r % PRIME
    return (total + s & (1 << 128) - 1).to_bytes(16, "little")


def open_sealed(key, data, sealed):
    """The plaintext; None if the tag is another."""
    body, own = sealed[:-16], sealed[-16:]
    if tag(key, data, body) != own:
        return None
    return bytes(a ^ b for a, b in zip(body, keystream(key, 64 + len(body))[64:]))
