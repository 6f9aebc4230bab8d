import type { Json, JsonObject } from '../json.js';
import { list, members, range, tieByOrder, type Count } from './count.js';

type Matrix = bigint[][];

/** How many ballots rank one candidate before another. */
function preferences({ candidates, ballots }: Count): Matrix {
  const prefer = range(candidates).map((): bigint[] => new Array(candidates).fill(0n));
  for (const { picked, votes } of ballots) {
    const behind = new Set(range(candidates));
    for (const i of picked) {
      behind.delete(i);
      for (const j of behind) prefer[i]![j]! += votes;
    }
  }
  return prefer;
}

/** Gives places one by one to the first before whom none goes. */
function ordered(prefer: Matrix, before: (i: number, j: number) => boolean): { order: Json; ties: Json } {
  const order: number[] = [];
  const ties: Json[] = [];
  let left = prefer.flat().some((votes) => votes > 0n) ? range(prefer.length) : [];
  while (left.length > 0) {
    const first = left.filter((j) => !left.some((i) => before(i, j)));
    if (first.length > 1) ties.push(tieByOrder(first));
    order.push(first[0]!);
    left = left.filter((c) => c !== first[0]);
  }
  return { order: list(order), ties };
}

/** Schulze's method: the widest paths. */
export function schulze(count: Count): JsonObject {
  const prefer = preferences(count);
  const all = range(count.candidates);
  const paths = all.map((i) => all.map((j) => (prefer[i]![j]! > prefer[j]![i]! ? prefer[i]![j]! : 0n)));
  for (const k of all) {
    for (const i of all) {
      for (const j of all) {
        const through = paths[i]![k]! < paths[k]![j]! ? paths[i]![k]! : paths[k]![j]!;
        if (i !== j && through > paths[i]![j]!) paths[i]![j] = through;
      }
    }
  }
  return members({ prefer, paths, ...ordered(prefer, (i, j) => paths[i]![j]! > paths[j]![i]!) });
}

/** Ranked pairs: the widest victories, as long as they make no circle. */
export function rankedPairs(count: Count): JsonObject {
  const prefer = preferences(count);
  const all = range(count.candidates);
  const pairs = all
    .flatMap((winner) => all.map((loser) => ({ winner, loser, ballots: prefer[winner]![loser]!, against: prefer[loser]![winner]! })))
    .filter(({ ballots, against }) => ballots > against)
    .sort((x, y) => {
      if (x.ballots !== y.ballots) return x.ballots > y.ballots ? -1 : 1;
      if (x.against !== y.against) return x.against < y.against ? -1 : 1;
      return x.winner - y.winner || x.loser - y.loser;
    });
  // Whether locked pairs lead from one to another.
  const leads = all.map((): boolean[] => all.map(() => false));
  const printed = pairs.map(({ winner, loser, ballots, against }, i) => {
    const locked = !leads[loser]![winner]!;
    if (locked) {
      for (const a of all) {
        for (const b of all) {
          if ((a === winner || leads[a]![winner]!) && (b === loser || leads[loser]![b]!)) leads[a]![b] = true;
        }
      }
    }
    const next = pairs[i + 1];
    const tied_with_next = next !== undefined && next.ballots === ballots && next.against === against;
    return members({ winner: BigInt(winner), loser: BigInt(loser), ballots, against, locked, tied_with_next });
  });
  return members({ prefer, pairs: printed, ...ordered(prefer, (i, j) => leads[i]![j]!) });
}
