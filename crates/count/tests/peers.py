"""Counts profiles by programs of others, one JSON object a line in, one out.

In: {"rule": ..., "candidates": n, "seats": s, "best": b, "ballots": [[count, [...]], ...]}.
Out: {"winners": [...]}: everybody who wins in some way of breaking ties, or {"elected": [...]} in order.
"""

import json
import subprocess
import sys
from contextlib import redirect_stdout
from fractions import Fraction


def pref_voting(job):
    from pref_voting.grade_methods import approval, majority_judgement, score_voting, star
    from pref_voting.grade_profiles import GradeProfile
    from pref_voting.iterative_methods import instant_runoff_put
    from pref_voting.margin_based_methods import beat_path, ranked_pairs
    from pref_voting.profiles_with_ties import ProfileWithTies
    from pref_voting.scoring_methods import borda_for_profile_with_ties, domination_borda_scores, plurality

    n, rule = job["candidates"], job["rule"]
    if rule in ("approval", "score", "star", "majority-judgment"):
        maps = [{c: g for c, g in enumerate(grades)} for _, grades in job["ballots"]]
        grades = list(range(job["best"] + 1))
        profile = GradeProfile(maps, grades, gcounts=[k for k, _ in job["ballots"]], candidates=list(range(n)))
        methods = {"approval": approval, "score": score_voting, "star": star, "majority-judgment": majority_judgement}
        return {"winners": sorted(methods[rule](profile))}
    ranks = [{c: place + 1 for place, c in enumerate(choices)} for _, choices in job["ballots"]]
    profile = ProfileWithTies(ranks, rcounts=[k for k, _ in job["ballots"]], candidates=list(range(n)))
    if rule == "irv":
        # Who is not ranked is nowhere, and the ballot is exhausted.
        return {"winners": sorted(instant_runoff_put(profile))}
    if rule == "plurality":
        profile.use_extended_strict_preference()
        scores = profile.plurality_scores()
        return {"winners": sorted(c for c in scores if scores[c] == max(scores.values()))}
    profile.use_extended_strict_preference()
    if rule == "borda":
        return {"winners": sorted(borda_for_profile_with_ties(profile, borda_scores=domination_borda_scores))}
    methods = {"schulze": beat_path, "ranked-pairs": ranked_pairs}
    return {"winners": sorted(methods[rule](profile, strength_function=profile.support))}


def pyrankvote(job):
    from pyrankvote import Ballot, Candidate, instant_runoff_voting, single_transferable_vote

    people = [Candidate(str(c)) for c in range(job["candidates"])]
    ballots = [
        Ballot([people[c] for c in choices]) for count, choices in job["ballots"] for _ in range(count)
    ]
    if job["rule"] == "irv":
        result = instant_runoff_voting(people, ballots)
    else:
        result = single_transferable_vote(people, ballots, number_of_seats=job["seats"])
    return {"elected": [int(c.name) for c in result.get_winners()]}


def stvpoll(job):
    from stvpoll.scottish_stv import ScottishSTV

    # Ties are left open: only counts without any are compared.
    poll = ScottishSTV(
        seats=job["seats"], candidates=[str(c) for c in range(job["candidates"])], random_in_tiebreaks=False
    )
    for count, choices in job["ballots"]:
        poll.add_ballot([str(c) for c in choices], count)
    try:
        return {"elected": [int(c) for c in poll.calculate().elected_as_tuple()]}
    except Exception as error:
        return {"error": str(error)}


def votekit(job):
    from votekit import elections
    from votekit.ballot import RankBallot, ScoreBallot
    from votekit.pref_profile import RankProfile, ScoreProfile

    rule, seats = job["rule"], job["seats"]
    # Names in our order: ties are broken by the alphabet where the peer breaks any.
    names = [chr(ord("A") + c) for c in range(job["candidates"])]
    marks = [(Fraction(weight), choices) for weight, choices in job["ballots"]]
    if rule in ("approval", "score"):
        scores = [(w, {names[c]: g for c, g in enumerate(grades) if g}) for w, grades in marks]
        ballots = [ScoreBallot(scores=own, weight=w) for w, own in scores if own]
        profile = ScoreProfile(ballots=ballots, candidates=names)
        best = 1 if rule == "approval" else job["best"]
        counts = {"approval": lambda: elections.Approval(profile, n_seats=seats)}
        counts["score"] = lambda: elections.GeneralRating(profile, n_seats=seats, per_candidate_limit=best)
    else:
        ballots = [RankBallot(ranking=[{names[c]} for c in choices], weight=w) for w, choices in marks]
        profile = RankProfile(ballots=ballots, candidates=names, max_ranking_length=len(names))
        points = list(range(len(names) - 1, -1, -1))
        counts = {
            "plurality": lambda: elections.Plurality(profile, n_seats=1),
            "borda": lambda: elections.Borda(profile, n_seats=seats, score_vector=points),
            "irv": lambda: elections.IRV(profile),
            "schulze": lambda: elections.Schulze(profile, n_seats=1),
            "ranked-pairs": lambda: elections.RankedPairs(profile, n_seats=1),
            "scottish-stv": lambda: elections.STV(profile, n_seats=seats, simultaneous=False, exact=True),
        }
    try:
        # It prints how it breaks ties.
        with redirect_stdout(sys.stderr):
            elected = [name for tier in counts[rule]().get_elected() for name in tier]
        return {"elected": sorted(names.index(name) for name in elected)}
    except ValueError as error:
        # A tie that it was not told how to break.
        return {"error": str(error)}


def belenios(job):
    """Debian's belenios-tool: ranks of candidates from 1 (0: blank), grades from 1, the best."""
    rule, n = job["rule"], job["candidates"]
    ballots = []
    for count, marks in job["ballots"]:
        if rule == "majority-judgment":
            own = [job["best"] + 1 - grade for grade in marks]
        else:
            own = [marks.index(c) + 1 if c in marks else len(marks) + 1 for c in range(n)]
        ballots += [own] * int(count)
    commands = {
        "schulze": ["schulze", f"--nchoices={n}", "--blank-allowed=false"],
        "majority-judgment": [
            "majority-judgment", f"--nchoices={n}", f"--ngrades={job['best'] + 1}", "--blank-allowed=false"
        ],
        "scottish-stv": ["stv", f"--nseats={job['seats']}"],
    }
    command = ["belenios-tool", "method", *commands[rule]]
    told = subprocess.run(command, input=json.dumps(ballots), capture_output=True, text=True, check=True)
    result = json.loads(told.stdout)
    if rule == "scottish-stv":
        return {"elected": result["winners"], "ties": any(event[0] == "TieWin" or event[0] == "TieLose" for event in result["events"])}
    return {"places": [sorted(place) for place in result["winners"]]}


if __name__ == "__main__":
    peers = [pref_voting, pyrankvote, stvpoll, votekit, belenios]
    peer = {peer.__name__.replace("_", "-"): peer for peer in peers}[sys.argv[1]]
    for line in sys.stdin:
        print(json.dumps(peer(json.loads(line))), flush=True)
