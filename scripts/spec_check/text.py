"""The text itself: links, names of checks, and what sources and documents say of it."""

import re
import subprocess

CHECK = re.compile(r"`([A-Z]{2})-([0-9]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
# A document that is named anywhere, with a heading or the number of a section if one is named; not one of the web.
REFERENCE = re.compile(r"(?<![\w./:-])((?:[\w.-]+/)*[\w-]+\.md)\b(?:(#[^\s`)\"'>]+)|,? sections? ([0-9][0-9.]*))?")
# Where a name without its folder may be meant.
FOLDERS = ("docs", "docs/spec", "docs/formats")
# What commands of the documents write.
WRITTEN = {"reproduced/performance.md"}
LABEL = re.compile(r"`(subrosa/[A-Za-z0-9/_-]+)`")
# What a transcript absorbs or squeezes: a row of a table.
STEP = re.compile(r"^\| (?:absorb|squeeze) \| `([^`]+)` \|", re.M)
# Of the range proof's library, which is another project's.
FOREIGN = {"dom-sep", "Ci", "vi - minimum_value"}
WIDTH = 110
# Where comments name checks. Elsewhere two capitals and a number may be anything.
SOURCES = ("crates/", "docs/", "scripts/", "vectors/", "README.md")
SUFFIXES = (".rs", ".md", ".toml", ".py", ".js", ".mjs", ".ts", ".json", ".html", ".trycmd", ".txt", ".yml", ".sh", "")


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


def has_section(text, number):
    """Whether a heading has the number of a section."""
    return re.search(rf"^#+ +{re.escape(number.rstrip('.'))}\b", text, re.M) is not None


def reference_faults(root, name, text, read):
    """A document that is named is there, near the file or among the documents, and has the section that is named."""
    near = [folder for folder in (root / name).parents if folder.is_relative_to(root)]
    for file, fragment, number in REFERENCE.findall(text):
        there = [folder / file for folder in [*near, *(root / folder for folder in FOLDERS)] if (folder / file).is_file()]
        if not there and file not in WRITTEN:
            yield f"{name}: there is no {file}"
        elif fragment and not any(fragment[1:] in anchors(read(path)) for path in there):
            yield f"{name}: {file} has no heading {fragment[1:]}"
        elif number and not any(has_section(read(path), number) for path in there):
            yield f"{name}: {file} has no section {number}"


def texts(root):
    """All files of the repository that people write, by their names."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = root / name
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        try:
            yield name, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


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

    sources = []
    for name, text in texts(root):
        yield from reference_faults(root, name, text, read)
        if not name.startswith(SOURCES):
            continue
        if name.endswith(".rs"):
            sources.append(text)
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
