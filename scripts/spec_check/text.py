"""The text itself: links, names of checks, and what sources and documents say of it."""

import re
import subprocess

CHECK = re.compile(r"`([A-Z]{2})-([0-9]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
REFERENCE = re.compile(r"(docs/spec/[A-Za-z0-9_-]+\.md)(#[^\s`)\"'>]+)?")
LABEL = re.compile(r"`(subrosa/[A-Za-z0-9/_-]+)`")
# What a transcript absorbs or squeezes: a row of a table.
STEP = re.compile(r"^\| (?:absorb|squeeze) \| `([^`]+)` \|", re.M)
# Of the range proof's library, which is another project's.
FOREIGN = {"dom-sep", "Ci", "vi - minimum_value"}
WIDTH = 110
# Where comments name checks. Elsewhere two capitals and a number may be anything.
SOURCES = ("crates/", "docs/", "scripts/", "vectors/", "README.md")


def plain(text):
    """Lines outside code fences."""
    inside = False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            yield line


def anchor(heading):
    """As GitHub and mdBook name it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower())
    return kept.replace(" ", "-")


def anchors(text):
    return {anchor(line.lstrip("#")) for line in plain(text) if re.match(r"#{1,6} ", line)}


def numbers(line):
    """Checks that a line names, with those that `XX-1` to `XX-4` leaves out."""
    found = [(letters, int(number)) for letters, number in CHECK.findall(line)]
    for first, start, last, end in re.findall(r"`([A-Z]{2})-([0-9]+)` to `([A-Z]{2})-([0-9]+)`", line):
        if first == last:
            found += [(first, number) for number in range(int(start), int(end) + 1)]
    return found


def link_faults(path, text, read):
    for target in LINK.findall("\n".join(plain(text))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, fragment = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        if not there.exists():
            yield f"{path.name}: there is no {file}"
        elif fragment and there.suffix == ".md" and fragment not in anchors(read(there)):
            yield f"{path.name}: {there.name} has no heading {fragment}"


def check_faults(chapters, readme):
    """Each row of letters has one chapter, which names all numbers from 1 on; nobody else names others."""
    homes = {}
    for row in re.findall(r"^\| (`.*`) \| (.*) \|$", readme, re.M):
        letters, files = re.findall(r"`([A-Z]{2})`", row[0]), re.findall(r"\(([a-z-]+\.md)\)", row[1])
        homes.update(zip(letters, files, strict=True))
    known = {}
    for letters, file in homes.items():
        own = {n for line in chapters.get(file, "").split("\n") for name, n in numbers(line) if name == letters}
        # `TW-7   (P1)` in a fence, and `| `TW-1` |` in a table, are definitions as well.
        own |= {int(n) for n in re.findall(rf"\b{letters}-([0-9]+)\b", chapters.get(file, ""))}
        known[letters] = own
        if own != set(range(1, len(own) + 1)):
            yield f"{file}: the numbers of {letters} have gaps: {sorted(own)}"
    for file, text in chapters.items():
        for letters, number in CHECK.findall(text):
            if int(number) not in known.get(letters, ()):
                yield f"{file}: there is no check {letters}-{number}"
    return known


def faults(root):
    read = lambda path: path.read_text(encoding="utf-8")  # noqa: E731
    spec = root / "docs" / "spec"
    chapters = {path.name: read(path) for path in sorted(spec.glob("*.md"))}
    if "README.md" not in chapters:
        yield "there is no docs/spec/README.md"
        return
    for name, text in chapters.items():
        yield from link_faults(spec / name, text, read)
        if name not in ("SUMMARY.md",) and f"({name})" not in chapters.get("SUMMARY.md", ""):
            yield f"SUMMARY.md has no {name}"
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > WIDTH and not line.startswith("|"):
                yield f"{name}:{number}: more than {WIDTH} columns"
    known = yield from check_faults(chapters, chapters["README.md"])

    listed = subprocess.run(["git", "ls-files", "-z", "--", *SOURCES], cwd=root, capture_output=True, check=True)
    sources = []
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = root / name
        if path.suffix not in (".rs", ".md", ".toml", ".py", ".js", "") or not path.is_file():
            continue
        try:
            text = read(path)
        except UnicodeDecodeError:
            continue
        if path.suffix == ".rs":
            sources.append(text)
        for file, fragment in REFERENCE.findall(text):
            if not (root / file).exists():
                yield f"{name}: there is no {file}"
            elif fragment and fragment[1:] not in anchors(read(root / file)):
                yield f"{name}: {file} has no heading {fragment[1:]}"
        for letters, number in re.findall(r"\b(" + "|".join(known) + r")-([0-9]+)\b", text):
            if int(number) not in known[letters]:
                yield f"{name}: there is no check {letters}-{number}"
    code = "\n".join(sources)
    for name, text in chapters.items():
        for label in LABEL.findall(text):
            if label not in code:
                yield f"{name}: no source has the label {label}"
        for label in STEP.findall(text):
            if label not in FOREIGN and f'b"{label}"' not in code:
                yield f"{name}: no transcript has the label {label}"
