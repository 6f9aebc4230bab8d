"""A chain of mixes: docs/spec/shuffle.md."""

from . import ristretto
from .encoding import Reader, require
from .ristretto import GENERATOR, ORDER, multiply
from .transcript import Transcript

MAX_ROWS, MAX_COLUMNS, MAX_NAME = 1 << 24, 16, 1000
GROUP = b"ristretto255"


def _head(reader, kind):
    reader.header(kind, 1)
    require(reader.text("group", 64).encode() == GROUP, "TW-1", "another group")
    return reader.point("key")


def _columns(reader):
    n, columns = reader.count("rows", MAX_ROWS), reader.count("columns", MAX_COLUMNS)
    require(columns > 0, "TW-1", "there is no column")
    return n, [[reader.points(f"column {l + 1}, component {m + 1}, row", n) for m in range(2)] for l in range(columns)]


def read_key(data, notes=None):
    reader = Reader(data, notes)
    key = _head(reader, "mixkey")
    reader.finish()
    require(not key.is_identity(), "TW-2", "the key is the neutral element")
    return key


def read_ciphertexts(data, notes=None):
    reader = Reader(data, notes)
    key = _head(reader, "mixlist")
    n, columns = _columns(reader)
    reader.finish()
    readable = any(point.is_identity() for firsts, _ in columns for point in firsts)
    require(not readable, "TW-3", "a ciphertext is readable by everyone")
    return key, n, columns


class Mix:
    """What a mixer publishes."""

    def __init__(self, data, notes=None):
        reader = Reader(data, notes)
        self.key = _head(reader, "mix")
        self.study, self.mix = reader.text("study", MAX_NAME).encode(), reader.text("mix", MAX_NAME).encode()
        self.mixer, self.position = reader.integer(4, "mixer"), reader.integer(4, "position")
        self.n, self.columns = _columns(reader)
        if self.n > 0:
            self._read_proof(reader)
        reader.finish()

    @classmethod
    def of_election(cls, reader, key, study, mixer, position):
        """An entry of a board, which leaves out what the election says already."""
        mix = cls.read(reader, key, study, b"ballots", mixer, position)
        reader.finish()
        return mix

    @classmethod
    def read(cls, reader, key, study, name, mixer, position):
        mix = object.__new__(cls)
        mix.key, mix.study, mix.mix, mix.mixer, mix.position = key, study, name, mixer, position
        mix.n, mix.columns = _columns(reader)
        if mix.n > 0:
            mix._read_proof(reader)
        return mix

    def _read_proof(self, reader):
        n, columns = self.n, len(self.columns)
        self.a = reader.points("a", n)
        self.b = reader.points("B", n)
        self.t_b = reader.points("T_B", n)
        self.t_t, self.t_k, self.t_w = (reader.point(name) for name in ("T_t", "T_k", "T_w"))
        self.z_e, self.z_s = reader.scalars("z_e", n), reader.scalars("z_s", n)
        self.z_t, self.z_k, self.z_w = (reader.scalar(name) for name in ("z_t", "z_k", "z_w"))
        self.l_t_k = reader.point("lists T_k")
        self.t_l = [[reader.point(f"lists T_l_{l + 1}, component {m + 1}") for m in range(2)] for l in range(columns)]
        self.l_z = reader.scalars("lists z", n)
        self.l_z_k = reader.scalar("lists z_k")
        self.z_u = reader.scalars("lists z_u", columns)


class Generators:
    def __init__(self, n):
        self.h = ristretto.hash_to_group(b"subrosa/tw/H")
        self.list = [
            ristretto.hash_to_group(b"subrosa/tw/H_i" + i.to_bytes(8, "little")) for i in range(1, n + 1)
        ]


def _encode(points):
    return b"".join(point.encode() for point in points)


def _scale(factor, scalars):
    return [factor * scalar % ORDER for scalar in scalars]


def verify_permutation(mix, generators):
    """TW-7 to TW-10; returns the digest of the permutation."""
    transcript = Transcript("subrosa/shuffle/tw/perm/v1")
    transcript.absorb("group", GROUP)
    transcript.absorb("generators", b"subrosa/tw/H")
    transcript.absorb("study", mix.study)
    transcript.absorb("mix", mix.mix)
    transcript.absorb("mixer", mix.mixer)
    transcript.absorb("n", mix.n)
    transcript.absorb("a", _encode(mix.a))
    digest = transcript.copy().squeeze("statement digest", 64)
    e = transcript.wides("e", mix.n)
    transcript.absorb("B", _encode(mix.b))
    transcript.absorb("T_t", mix.t_t.encode())
    transcript.absorb("T_k", mix.t_k.encode())
    transcript.absorb("T_B", _encode(mix.t_b))
    transcript.absorb("T_w", mix.t_w.encode())
    c = transcript.wide("c")

    h, who = generators.h, f"mixer {mix.mixer}"
    ones = [1] * mix.n
    row_sums = multiply(ones, mix.a) - multiply(ones, generators.list)
    require(mix.t_t == row_sums * c + h * mix.z_t, "TW-7", f"{who}: (P1)")
    opened = multiply(e, mix.a) * c + h * mix.z_k + multiply(mix.z_e, generators.list)
    require(mix.t_k == opened, "TW-8", f"{who}: (P2)")
    before = GENERATOR
    for i, (announced, b, z_s, z_e) in enumerate(zip(mix.t_b, mix.b, mix.z_s, mix.z_e)):
        require(announced == b * c + h * z_s + before * z_e, "TW-9", f"{who}: (P3), index {i}")
        before = b
    product = 1
    for factor in e:
        product = product * factor % ORDER
    expected = (mix.b[-1] - GENERATOR * product) * c + h * mix.z_w
    require(mix.t_w == expected, "TW-10", f"{who}: (P4)")
    return digest


def verify_lists(mix, before, digest, generators):
    """TW-11 and TW-12."""
    transcript = Transcript("subrosa/shuffle/tw/lists/v1")
    transcript.absorb("group", GROUP)
    transcript.absorb("generators", b"subrosa/tw/H")
    transcript.absorb("study", mix.study)
    transcript.absorb("mix", mix.mix)
    transcript.absorb("purpose", b"mix")
    transcript.absorb("mixer", mix.mixer)
    transcript.absorb("position", mix.position)
    transcript.absorb("direction", b"F")
    transcript.absorb("n", mix.n)
    transcript.absorb("columns", len(mix.columns))
    for _ in mix.columns:
        transcript.absorb("pk", mix.key.encode())
    transcript.absorb("permutation", digest)
    for taken, published in zip(before, mix.columns):
        for component in (*taken, *published):
            transcript.absorb("list", _encode(component))
    e = transcript.shorts("e", mix.n)
    transcript.absorb("T_k", mix.l_t_k.encode())
    transcript.absorb("T_l", b"".join(_encode(pair) for pair in mix.t_l))
    c = transcript.wide("c")

    who, weights = f"mixer {mix.mixer}", _scale(c, e)
    opened = multiply(weights, mix.a) + generators.h * mix.l_z_k + multiply(mix.l_z, generators.list)
    require(mix.l_t_k == opened, "TW-11", f"{who}: (L0)")
    for l, (taken, published) in enumerate(zip(before, mix.columns)):
        for m, base in enumerate((GENERATOR, mix.key)):
            expected = multiply(weights, taken[m]) - base * mix.z_u[l] + multiply(mix.l_z, published[m])
            require(mix.t_l[l][m] == expected, "TW-12", f"{who}: (L1), column {l}, component {m + 1}")


def verify_mix(mix, before):
    """TW-6 to TW-12 of one mix."""
    n = len(before[0][0])
    require((mix.n, len(mix.columns)) == (n, len(before)), "TW-6", "another number of rows or columns")
    if n > 0:
        generators = Generators(n)
        verify_lists(mix, before, verify_permutation(mix, generators), generators)


def verify(key_file, ciphertexts_file, mix_files):
    """All checks of a chain; returns rows, columns and mixers."""
    key = read_key(key_file)
    named, n, columns = read_ciphertexts(ciphertexts_file)
    require(named == key, "TW-2", "the ciphertexts name another key")
    mixes = [Mix(data) for data in mix_files]
    for position, mix in enumerate(mixes, 1):
        require(mix.key == key, "TW-2", f"mixer {mix.mixer} names another key")
        require(mix.position == position, "TW-4", f"mixer {mix.mixer}: position {mix.position}, not {position}")
        same = (mix.study, mix.mix) == (mixes[0].study, mixes[0].mix)
        require(same, "TW-5", f"mixer {mix.mixer} names another mix")
    for mix in mixes:
        same = (mix.n, len(mix.columns)) == (n, len(columns))
        require(same, "TW-6", f"mixer {mix.mixer}: another number of rows or columns")
    if n > 0:
        generators = Generators(n)
        digests = [verify_permutation(mix, generators) for mix in mixes]
        inputs = [columns] + [mix.columns for mix in mixes]
        for mix, before, digest in zip(mixes, inputs, digests):
            verify_lists(mix, before, digest, generators)
    return {"rows": n, "columns": len(columns), "mixers": [mix.mixer for mix in mixes]}
