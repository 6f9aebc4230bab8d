"""Descriptions of elections and what their ballots say: docs/spec/election.md."""

import math
import re

from .encoding import NotChecked, require

RULES = ["plurality", "irv", "borda", "schulze", "ranked-pairs", "scottish-stv", "meek-stv",
         "approval", "at-large", "score", "star", "majority-judgment"]
KINDS = {1: RULES[:7], 2: RULES[7:9], 3: RULES[9:]}
SEVERAL_SEATS = {"borda", "scottish-stv", "meek-stv", "approval", "at-large", "score"}
INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
CELL = 16


class Description:
    pass


def _line(text, what):
    good = text and not INVISIBLE.search(text) and all(text_ for text_ in re.split(r"\s", text))
    require(good, "EL-1", f"{what} is not one line")
    return text


def _names(reader, what, least, most):
    names = [_line(reader.text(what, 120), what) for _ in range(reader.count(what, most))]
    require(len(names) >= least and len({name.lower() for name in names}) == len(names), "EL-1", what)
    return names


def _question(reader, lists):
    asked = {"question": _line(reader.text("question", 1000), "question")}
    asked["candidates"] = names = _names(reader, "candidates", 1, 64)
    require(not any("=" in name for name in names), "EL-1", "a candidate with =")
    asked["seats"], kind = (reader.integer(1, "seats"), reader.integer(1, "kind")) if lists else (1, 1)
    require(kind in KINDS, "CV-4", "kind of ballot")
    asked["kind"], most = kind, reader.integer(1, "the most")
    asked["most"], asked["best"] = most, most if kind == 3 else 0
    n = len(names)
    require(1 <= asked["seats"] <= n and 1 <= most <= (100 if kind == 3 else n), "EL-1", "seats or the most")
    if kind == 3:
        grades = _names(reader, "grades", 0, 101)
        require(len(grades) in (0, most + 1), "EL-1", "grades' names")
    asked["bytes"] = {1: most, 2: (n + 7) // 8, 3: n}[kind]
    codes = [reader.integer(1, "rule") for _ in range(reader.count("rules", 12))]
    require(all(1 <= code <= 12 for code in codes), "CV-4", "rule")
    asked["rules"] = rules = [RULES[code - 1] for code in codes]
    require(rules and len(set(rules)) == len(rules) and set(rules) <= set(KINDS[kind]), "EL-1", "rules")
    asked["decides"] = next((rule for rule in rules if rule != "plurality"), "plurality")
    for rule in rules:
        informs = rule == "plurality" and asked["decides"] != rule
        require(asked["seats"] == 1 or rule in SEVERAL_SEATS or informs, "EL-1", f"{rule} fills one seat")
    return asked


def _classes(reader):
    """EL-15."""
    classes = []
    for _ in range(reader.count("classes", 32)):
        name = _line(reader.text("class", 120), "class")
        above, below, least = (reader.integer(4, what) for what in ("numerator", "denominator", "min_ballots"))
        require(above > 0 and below > 0 and math.gcd(above, below) == 1, "EL-15", "a weight")
        require(least >= 2, "EL-15", "a class whose only ballot is opened")
        weight = str(above) if below == 1 else f"{above}/{below}"
        classes.append({"name": name, "weight": weight, "of": (above, below), "min_ballots": least})
    require(len({one["name"].lower() for one in classes}) == len(classes), "EL-15", "two classes of one name")
    unit = math.lcm(*(one["of"][1] for one in classes))
    require(unit < 1 << 52, "EL-15", "weights of too many parts")
    for one in classes:
        above, below = one["of"]
        one["votes"] = unit * above // below
        require(one["votes"] <= 1 << 20, "EL-15", "a ballot that counts too much")
    return classes


def read_description(reader):
    """EL-1."""
    version = int.from_bytes(reader.data[reader.at + 16:reader.at + 18], "little")
    if version in (2, 4):
        raise NotChecked("elections of version 1 under tFLSZ or with classes of voters")
    require(version in (1, 3, 5), "CV-5", "not a description of a version that there is")
    reader.header("election", version)
    lists, read = version >= 3, Description()
    read.classes = []
    read.title = _line(reader.text("title", 200), "title")
    count = reader.count("questions", 16) if lists else 1
    read.questions = [_question(reader, lists) for _ in range(count)]
    require(read.questions and sum(len(q["candidates"]) for q in read.questions) <= 128, "EL-1", "questions")
    names = ("trustees", "threshold", "mixers", "minimum_mixers")
    read.trustees, read.threshold, read.mixers, read.minimum_mixers = (reader.integer(2, name) for name in names)
    require(1 <= read.threshold <= read.trustees <= 64, "EL-1", "trustees")
    require(1 <= read.minimum_mixers <= read.mixers <= 64, "EL-1", "mixers")
    if lists:
        scheme = reader.integer(1, "shuffle")
        require(scheme in (1, 2), "CV-4", "not a shuffle")
        if scheme == 2:
            raise NotChecked("elections under tFLSZ")
    if version == 5:
        read.classes = _classes(reader)
        read.opens, read.closes = reader.integer(8, "opens"), reader.integer(8, "closes")
        read.patience, read.quorum = reader.integer(4, "patience"), reader.integer(2, "quorum")
        require(read.opens < read.closes <= 253402300799 and read.patience >= 1, "EL-1", "times")
        require(2 * read.threshold > read.trustees, "EL-1", "two halves of the trustees can decrypt")
        require(2 * read.quorum > read.trustees + read.mixers, "EL-1", "two quorums without a party in common")
        require(read.quorum <= read.threshold + read.minimum_mixers, "EL-1", "a quorum that may not be there")
    read.has_times = version == 5
    notes, link = reader.text("notes", 4000), reader.text("link", 500)
    require(not INVISIBLE.search(notes.replace("\n", "")), "EL-1", "notes")
    require(not link or re.fullmatch(r"https?://[!#-&(-;=?-_a-~]+", link), "EL-1", "link")
    read.columns = -(-sum(q["bytes"] for q in read.questions) // CELL)
    require(read.columns <= 16, "EL-1", "the ballot is too long")
    [first, *rest] = read.questions
    read.is_plain = not (rest or read.classes) and first["kind"] == 1 and first["seats"] == 1 and set(first["rules"]) <= {"plurality", "irv"}
    require(read.has_times or read.is_plain != lists, "EL-1", "in another version than it belongs to")
    return read


def _ranking(question, data):
    used = data.index(0) if 0 in data else len(data)
    ranking = []
    for number in data[:used]:
        if len(ranking) == question["most"]:
            return "too_many_ranks"
        if number > len(question["candidates"]):
            return "unknown_candidate"
        if number - 1 in ranking:
            return "repeated"
        ranking.append(number - 1)
    stray = next((at for at in range(used, len(data)) if data[at]), None)
    if stray is None:
        return tuple(ranking)
    return "gap" if stray < question["most"] else "too_many_ranks"


def read_answer(question, data):
    """Marks, or the reason why the answer is spoiled."""
    if question["kind"] == 1:
        return _ranking(question, data)
    own, behind, n = data[:question["bytes"]], data[question["bytes"]:], len(question["candidates"])
    if question["kind"] == 2:
        bits = int.from_bytes(own, "little")
        if bits >> n:
            return "unknown_candidate"
        marks = frozenset(who for who in range(n) if bits >> who & 1)
        if len(marks) > question["most"]:
            return "too_many_choices"
    else:
        if any(byte > question["best"] + 1 for byte in own):
            return "unknown_grade"
        marks = tuple(byte - 1 if byte else None for byte in own)
    return "too_many_ranks" if any(behind) else marks
