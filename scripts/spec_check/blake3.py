"""BLAKE3 with key derivation, and keyed for short inputs, from its specification."""

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
CHUNK_START, CHUNK_END, PARENT, ROOT, KEYED_HASH, DERIVE_CONTEXT, DERIVE_MATERIAL = 1, 2, 4, 8, 16, 32, 64
MASK = 0xFFFFFFFF


def _compress(chain, words, counter, length, flags):
    v = [*chain[:8], *IV[:4], counter & MASK, counter >> 32, length, flags]

    def mix(a, b, c, d, x, y):
        for word, first, second in ((x, 16, 12), (y, 8, 7)):
            v[a] = (v[a] + v[b] + word) & MASK
            v[d] = _rotate(v[d] ^ v[a], first)
            v[c] = (v[c] + v[d]) & MASK
            v[b] = _rotate(v[b] ^ v[c], second)

    for _ in range(7):
        mix(0, 4, 8, 12, words[0], words[1])
        mix(1, 5, 9, 13, words[2], words[3])
        mix(2, 6, 10, 14, words[4], words[5])
        mix(3, 7, 11, 15, words[6], words[7])
        mix(0, 5, 10, 15, words[8], words[9])
        mix(1, 6, 11, 12, words[10], words[11])
        mix(2, 7, 8, 13, words[12], words[13])
        mix(3, 4, 9, 14, words[14], words[15])
        words = [words[i] for i in PERMUTATION]
    return tuple(v[i] ^ v[i + 8] for i in range(8)) + tuple(v[i + 8] ^ chain[i] for i in range(8))


def _rotate(x, n):
    return (x >> n | x << (32 - n)) & MASK


def _words(data):
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def _chunk(data, key, counter, flags, is_root):
    blocks = [data[i:i + 64] for i in range(0, len(data), 64)] or [b""]
    chain = key
    for index, block in enumerate(blocks):
        own = flags | (CHUNK_START if index == 0 else 0)
        if index == len(blocks) - 1:
            own |= CHUNK_END | (ROOT if is_root else 0)
        chain = _compress(chain, _words(block.ljust(64, b"\0")), counter, len(block), own)
    return chain


def _tree(data, key, counter, flags, is_root):
    if len(data) <= 1024:
        return _chunk(data, key, counter, flags, is_root)
    # The left side is the largest power of two of whole chunks that leaves something for the right one.
    chunks = (len(data) - 1) // 1024
    left = 1 << (chunks.bit_length() - 1)
    words = [
        *_tree(data[:1024 * left], key, counter, flags, False)[:8],
        *_tree(data[1024 * left:], key, counter + left, flags, False)[:8],
    ]
    return _compress(key, words, 0, 64, flags | PARENT | (ROOT if is_root else 0))


def derive_key(context, data):
    """32 bytes of key derivation."""
    key = _tree(context.encode(), IV, 0, DERIVE_CONTEXT, True)
    return _bytes(_tree(data, key, 0, DERIVE_MATERIAL, True)[:8])


def keyed(key, data):
    """The first 64 bytes of a keyed hash."""
    return _bytes(_tree(data, _words(key), 0, KEYED_HASH, True))


def _bytes(words):
    return b"".join(word.to_bytes(4, "little") for word in words)
