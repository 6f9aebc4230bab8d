"""Counts profiles by programs of others, one JSON object a line in, one out.

In: {"rule": ..., "candidates": n, "seats": s, "best": b, "ballots": [[count, [...]], ...]}.
Out: {"winners": [...]}: everybody who wins in some way of breaking ties, or {"elected": [...]} in order.
"""

import json
import sys


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


if __name__ == "__main__":
    peer = {"pref-voting": pref_voting, "pyrankvote": pyrankvote, "stvpoll": stvpoll}[sys.argv[1]]
    for line in sys.stdin:
        print(json.dumps(peer(json.loads(line))), flush=True)
