"""A key beside the first one, which its circuit and phase 1 make: docs/spec/ceremony.md."""

import hashlib

from .bn254 import G, H, ORDER, Field1, Field2
from .encoding import Reader, require
from .powers import Equations, points, total, uncompressed, weights
from .snark import r1cs


def check(key, circuit, phase1):
    """`CE-10`, `CE-12`, `CE-13`."""
    wires, public, constraints = r1cs(circuit)
    rows = constraints + [[[(wire, 1)], [], []] for wire in range(public + 1)]
    log = max(1, (len(rows) - 1).bit_length())
    require((key.wires, key.publics, key.rows) == (wires, public, 1 << log), "CE-10", "a key of another size")
    require(phase1.prepared and log <= phase1.power, "CE-10", "the phase 1 is too small, or not prepared")
    alpha1, beta1, [beta2] = phase1.list(4)[0], phase1.list(5)[0], phase1.list(6)
    require((key.alpha1, key.beta1, key.beta2, key.gamma2) == (alpha1, beta1, beta2, H), "CE-10", "another phase 1")
    _check_coefficients(key, rows)

    def per_wire(field, terms):
        """The sums of each wire's factors times the points of their rows."""
        lists = [([], []) for _ in range(wires)]
        for side, at in terms:
            for row, parts in enumerate(rows):
                for wire, factor in parts[side]:
                    lists[wire][0].append(factor)
                    lists[wire][1].append(at[row])
        return [total(field, *found) for found in lists]

    one, alpha, beta = (phase1.domain(kind, log) for kind in (12, 14, 15))
    linear = per_wire(Field1, [(0, beta), (1, alpha), (2, one)])
    ic, k = linear[:public + 1], linear[public + 1:]
    a, b1 = per_wire(Field1, [(0, one)]), per_wire(Field1, [(1, one)])
    b2 = per_wire(Field2, [(1, phase1.domain(13, log))])
    for name, own, found in (
        ("IC", ic, key.ic),
        ("A", a, points(Field1, key.file.section(5), True)),
        ("B1", b1, points(Field1, key.file.section(6), True)),
        ("B2", b2, points(Field2, key.file.section(7), True)),
    ):
        require(own == found, "CE-10", f"{name} is not that of circuit and phase 1")

    equations = Equations()
    odd = phase1.domain(12, log + 1)[1::2]
    for own, found in ((k, points(Field1, key.file.section(8), True)), (odd, points(Field1, key.file.section(9)))):
        w = weights(len(own))
        equations.same_ratio((total(Field1, w, found), total(Field1, w, own)), (H, key.delta2))
    equations.check("CE-12", "K or H is not that of the first key, divided by delta")

    powers, n = phase1.list(2), 1 << log
    h = [powers[n + i] + -powers[i] for i in range(n - 1)]
    hashed = hashlib.blake2b(b"".join(map(uncompressed, (alpha1, beta1, beta2, H, G, H))))
    for own in (ic, h, k, a, b1, b2):
        hashed.update(len(own).to_bytes(4, "big") + b"".join(map(uncompressed, own)))
    require(hashed.digest() == key.circuit_hash, "CE-13", "another circuit hash")


def _check_coefficients(key, rows):
    reader = Reader(key.file.section(4))
    expected = [(matrix, row, wire, factor * 2**512 % ORDER)
                for row, sides in enumerate(rows) for matrix in (0, 1) for wire, factor in sides[matrix]]
    require(reader.integer(4, "coefficients") == len(expected), "CE-10", "another number of coefficients")
    for entry in expected:
        found = tuple(reader.integer(4, "coefficient") for _ in range(3)) + (reader.integer(32, "factor"),)
        require(found == entry, "CE-10", "another coefficient")
    reader.finish()
