import type { Json, JsonObject } from '../json.js';
import { choose } from './choose.js';
import { members, range, votesOf, type Count } from './count.js';

/** Instant runoff. */
export function runoff({ candidates, ballots }: Count): JsonObject {
  const rounds: Json[] = [];
  const before: bigint[][] = [];
  const all = ballots.reduce((sum, { votes }) => sum + votes, 0n);
  let left = range(candidates);
  for (;;) {
    const standing = firstOf(left, ballots, candidates);
    const active = standing.reduce((sum, votes) => sum + votes, 0n);
    const majority = active / 2n + 1n;
    const round = (outcome: Json): void =>
      void rounds.push(members({ standing: votesOf(left, standing), exhausted: all - active, majority, outcome }));
    const elected = left.find((c) => standing[c]! >= majority);
    if (elected !== undefined || active === 0n) {
      round(elected === undefined ? 'no_votes' : members({ elected: members({ candidate: BigInt(elected) }) }));
      return members({ rounds });
    }
    const { candidate, tie } = choose('fewest', left, standing, before);
    const rest = left.filter((c) => c !== candidate);
    const after = firstOf(rest, ballots, candidates);
    const gained = after.map((votes, c) => (c === candidate ? 0n : votes - standing[c]!));
    const transfers = votesOf(rest.filter((c) => gained[c]! > 0n), gained);
    const exhausted = standing[candidate]! - gained.reduce((sum, votes) => sum + votes, 0n);
    round(members({ eliminated: members({ candidate: BigInt(candidate), tie, transfers, exhausted }) }));
    before.push(standing);
    left = rest;
  }
}

/** Votes of each candidate left. */
function firstOf(left: number[], ballots: Count['ballots'], candidates: number): bigint[] {
  const standing: bigint[] = new Array(candidates).fill(0n);
  const isLeft = new Set(left);
  for (const { picked, votes } of ballots) {
    const first = picked.find((c) => isLeft.has(c));
    if (first !== undefined) standing[first]! += votes;
  }
  return standing;
}
