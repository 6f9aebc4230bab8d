"""Tallies: docs/spec/counting.md. Ballots are `(kind, marks)`, the candidates chosen or graded."""

from collections import Counter

REASONS = ["wrong_length", "unknown_candidate", "repeated", "gap", "too_many_ranks", "too_many_choices", "unknown_grade"]


def _votes(figures):
    return [{"candidate": candidate, "ballots": figures[candidate]} for candidate in sorted(figures)]


def choose(pick, figures, earlier):
    """One of the keys of `figures` with the most or the fewest; a pair with the tie."""
    left = [who for who in sorted(figures) if figures[who] == pick(figures.values())]
    if len(left) == 1:
        return left[0], None
    tied = list(left)
    for number in range(len(earlier), 0, -1):
        there = earlier[number - 1]
        best = pick(there[who] for who in left if who in there)
        left = [who for who in left if there.get(who) == best]
        if len(left) == 1:
            return left[0], {"candidates": tied, "decided_by": {"earlier_round": {"round": number}}}
    return left[0 if pick is max else -1], {"candidates": tied, "decided_by": "candidate_order"}


def _by_order(candidates):
    return {"candidates": candidates, "decided_by": "candidate_order"}


def _elect(figures, seats):
    ranked = sorted((who for who in figures if figures[who] > 0), key=lambda who: (-figures[who], who))
    elected, rest = ranked[:seats], ranked[seats:]
    tie = None
    if elected and rest and figures[elected[-1]] == figures[rest[0]]:
        tie = _by_order([who for who in ranked if figures[who] == figures[rest[0]]])
    return {"totals": _votes(figures), "elected": elected, "tie": tie}


def plurality(n, seats, best, ballots):
    figures = dict.fromkeys(range(n), 0)
    for ranking, count in ballots:
        for first in ranking[:1]:
            figures[first] += count
    most = max(figures.values())
    ahead = [who for who in figures if figures[who] == most > 0]
    return {"votes": _votes(figures), "winner": ahead[0] if ahead else None, "tied": ahead if len(ahead) > 1 else []}


def irv(n, seats, best, ballots):
    left, rounds, history = set(range(n)), [], []

    def standing(among):
        figures, exhausted = dict.fromkeys(sorted(among), 0), 0
        for ranking, count in ballots:
            first = next((who for who in ranking if who in among), None)
            if first is None:
                exhausted += count
            else:
                figures[first] += count
        return figures, exhausted

    while True:
        figures, exhausted = standing(left)
        majority = sum(figures.values()) // 2 + 1
        elected = next((who for who in figures if figures[who] >= majority), None)
        if elected is not None:
            outcome = {"elected": {"candidate": elected}}
        elif not any(figures.values()):
            outcome = "no_votes"
        else:
            candidate, tie = choose(min, figures, history)
            after, then = standing(left - {candidate})
            gains = {who: after[who] - figures[who] for who in after if after[who] > figures[who]}
            outcome = {"eliminated": {
                "candidate": candidate, "tie": tie, "transfers": _votes(gains), "exhausted": then - exhausted}}
        rounds.append({"standing": _votes(figures), "exhausted": exhausted, "majority": majority, "outcome": outcome})
        if not isinstance(outcome, dict) or "eliminated" not in outcome:
            return {"rounds": rounds}
        history.append(figures)
        left.discard(outcome["eliminated"]["candidate"])


def borda(n, seats, best, ballots):
    figures = dict.fromkeys(range(n), 0)
    for ranking, count in ballots:
        for place, who in enumerate(ranking, 1):
            figures[who] += (n - place) * count
    return _elect(figures, seats)


def choices(n, seats, best, ballots):
    figures = dict.fromkeys(range(n), 0)
    for chosen, count in ballots:
        for who in chosen:
            figures[who] += count
    return _elect(figures, seats)


def _prefer(n, ballots):
    prefer = [[0] * n for _ in range(n)]
    for ranking, count in ballots:
        for place, who in enumerate(ranking):
            for other in set(range(n)) - set(ranking[:place + 1]):
                prefer[who][other] += count
    return prefer


def _places(n, prefer, before):
    order, ties, left = [], [], list(range(n))
    while left and any(map(any, prefer)):
        free = [who for who in left if not any(before(other, who) for other in left)]
        if len(free) > 1:
            ties.append(_by_order(free))
        order.append(free[0])
        left.remove(free[0])
    return order, ties


def schulze(n, seats, best, ballots):
    prefer = _prefer(n, ballots)
    beats = lambda i, j: prefer[i][j] > prefer[j][i]
    paths = [[prefer[i][j] if beats(i, j) else 0 for j in range(n)] for i in range(n)]
    for middle in range(n):
        for i in range(n):
            for j in range(n):
                if i != j:
                    paths[i][j] = max(paths[i][j], min(paths[i][middle], paths[middle][j]))
    order, ties = _places(n, prefer, lambda i, j: paths[i][j] > paths[j][i])
    return {"prefer": prefer, "paths": paths, "order": order, "ties": ties}


def ranked_pairs(n, seats, best, ballots):
    prefer = _prefer(n, ballots)
    found = [(i, j) for i in range(n) for j in range(n) if prefer[i][j] > prefer[j][i]]
    strength = lambda pair: (-prefer[pair[0]][pair[1]], prefer[pair[1]][pair[0]])
    found.sort(key=lambda pair: (strength(pair), pair))
    locked = set()

    def leads(i, j, seen=()):
        return any(b == j or leads(b, j, (*seen, b)) for a, b in locked if a == i and b not in seen)

    pairs = []
    for at, (i, j) in enumerate(found):
        free = not leads(j, i)
        if free:
            locked.add((i, j))
        tied = at + 1 < len(found) and strength(found[at + 1]) == strength((i, j))
        pairs.append({"winner": i, "loser": j, "ballots": prefer[i][j], "against": prefer[j][i],
                      "locked": free, "tied_with_next": tied})
    order, ties = _places(n, prefer, leads)
    return {"prefer": prefer, "pairs": pairs, "order": order, "ties": ties}


def _decimal(units, places):
    return f"{units // 10**places}.{units % 10**places:0{places}}"


def scottish_stv(n, seats, best, ballots):
    one, seated = 10**5, min(seats, n)
    valid = sum(count for ranking, count in ballots if ranking)
    quota = valid // (seats + 1) + 1
    continuing, waiting, elected, stages, history = set(range(n)), set(), [], [], []
    parcels, votes = {who: [] for who in range(n)}, dict.fromkeys(range(n), 0)

    def credit(ranking, count, value):
        for place, who in enumerate(ranking):
            if who in continuing:
                votes[who] += count * value
                parcels[who].append((ranking[place + 1:], count, value))
                return

    for ranking, count in ballots:
        credit(ranking, count, one)
    transfer = "first_preferences"
    while valid:
        falling = lambda who: (-votes[who], who)
        now = sorted((who for who in continuing if votes[who] >= quota * one), key=falling)
        continuing -= set(now)
        waiting |= set(now)
        elected += now
        rest = sorted(continuing, key=falling) if len(continuing) <= seated - len(elected) else []
        elected += rest
        exhausted = _decimal(valid * one - sum(votes.values()), 5)
        shown = [_decimal(votes[who], 5) for who in range(n)]
        stages.append({"transfer": transfer, "votes": shown, "exhausted": exhausted, "elected": now, "remaining": rest})
        if len(elected) >= seated:
            break
        above = {who: votes[who] for who in waiting if votes[who] > quota * one}
        if above:
            who, tie = choose(max, above, history)
            surplus = votes[who] - quota * one
            transfer = {"surplus": {"candidate": who, "surplus": _decimal(surplus, 5), "tie": tie}}
            waiting.discard(who)
            share, keeps = (lambda value, total=votes[who]: surplus * value // total), quota * one
        else:
            who, tie = choose(min, {who: votes[who] for who in continuing}, history)
            transfer = {"exclusion": {"candidate": who, "tie": tie}}
            continuing.discard(who)
            share, keeps = (lambda value: value), 0
        history.append(dict(votes))
        moved, parcels[who], votes[who] = parcels[who], [], keeps
        for ranking, count, value in moved:
            credit(ranking, count, share(value))
    return {"valid": valid, "quota": quota, "stages": stages, "elected": elected}


def meek_stv(n, seats, best, ballots):
    one, seats = 10**9, min(seats, n)
    up = lambda a, b: -(-a // b)
    valid = sum(count for ranking, count in ballots if ranking)
    hopeful, elected, keep, rounds, history = set(range(n)), [], [one] * n, [], []

    def distribute():
        votes = dict.fromkeys(range(n), 0)
        for ranking, count in ballots:
            weight = one
            for who in ranking:
                share = min(up(weight * keep[who], one), weight)
                votes[who] += share * count
                weight -= share
        quota = sum(votes.values()) // (seats + 1) + 1
        return votes, quota, max(0, sum(votes[who] - quota for who in elected))

    while valid:
        iterations, (votes, quota, surplus) = 1, distribute()
        falling = lambda who: (-votes[who], who)
        outcome, ends, stalled = None, False, False
        if len(hopeful) <= seats - len(elected):
            last = sorted(hopeful, key=falling)
            elected += last
            outcome, ends = {"remaining": {"candidates": last}}, True
        while outcome is None:
            winners = sorted((who for who in hopeful if votes[who] >= quota), key=falling)
            if winners:
                elected += winners
                hopeful -= set(winners)
                for who in winners:
                    keep[who] = one
                outcome, ends = {"elected": {"candidates": winners}}, len(elected) >= seats
            elif surplus < 1000 or iterations >= 1000 or stalled:
                fewest = min(votes[who] for who in hopeful)
                tied = {who: 0 for who in hopeful if votes[who] <= fewest + surplus}
                who, tie = choose(min, tied, history)
                outcome = {"defeated": {"candidate": who, "tie": tie}}
            else:
                for who in elected:
                    keep[who] = min(up(up(keep[who] * quota, one) * one, votes[who]), one)
                before, iterations = surplus, iterations + 1
                votes, quota, surplus = distribute()
                stalled = surplus >= before
        rounds.append({
            "iterations": iterations, "quota": _decimal(quota, 9),
            "votes": [_decimal(votes[who], 9) for who in range(n)], "keep": [_decimal(k, 9) for k in keep],
            "exhausted": _decimal(valid * one - sum(votes.values()), 9), "outcome": outcome})
        if "defeated" in outcome:
            hopeful.discard(who)
            keep[who] = 0
        history.append(votes)
        if ends:
            break
    return {"valid": valid, "rounds": rounds, "elected": elected}


def _graded(n, best, ballots):
    grades = [{"candidate": who, "ungraded": 0, "ballots": [0] * (best + 1)} for who in range(n)]
    for given, count in ballots:
        if any(grade is not None for grade in given):
            for one, grade in zip(grades, given):
                if grade is None:
                    one["ungraded"] += count
                else:
                    one["ballots"][grade] += count
    return grades


def _points(grades, seats):
    return _elect({one["candidate"]: sum(g * b for g, b in enumerate(one["ballots"])) for one in grades}, seats)


def score(n, seats, best, ballots):
    grades = _graded(n, best, ballots)
    return {"grades": grades, "totals": _points(grades, seats)}


def star(n, seats, best, ballots):
    grades = _graded(n, best, ballots)
    scores, runoff, equal = _points(grades, 2), [], 0
    finalists = scores["elected"]
    if len(finalists) == 2:
        one, other = finalists
        figures = {one: 0, other: 0}
        for given, count in ballots:
            if any(grade is not None for grade in given):
                a, b = given[one] or 0, given[other] or 0
                if a == b:
                    equal += count
                else:
                    figures[one if a > b else other] += count
        runoff = [{"candidate": who, "ballots": figures[who]} for who in finalists]
    winner, tie = None, None
    if finalists:
        figures = {votes["candidate"]: votes["ballots"] for votes in runoff} or dict.fromkeys(finalists, 0)
        points = {votes["candidate"]: votes["ballots"] for votes in scores["totals"]}
        winner, tie = choose(max, figures, [points])
    return {"grades": grades, "scores": scores, "runoff": runoff, "equal": equal, "winner": winner, "tie": tie}


def majority_judgment(n, seats, best, ballots):
    grades = _graded(n, best, ballots)
    own = [sorted([0] * one["ungraded"] + [g for g, b in enumerate(one["ballots"]) for _ in range(b)]) for one in grades]
    v = len(own[0])
    if v == 0:
        return {"grades": grades, "order": [], "ties": []}
    middle = (v - 1) // 2
    steps = [middle]
    for step in range(1, v):
        steps += [middle - step, middle + step] if v % 2 else [middle + step, middle - step]
    steps = [place for place in steps if 0 <= place < v]
    taken = [[own[who][place] for place in steps] for who in range(n)]
    ranked = sorted(range(n), key=lambda who: ([-grade for grade in taken[who]], who))
    order = []
    for at, who in enumerate(ranked):
        removed = None
        if at + 1 < n:
            pairs = enumerate(zip(taken[who], taken[ranked[at + 1]]))
            removed = next((place for place, (a, b) in pairs if a != b), None)
        order.append({"candidate": who, "median": taken[who][0], "removed": removed})
    equal = Counter(map(tuple, taken))
    ties, seen = [], set()
    for who in ranked:
        if equal[tuple(taken[who])] > 1 and tuple(taken[who]) not in seen:
            seen.add(tuple(taken[who]))
            ties.append(_by_order([other for other in ranked if taken[other] == taken[who]]))
    return {"grades": grades, "order": order, "ties": ties}


RULES = {
    "plurality": plurality, "irv": irv, "borda": borda, "schulze": schulze, "ranked-pairs": ranked_pairs,
    "scottish-stv": scottish_stv, "meek-stv": meek_stv, "approval": choices, "at-large": choices, "score": score,
    "star": star, "majority-judgment": majority_judgment,
}


def _sort_key(marks):
    """Choices as their bits; grades with none before the worst."""
    if isinstance(marks, frozenset):
        return sum(1 << who for who in marks)
    return tuple(-1 if mark is None else mark for mark in marks)


def _count_question(question, answers, weights):
    good = Counter()
    for answer, votes in zip(answers, weights):
        if not isinstance(answer, str):
            good[answer] += votes
    ballots = sorted(good.items(), key=lambda item: _sort_key(item[0]))
    blank = sum(not isinstance(answer, str) and is_blank(answer) for answer in answers)
    n, seats, best = len(question["candidates"]), question["seats"], question["best"]
    counts = [{"rule": rule, **RULES[rule](n, seats, best, ballots)} for rule in question["rules"]]
    return {"blank": blank, "spoiled": _spoiled(answers), "counts": counts}


def _spoiled(answers):
    found = Counter(answer for answer in answers if isinstance(answer, str))
    return [{"reason": reason, "ballots": found[reason]} for reason in REASONS if found[reason]]


def is_blank(marks):
    return all(mark is None for mark in marks)


def tally(questions, ballots, weights=None, *, is_plain):
    """Of ballots, each a list of answers: marks, or the reason why it is spoiled. A ballot counts as many as its weight."""
    weights = weights or [1] * len(ballots)
    counted = [
        _count_question(question, [ballot[at] for ballot in ballots], weights) for at, question in enumerate(questions)]
    blank = sum(all(not isinstance(a, str) and is_blank(a) for a in ballot) for ballot in ballots)
    if is_plain:
        by_rule = {count.pop("rule"): count for count in counted[0]["counts"]}
        return {"ballots": len(ballots), "blank": blank, "spoiled": counted[0]["spoiled"],
                "plurality": by_rule.get("plurality"), "irv": by_rule.get("irv")}
    unreadable = [ballot[0] for ballot in ballots if all(answer == "wrong_length" for answer in ballot)]
    return {"ballots": len(ballots), "blank": blank, "spoiled": _spoiled(unreadable),
            "plurality": None, "irv": None, "questions": counted}
