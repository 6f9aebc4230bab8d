import type { Json } from '../json.js';
import { list, members, tieByOrder } from './count.js';

/** Who was chosen, and the tie there was. */
export interface Choice {
  candidate: number;
  tie: Json;
}

/** Those among `left` with the greatest or the least figure. */
export function extreme(kind: 'most' | 'fewest', left: number[], figures: bigint[]): number[] {
  const best = left.map((c) => figures[c]!).reduce((x, y) => ((kind === 'most' ? x > y : x < y) ? x : y));
  return left.filter((c) => figures[c] === best);
}

/** Chooses among those tied, by the rounds before from the last to the first, then by the order of candidates. */
export function among(kind: 'most' | 'fewest', tied: number[], before: bigint[][]): Choice {
  if (tied.length === 1) return { candidate: tied[0]!, tie: null };
  let left = tied;
  for (let round = before.length; round > 0; round--) {
    left = extreme(kind, left, before[round - 1]!);
    if (left.length === 1) {
      const decided_by = members({ earlier_round: members({ round: BigInt(round) }) });
      return { candidate: left[0]!, tie: members({ candidates: list(tied), decided_by }) };
    }
  }
  return { candidate: kind === 'most' ? left[0]! : left.at(-1)!, tie: tieByOrder(tied) };
}

/** Chooses the most or the fewest by a figure. */
export const choose = (kind: 'most' | 'fewest', candidates: number[], figures: bigint[], before: bigint[][]): Choice =>
  among(kind, extreme(kind, candidates, figures), before);

/** By falling figures, then ascending. */
export const byFalling = (candidates: number[], figures: bigint[]): number[] =>
  [...candidates].sort((a, b) => (figures[a] === figures[b] ? a - b : figures[a]! > figures[b]! ? -1 : 1));
