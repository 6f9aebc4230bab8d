import type { Json, JsonObject } from '../json.js';
import { among, byFalling } from './choose.js';
import { decimal } from './scottish.js';
import { list, members, notBlank, range, type Count, type Counted } from './count.js';

const ONE = 1_000_000_000n;
/** A surplus below this, in units of 10^-9, is none. */
const SMALL = 1000n;
const MOST_DISTRIBUTIONS = 1000;

const ceil = (x: bigint, y: bigint): bigint => (x + y - 1n) / y;
const least = (x: bigint, y: bigint): bigint => (x < y ? x : y);

function distribute(ballots: Counted[], keep: bigint[]): bigint[] {
  const votes: bigint[] = keep.map(() => 0n);
  for (const { picked, votes: of } of ballots) {
    let weight = ONE;
    for (const c of picked) {
      const kept = least(ceil(weight * keep[c]!, ONE), weight);
      votes[c]! += kept * of;
      weight -= kept;
      if (weight === 0n) break;
    }
  }
  return votes;
}

/** Meek's transferable vote. */
export function meek(count: Count): JsonObject {
  const ballots = notBlank(count);
  const valid = ballots.reduce((sum, { votes }) => sum + votes, 0n);
  const keep: bigint[] = range(count.candidates).map(() => ONE);
  const before: bigint[][] = [];
  const rounds: Json[] = [];
  const elected: number[] = [];
  let hopeful = range(count.candidates);
  while (valid > 0n && elected.length < count.seats) {
    let [votes, quota, surplus] = [[] as bigint[], 0n, 0n];
    let previous: bigint | undefined;
    let iterations = 0;
    const measure = (): void => {
      votes = distribute(ballots, keep);
      iterations += 1;
      quota = votes.reduce((sum, own) => sum + own, 0n) / BigInt(count.seats + 1) + 1n;
      const over = elected.reduce((sum, c) => sum + votes[c]! - quota, 0n);
      surplus = over < 0n ? 0n : over;
    };
    const end = (outcome: Json): void => {
      const exhausted = valid * ONE - votes.reduce((sum, own) => sum + own, 0n);
      const texts = (numbers: bigint[]): Json => numbers.map((x) => decimal(x, 9));
      rounds.push(
        members({ iterations: BigInt(iterations), quota: decimal(quota, 9), votes: texts(votes), keep: texts(keep), exhausted: decimal(exhausted, 9), outcome }),
      );
      before.push(votes);
    };
    const elect = (name: 'elected' | 'remaining', candidates: number[]): void => {
      const order = byFalling(candidates, votes);
      elected.push(...order);
      hopeful = hopeful.filter((c) => !order.includes(c));
      end(members({ [name]: members({ candidates: list(order) }) }));
    };
    const defeat = (): void => {
      const fewest = hopeful.map((c) => votes[c]!).reduce(least);
      const { candidate, tie } = among('fewest', hopeful.filter((c) => votes[c]! <= fewest + surplus), before);
      end(members({ defeated: members({ candidate: BigInt(candidate), tie }) }));
      keep[candidate] = 0n;
      hopeful = hopeful.filter((c) => c !== candidate);
    };
    measure();
    if (hopeful.length <= count.seats - elected.length) {
      elect('remaining', hopeful);
      break;
    }
    for (;;) {
      const reached = hopeful.filter((c) => votes[c]! >= quota);
      if (reached.length > 0) {
        elect('elected', reached);
        break;
      }
      if (surplus < SMALL || iterations === MOST_DISTRIBUTIONS || (previous !== undefined && surplus >= previous)) {
        defeat();
        break;
      }
      previous = surplus;
      for (const c of elected) if (votes[c]! > 0n) keep[c] = least(ceil(ceil(keep[c]! * quota, ONE) * ONE, votes[c]!), ONE);
      measure();
    }
  }
  return members({ valid, rounds, elected: list(elected) });
}
