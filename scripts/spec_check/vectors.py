"""All vectors are accepted, and all mutants are refused, by the check that is expected."""

import contextlib
import io
import json
import multiprocessing
import re
import shutil
import tempfile
from pathlib import Path

from . import bn254, election_mutants, own, shuffle, snark, voting, wrong
from .claims import KINDS, verify
from .bundle import Bundle
from .encoding import NotChecked, Reader, Refused
from .mutants import mutants
from .powers import Container
from .ristretto import GENERATOR
from .threshold import Round3

# Which check refuses another value of a field of a mix, by the field's name: the first that fails. What a
# transcript absorbs changes the challenge, at which (P1) or (L0) fails first.
MIX_FIELDS = [
    (r"header", "CV-5"),
    (r"(length of )?group", "TW-1 CV-1 CV-3"),
    (r"key", "TW-2"),
    (r"length of .*|rows|columns", "CV-1 CV-2 CV-3 CV-6 TW-1"),
    (r"position", "TW-4"),
    (r"study|mix|mixer|a_.*|B_.*|T_B_.*|T_[tkw]|z_t", "TW-7"),
    (r"z_k|z_e_.*", "TW-8"),
    (r"z_s_.*", "TW-9"),
    (r"z_w", "TW-10"),
    (r"column .*|lists T_.*|lists z_\d+|lists z_k", "TW-11"),
    (r"lists z_u_.*", "TW-12"),
]
# Of tables. Rounded sums are not checked here, and in `records` a claim of an audit stands beside, which is not either.
RECORDED = ("first", "erased", "question", "questions", "successor")
# Long lists: the first and the last are enough.
REPEATED = re.compile(r"_[234]$")


def _expected(fields, manner, name):
    if manner == "length":
        return {"CV-1", "CV-5"}
    if manner == "misspelt":
        return {"CV-6"}
    return set(next(checks for pattern, checks in fields if re.fullmatch(pattern, name)).split())


def _refuse_all(what, fields, data, notes, verify):
    """Requires that every mutant of a file is refused as expected; returns how many, check by check."""
    refusals = {}
    for title, manner, name, mutant in mutants(data, notes):
        if REPEATED.search(name):
            continue
        try:
            verify(mutant)
        except Refused as refused:
            allowed = _expected(fields, manner, name)
            if refused.check not in allowed:
                raise AssertionError(f"{what}: {title}: refused by {refused}, not {allowed}") from None
            refusals[refused.check] = refusals.get(refused.check, 0) + 1
        else:
            raise AssertionError(f"{what}: {title}: accepted")
    return refusals


def _report(what, refusals):
    table = ", ".join(f"{check} {count}" for check, count in sorted(refusals.items()))
    print(f"{what}: accepted; {sum(refusals.values())} mutants refused ({table})")


def check_mix(folder):
    """The chain of two mixers."""
    names = ["public.key", "votes", "1.mix", "2.mix"]
    key, votes, first, second = [(folder / name).read_bytes() for name in names]
    shuffle.verify(key, votes, [first, second])
    notes = []
    shuffle.Mix(first, notes)
    _report(folder.name, _refuse_all(
        folder.name, MIX_FIELDS, first, notes, lambda mutant: shuffle.verify(key, votes, [mutant])))

    def refused_by(expected, *files):
        try:
            shuffle.verify(files[0], files[1], files[2:])
        except Refused as refused:
            assert refused.check == expected, f"{folder.name}: refused by {refused}, not {expected}"
        else:
            raise AssertionError(f"{folder.name}: not refused by {expected}")

    # Behind header, group, key, rows and columns.
    start = 18 + 4 + 12 + 32 + 4 + 4
    readable = votes[:start] + bytes(32) + votes[start + 32:]
    refused_by("TW-3", key, readable, first)
    refused_by("TW-2", key[:-32] + bytes(32), votes, first)
    refused_by("TW-4", key, votes, second)
    refused_by("TW-4", key, votes, first, first)
    refused_by("TW-5", key, votes, first, second.replace(b"burlington", b"wellington"))
    one_column = votes[:start - 4] + (1).to_bytes(4, "little") + votes[start:start + 64 * 5]
    refused_by("TW-6", key, one_column, first)
    print(f"{folder.name}: 6 chains refused (TW-2, TW-3, TW-4, TW-4, TW-5, TW-6)")


def _count(refusals, change, what):
    """Requires a refusal, and counts it by its check."""
    try:
        change()
    except Refused as refused:
        refusals[refused.check] = refusals.get(refused.check, 0) + 1
    except NotChecked:
        refusals["not checked"] = refusals.get("not checked", 0) + 1
    else:
        raise AssertionError(f"{what}: accepted")


def check_table(folder, step):
    """A bundle with one claim about a table: every `step`-th mutant of its proof is refused."""
    bundle = Bundle(folder)
    [claim] = bundle.claims.values()
    roles, check = KINDS[claim["kind"]]
    objects, notes = bundle.objects(claim, roles), []
    check(objects | {"notes": notes}, claim)
    refusals, data = {}, objects["proof"][0]
    for title, _, _, mutant in list(mutants(data, notes))[::step]:
        _count(refusals, lambda: check(objects | {"proof": [mutant]}, claim), f"{folder.name}: {title}")
    for role in ("genesis", "checkpoint"):
        for at in range(0, len(objects[role][0]), 53):
            changed = bytearray(objects[role][0])
            changed[at] ^= 1
            what = f"{folder.name}: {role}, byte {at}"
            _count(refusals, lambda: check(objects | {role: [bytes(changed)]}, claim), what)
    for name in claim["statement"]:
        other = claim | {"statement": claim["statement"] | {name: "other"}}
        _count(refusals, lambda: check(objects, other), f"{folder.name}: statement, {name}")
    _report(f"table/{folder.name}", refusals)


def check_own(folder):
    """A user's row: in the look-up, and as it was promised."""
    files = {path.name: path.read_bytes() for path in (folder / "receipts").iterdir()}
    own.check(files, folder / "lookup" / "objects" / "table")
    print("table/receipts: accepted")


def check_accepted(folders):
    """Bundles of which mutants stand in mutants.json only."""
    for folder in folders:
        assert all(known for *_, known in verify(folder)), folder
        print(f"{folder.parent.name}/{folder.name}: accepted")


def _moved(data, note):
    """A point or a scalar of a proof over BN254 with another value."""
    _, _, start, length = note
    field = data[start:start + length]
    if note[0] in "ab":
        other = ((int.from_bytes(field, "little") + 1) % bn254.ORDER).to_bytes(32, "little")
    else:
        kind, generator = (bn254.Field1, bn254.G) if length == 32 else (bn254.Field2, bn254.H)
        other = (bn254.decode(kind, field) + generator).encode()
    return data[:start] + other + data[start + length:]


def check_snark(folder):
    """One circuit's proofs in three systems, each with other inputs, other values, another length."""
    file = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    public = file["public.json"]
    other = json.dumps([json.loads(public)[0], "4"]).encode()
    systems = {
        "groth16": ("proof.json", lambda proof, public: snark.groth16(file["vk.json"], public, proof)),
        "gm17": ("gm17.proof", lambda proof, public, *notes: snark.gm17(file["gm17.vk"], public, proof, *notes)),
        "sonic": ("sonic.proof", lambda proof, public, *notes: snark.sonic(
            file["circuit.r1cs"], file["sonic.vk"], public, proof, *notes)),
    }
    for name, (proof, verify) in systems.items():
        refusals, notes, data = {}, [], file[proof]
        verify(data, public, *([] if name == "groth16" else [notes]))
        _count(refusals, lambda: verify(data, other), f"{name}: other inputs")
        _count(refusals, lambda: verify(data, b"[]"), f"{name}: no inputs")
        fields = [note for note in notes if note[0] in ("A", "B", "C", "R", "T", "a", "b", "W")]
        wrong = {note[0]: _moved(data, note) for note in fields}
        wrong |= {"one byte less": data[:-1], "one byte more": data + b"\0"} if notes else {}
        if name == "groth16":
            swapped = json.loads(data)
            swapped["pi_a"] = swapped["pi_c"]
            wrong["A"] = json.dumps(swapped).encode()
        for title, mutant in wrong.items():
            _count(refusals, lambda: verify(mutant, public), f"{name}: {title}")
        _report(f"{folder.name}/{name}", refusals)


def check_complaints():
    """`CV-4`: complaints of one trustee stand in the order of the dealers, each once."""
    # What decodes is enough: whether proofs hold is `TH-4`, and comes later.
    complaint = GENERATOR.encode() * 3 + bytes(32)
    message = lambda dealers: Round3(Reader(  # noqa: E731
        (9).to_bytes(2, "little") + bytes(32) + len(dealers).to_bytes(4, "little")
        + b"".join(dealer.to_bytes(2, "little") + complaint for dealer in dealers)))
    for dealers in ([], [4], [1, 2, 300]):
        assert [dealer for dealer, *_ in message(dealers).complaints] == dealers
    refusals = {}
    for dealers in ([2, 1], [1, 3, 2], [3, 3]):
        _count(refusals, lambda: message(dealers), f"complaints about {dealers}")
    assert refusals == {"CV-4": 3}, refusals
    _report("complaints", refusals)


def check_elections(folder):
    """An election with one question, entry by entry; one with four, counted by all methods; those with times."""
    voting.check(folder / "seal.json")
    verify(folder / "garden")
    _report("election", election_mutants.refuse_all(folder / "lunch", folder / "lunch-keys.json", 48))
    for name in ("supper", "dinner", "banquet", "brunch", "picnic"):
        _report(f"election, version 2, {name}", election_mutants.refuse_timed(folder / name))


def check_not_checked(folder):
    """Of kinds that this checker does not know the bundle as such holds, and the rest is said to be not checked."""
    left = [f"{name}/{kind}" for name in ("election/picnic", "election/buffet", "trace/routed", "trace/db")
            for _, kind, known in verify(folder / name) if not known]
    print(f"not checked: {', '.join(left)}")


def check_proof_bundle(folder):
    """A bundle with one claim about proofs: every member of the statement, the key and each proof changed."""
    bundle = Bundle(folder)
    [claim] = bundle.claims.values()
    roles, check = KINDS[claim["kind"]]
    objects, refusals, stated = bundle.objects(claim, roles), {}, claim["statement"]
    check(objects, claim)
    edits = {name: stated | {name: "other"} for name in stated}
    edits |= {f"without {name}": {other: stated[other] for other in stated if other != name} for name in stated}
    edits |= {"more": stated | {"more": 1}, "one input less": stated | {"public": [v[:-1] for v in stated["public"]]}}
    edits["other input"] = stated | {"public": [*stated["public"][:-1], [*stated["public"][-1][:-1], "4"]]}
    edits["names"] = stated | {"names": ["a"] * len(stated["public"][0])}
    for title, statement in edits.items():
        _count(refusals, lambda: check(objects, claim | {"statement": statement}), f"{folder.name}: {title}")
    for role in ("key", "proof"):
        data = objects[role][-1]
        for title, changed in (("cut", data[:-1]), ("other", objects["proof" if role == "key" else "key"][0])):
            mutant = objects | {role: [*objects[role][:-1], changed]}
            _count(refusals, lambda: check(mutant, claim), f"{folder.name}: {role}, {title}")
    _report(f"snark/{folder.name}", refusals)


def check_proof_files(folder):
    """CB-11, SN-10: files that are too long, keys of another curve or circuit, circuits that are missing or of no use."""
    circuit = (folder / "circuit.r1cs").read_bytes()
    for name in ("groth16", "gm17", "sonic"):
        bundle = Bundle(folder / name)
        [claim] = bundle.claims.values()
        roles, check = KINDS[claim["kind"]]
        objects = bundle.objects(claim, roles)
        [key], [proof] = objects["key"], objects["proof"]
        full = lambda role, data: data + bytes(snark.LIMITS[role] - len(data))  # noqa: E731
        wrong_files = [
            ("CB-11", {"key": [full("key", key) + b"\0"]}),
            ("SN-10", {"key": [key.replace(b"BN254", b"BN255").replace(b"bn128", b"bn129")]}),
            ("SN-10", {"circuit": [] if objects["circuit"] else [circuit]}),
            ("CB-11", {"proof": [full("proof", proof) + b"\0"]}),
            ("SN-3" if name == "groth16" else "CV-1", {"proof": [full("proof", proof)]}),
        ]
        if name == "sonic":
            # The digest of the circuit, and the number of its public inputs, are the key's last fields.
            others = (key[:at] + bytes([key[at] ^ 1]) + key[at + 1:] for at in (len(key) - 36, len(key) - 4))
            wrong_files += [("SN-10", {"key": [other]}) for other in others]
        refusals = {}
        for expected, files in wrong_files:
            before = refusals.get(expected, 0)
            _count(refusals, lambda: check(objects | files, claim), f"{name}: {list(files)}")
            assert refusals.get(expected) == before + 1, f"{name}: {list(files)}: {refusals}, not {expected}"
        _report(f"snark/{name}, files", refusals)


def _sections(data, change):
    """A container with other sections."""
    sections = change(dict(Container(data, data[:4]).sections))
    out = data[:8] + len(sections).to_bytes(4, "little")
    for kind, content in sections.items():
        out += kind.to_bytes(4, "little") + len(content).to_bytes(8, "little") + content
    return out


def _flipped(kind, at):
    def change(sections):
        data = bytearray(sections[kind])
        data[at] ^= 1
        return sections | {kind: bytes(data)}
    return change


def _swapped(kind, width, first):
    def change(sections):
        data = sections[kind]
        a, b = (data[width * i:width * (i + 1)] for i in (first, first + 1))
        return sections | {kind: data[:width * first] + b + a + data[width * (first + 2):]}
    return change


def check_ceremonies(folder):
    """A record and a whole key, and mutants of their files."""
    cases = {
        "record": [
            ("record", lambda sections: dict(reversed(sections.items())), "CE-28"),
            ("record", lambda sections: sections | {8: b""}, "CE-28"),
            ("record", _flipped(1, 0), "CE-28"),
            ("record", _flipped(2, -1), "CE-1"),
            ("record", _swapped(3, 64, 0), "CB-12"),
            ("record", _flipped(10, 0), "CE-15"),
            ("record", _flipped(100, -1), "CE-15"),
            ("record", lambda sections: sections | {100: sections[100][:18] + bytes(4)}, "CE-11"),
        ],
        "proof": [
            ("phase1", _swapped(2, 64, 5), "CE-5"),
            ("phase1", _swapped(12, 64, 40), "CE-7"),
            ("parameters", _swapped(9, 64, 1), "CE-12"),
        ],
    }
    for name, attempts in cases.items():
        bundle = Bundle(folder / name)
        claim = next(claim for claim in bundle.claims.values() if claim["kind"] == "ceremony")
        roles, check = KINDS["ceremony"]
        objects, refusals = bundle.objects(claim, roles), {}
        check(objects, claim)
        for role, change, expected in attempts:
            before = refusals.get(expected, 0)
            mutant = objects | {role: [_sections(objects[role][0], change)]}
            _count(refusals, lambda: check(mutant, claim), f"{name}: {role}")
            assert refusals.get(expected, 0) == before + 1, f"{name}: {role}: {refusals}, not {expected}"
        _report(f"ceremony/{name}", refusals)


def check_bundle(folder):
    """What can be wrong with a bundle as such."""

    def edit(change, expected):
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / "bundle"
            shutil.copytree(folder, copy)
            change(copy)
            try:
                verify(copy)
            except Refused as refused:
                assert refused.check == expected, f"{refused}, not {expected}"
            else:
                raise AssertionError(f"not refused by {expected}")

    def manifest(change):
        def write(copy):
            value = json.loads((copy / "bundle.json").read_text())
            change(value)
            (copy / "bundle.json").write_text(json.dumps(value, indent=2) + "\n")
        return write

    edits = [
        (lambda copy: (copy / "bundle.json").write_text((copy / "bundle.json").read_text() + " "), "CB-1"),
        (manifest(lambda value: value.update(version=2)), "CB-1"),
        (manifest(lambda value: value["files"].update({"../x": "0" * 64})), "CB-1"),
        (manifest(lambda value: value.update(files={"../x": "0" * 64} | value["files"])), "CB-2"),
        (manifest(lambda value: value["claims"].append(value["claims"][0])), "CB-3"),
        (lambda copy: (copy / "more").write_text("x"), "CB-4"),
        (lambda copy: (copy / "objects/table/genesis.json").write_text("x"), "CB-5"),
        (manifest(lambda value: value["claims"].append("objects/table/genesis.json")), "CB-6"),
        (manifest(lambda value: value.update(claims=[])), "CB-7"),
    ]
    for change, expected in edits:
        edit(change, expected)
    print(f"bundles: {len(edits)} wrong ones refused ({', '.join(expected for _, expected in edits)})")


def _printed(task):
    """What a check of vectors prints: they run in processes of their own, and report in order."""
    judge, arguments = task
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        judge(*arguments)
    return out.getvalue()


def check(root):
    """Everything, on all processors; the first that is not as expected ends it."""
    steps = (("lookup", 1), ("absence", 1), ("sum", 1), ("hours", 4), ("median", 16))
    tasks = [
        (check_bundle, [root / "table/lookup"]),
        *((check_table, [root / "table" / name, step]) for name, step in steps),
        (check_own, [root / "table"]),
        (check_accepted, [[root / "table" / name for name in RECORDED]]),
        (check_mix, [root / "mix"]),
        (check_snark, [root / "snark"]),
        (check_proof_files, [root / "snark"]),
        (check_complaints, []),
        (check_elections, [root / "election"]),
        (check_not_checked, [root]),
        (check_ceremonies, [root / "ceremony"]),
        *((check_proof_bundle, [root / "snark" / name]) for name in ("groth16", "gm17", "sonic", "batch")),
        (wrong.check, [root.parent]),
    ]
    with multiprocessing.Pool() as pool:
        for printed in pool.imap(_printed, tasks):
            print(printed, end="", flush=True)
