"""The claims that this checker knows, by kind."""

import math

from .answer import check_answer
from .bundle import Bundle
from .ceremony import ROLES, check_ceremony
from .election import check_election
from .encoding import NotChecked
from .records import KINDS as RECORDS
from .snark import PROOFS, check_proofs
from .table import LOGGED, check_absence, check_lookup

KINDS = {
    "table-lookup": (LOGGED, check_lookup),
    "table-absence": (LOGGED, check_absence),
    "table-answer": (LOGGED, check_answer),
    "election": ({"board": (1, math.inf), "log": (0, 1)}, check_election),
    "ceremony": (ROLES, check_ceremony),
    "snark-proof": (PROOFS, check_proofs),
} | RECORDS
# Of other kinds version 1 only.
VERSIONS = {"election": (1, 2, 3)}


def verify(root):
    """Checks a bundle; pairs of a claim's file and whether it was checked."""
    bundle, verdicts = Bundle(root), []
    for name, claim in bundle.claims.items():
        known = claim["kind"] in KINDS and claim["version"] in VERSIONS.get(claim["kind"], (1,))
        if known:
            roles, check = KINDS[claim["kind"]]
            try:
                check(bundle.objects(claim, roles), claim)
            except NotChecked:
                known = False
        verdicts.append((name, claim["kind"], known))
    return verdicts
