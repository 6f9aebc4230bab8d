"""Bundles: docs/spec/bundles.md."""

import json
import re

from .ed25519 import digest
from .encoding import require

MANIFEST = {1: ["format", "version", "claims", "files"], 2: ["format", "version", "specification", "claims", "files"]}
SPECIFICATION = 1
CLAIM = ["kind", "version", "objects", "statement"]
DIGEST = re.compile(r"[0-9a-f]{64}")


def to_json(value):
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


def sort(value):
    """The members of objects by the bytes of their names."""
    if isinstance(value, dict):
        return {name: sort(value[name]) for name in sorted(value, key=str.encode)}
    return [sort(item) for item in value] if isinstance(value, list) else value


def read_json(data, check, members, sorted_members):
    try:
        value = json.loads(data)
    except ValueError:
        value = None
    require(isinstance(value, dict) and list(value) == members, check, "not JSON with the members it must have")
    ordered = {name: sort(value[name]) if name in sorted_members else value[name] for name in members}
    require(to_json(ordered) == data, check, "JSON in another form")
    return value


def version_of(data):
    try:
        return json.loads(data)["version"]
    except (ValueError, TypeError, KeyError):
        return None


def require_interoperable(value):
    """What the form shares with RFC 8785."""
    if isinstance(value, list):
        for item in value:
            require_interoperable(item)
    elif isinstance(value, dict):
        units = [name.encode("utf-16-be") for name in sorted(value, key=str.encode)]
        require(units == sorted(units), "CB-6", "names have another order in UTF-16")
        for item in value.values():
            require_interoperable(item)
    else:
        require(not isinstance(value, float), "CB-6", "not an integer")


class Bundle:
    def __init__(self, root):
        path = root / "bundle.json"
        require(path.is_file() and not path.is_symlink(), "CB-1", "no bundle")
        data = path.read_bytes()
        version = version_of(data)
        require(version in MANIFEST, "CB-1", "another version")
        manifest = read_json(data, "CB-1", MANIFEST[version], ["files"])
        require(manifest["format"] == "subrosa-bundle" and type(manifest["version"]) is int, "CB-1", "another format")
        require(manifest.get("specification", SPECIFICATION) == SPECIFICATION, "CB-1", "another specification")
        listed = manifest["files"]
        for name in listed:
            plain = all(part not in ("", ".", "..") for part in name.split("/")) and "\\" not in name
            require(plain, "CB-2", f"{name} is no path inside the bundle")
        require(len(set(manifest["claims"])) == len(manifest["claims"]), "CB-3", "a claim is listed twice")
        self.files = self._read(root, listed)
        self.by_digest = {listed[name]: data for name, data in self.files.items()}
        self.claims = {}
        for name in manifest["claims"]:
            require(name in self.files, "CB-6", f"{name} is not listed")
            require(len(self.files[name]) <= 1 << 28, "CB-5", f"{name} is too large")
            self.claims[name] = read_json(self.files[name], "CB-6", CLAIM, ["objects", "statement"])
            if version > 1:
                require_interoperable(self.claims[name]["statement"])
        require(self.claims, "CB-7", "there is no claim")
        named = {one for claim in self.claims.values() for role in claim["objects"].values() for one in role}
        for name, own in listed.items():
            require(name in self.claims or own in named, "CB-8", f"no claim speaks of {name}")

    @staticmethod
    def _read(root, listed):
        there = [path for path in root.rglob("*") if not path.is_dir() or path.is_symlink()]
        for path in there:
            name = path.relative_to(root).as_posix()
            plain = path.is_file() and not path.is_symlink()
            require(plain and (name == "bundle.json" or name in listed), "CB-4", f"{name} is not listed")
        files = {}
        for name, expected in listed.items():
            require((root / name).is_file(), "CB-5", f"{name} is not there")
            files[name] = (root / name).read_bytes()
            own = digest("subrosa/bundle/file", files[name]).hex()
            require(own == expected, "CB-5", f"{name} has another digest")
        return files

    def objects(self, claim, roles):
        """The objects by role; `roles` gives the least and the most of each."""
        for role in claim["objects"]:
            require(role in roles, "CB-9", f"{role} is no role")
        for role, (least, most) in roles.items():
            count = len(claim["objects"].get(role, []))
            require(least <= count <= most, "CB-9", f"{count} objects as {role}")
        found = {}
        for role in roles:
            digests = claim["objects"].get(role, [])
            require(all(one in self.by_digest for one in digests), "CB-10", f"an object as {role} is not there")
            found[role] = [self.by_digest[one] for one in digests]
            require(all(len(one) <= 1 << 32 for one in found[role]), "CB-5", f"an object as {role} is too large")
        return found


def require_stated(claim, found):
    require(to_json(sort(claim["statement"])) == to_json(sort(found)), "CB-12", "the statement is another")
