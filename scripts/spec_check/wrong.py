"""The wrong bundles of vectors/mutants.json: each is made from a right one, and refused by the check that it names."""

import json
import tempfile
from pathlib import Path

from . import own, relog
from .bundle import Bundle, to_json
from .claims import KINDS, verify
from .ed25519 import digest
from .election import read_board
from .election_mutants import Board
from .encoding import NotChecked, Refused

# Where the programs check several equations in one, or judge a message of a board as a whole, this checker names the
# equation.
WITHIN = {
    # What a beacon's secrets depend on is changed, too; here beacons come first.
    "CE-8": {"CE-9"},
    "CE-27": {"CB-12"},
    "BD-3": {"LG-5", "LG-8"},
    "BD-4": {"LG-1", "LG-2"},
    "EL-1": {"EL-15"},
    "EL-6": {"TH-2", "TH-3", "TH-4"},
    "EL-11": {"TW-6", "TW-7", "TW-8", "TW-9", "TW-10", "TW-11", "TW-12"},
    "EL-12": {"TH-7"},
    "EL-18": {"TW-6", "TW-7", "TW-8", "TW-9", "TW-10", "TW-11", "TW-12"},
    "TB-11": {"TB-2"},
    "TB-12": {"TB-2"},
    # The programs say it of the whole, logged records included.
    "TB-21": {"TB-4", "TB-20"},
    "TB-22": {"TB-4", "TB-20"},
    "TA-10": {"CV-6"},
    "SN-2": {"SN-10", "CV-6"},
    "SN-3": {"CV-6"},
    "SN-5": {"CV-6"},
    "SN-7": {"CV-6"},
    "SN-11": {"CV-5"},
    "SN-12": {"CB-12"},
}


def _name(data):
    return digest("subrosa/bundle/file", data).hex()


class Files(dict):
    """The files of a bundle, by their paths."""

    @classmethod
    def read(cls, root):
        return cls({path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()})

    def follow(self, name, data):
        """Another file in place of one, and its digest wherever it stands."""
        renamed = [(_name(self[name]), _name(data))]
        self[name] = data
        claims = sorted(path for path in self if path.startswith("claims/") and path != name)
        for path in [*claims, "bundle.json"]:
            before = text = self[path]
            for old, new in renamed:
                text = text.replace(old.encode(), new.encode())
            renamed.append((_name(before), _name(text)))
            self[path] = text

    def entries(self):
        return sorted(path for path in self if path.startswith("objects/board/"))

    def sign_again(self, keys, change):
        paths = self.entries()
        board = Board(read_board([self[path] for path in paths]), keys)
        for path, data in zip(paths, change(board)):
            if data != self[path]:
                self.follow(path, data)


def _flipped(data, at, xor):
    return data[:at] + bytes([data[at] ^ xor]) + data[at + 1:]


def _stated(data, member, value):
    claim = json.loads(data)
    statement = {name: own for name, own in claim["statement"].items() if name != member}
    if value is not None:
        statement[member] = value
    ordered = {name: statement[name] for name in sorted(statement, key=str.encode)}
    return to_json(claim | {"statement": ordered})


def _shorten(files):
    last = files.entries()[-1]
    gone = _name(files.pop(last))
    [claim] = [path for path in files if path.startswith("claims/")]
    files["bundle.json"] = files["bundle.json"].replace(f',\n    "{last}": "{gone}"'.encode(), b"")
    files.follow(claim, files[claim].replace(f',\n      "{gone}"'.encode(), b""))


def _patched(files, pieces):
    """The changed files: the last piece first, so that places are those of the right file."""
    changed = {}
    for piece in reversed(pieces):
        data, at = changed.get(piece["file"], files[piece["file"]]), piece["at"]
        changed[piece["file"]] = data[:at] + bytes.fromhex(piece["put"]) + data[at + piece["take"]:]
    return changed


def apply(files, edit, keys):
    """The files of the wrong bundle."""
    [(what, how)] = edit.items() if isinstance(edit, dict) else [(edit, {})]
    files = Files(files)
    match what:
        case "flip":
            files.follow(how["file"], _flipped(files[how["file"]], how["at"], how["xor"]))
        case "cut":
            files.follow(how["file"], files[how["file"]][:-how["bytes"]])
        case "grow":
            files.follow(how["file"], files[how["file"]] + b"\0")
        case "state":
            files.follow(how["claim"], _stated(files[how["claim"]], how["member"], how["value"]))
        case "entry":
            payload = lambda board: _flipped(board.entries[how["entry"]].payload, how["at"], how["xor"])  # noqa: E731
            files.sign_again(keys, lambda board: board.with_payload(how["entry"], payload(board)))
        case "author":
            author = lambda board: next(  # noqa: E731
                key for key, seed in board.seeds.items() if seed.hex() == keys[how["author"]])
            files.sign_again(keys, lambda board: board.with_payload(
                how["entry"], board.entries[how["entry"]].payload, author=author(board)))
        case "relog":
            return Files(relog.apply(files, how, keys))
        case "shorten":
            _shorten(files)
        case "replace":
            files[how["file"]] = files[how["file"]].replace(how["from"].encode(), how["to"].encode(), 1)
        case "reword":
            files.follow(how["file"], files[how["file"]].replace(how["from"].encode(), how["to"].encode(), 1))
        case "list":
            listed = f'",\n    "{how["file"]}": "{_name(b"more")}"\n  }}\n}}\n'.encode()
            files["bundle.json"] = files["bundle.json"].replace(b'"\n  }\n}\n', listed)
            files[how["file"]] = b"more"
        case "add":
            files[how["file"]] = b"more"
        case "remove":
            del files[how["file"]]
        case "patch":
            for name, data in _patched(files, how["pieces"]).items():
                files.follow(name, data)
        case _:
            raise AssertionError(f"an unknown change: {what}")
    return files


def _refused_by(files):
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for name, data in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
        try:
            verdicts = verify(root)
        except Refused as refused:
            return refused.check
    if not all(known for *_, known in verdicts):
        raise NotChecked("some claim")
    raise AssertionError("accepted")


def _refuse_own(files, lookup, expected):
    try:
        own.check(files, lookup)
    except Refused as refused:
        assert refused.check == expected, f"own row: refused by {refused}, not {expected}"
    else:
        raise AssertionError(f"own row: not refused by {expected}")


def _keys(root, bundle):
    path = root / f"{bundle}-keys.json"
    return json.loads(path.read_text()) if path.exists() else {}


def check(root):
    """All wrong bundles of kinds that this checker knows."""
    same, within, skipped = 0, 0, 0
    lookup = root / "vectors" / "table" / "lookup" / "objects" / "table"
    for mutant in json.loads((root / "vectors" / "mutants.json").read_text()):
        folder, expected = root / mutant["bundle"], mutant["check"]
        if mutant.get("kind") == "own-row":
            _refuse_own(apply(Files.read(folder), mutant["edit"], {}), lookup, expected)
            same += 1
            continue
        kinds = {claim["kind"] for claim in Bundle(folder).claims.values()}
        if not kinds <= set(KINDS):
            skipped += 1
            continue
        what = f"{mutant['bundle']}: {mutant['edit']}"
        try:
            found = _refused_by(apply(Files.read(folder), mutant["edit"], _keys(root, mutant["bundle"])))
        except NotChecked:
            skipped += 1
            continue
        assert found == expected or found in WITHIN.get(expected, ()), f"{what}: refused by {found}, not {expected}"
        same, within = same + (found == expected), within + (found != expected)
    print(f"mutants.json: {same} refused by the very check, {within} by an equation of it, {skipped} not checked here")
