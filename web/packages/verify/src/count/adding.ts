import type { Json, JsonObject } from '../json.js';
import { byFalling, extreme } from './choose.js';
import { list, members, notBlank, range, tieByOrder, votesOf, type Count } from './count.js';

/** Totals of what each ballot gives to candidates. */
function totals({ candidates, ballots }: Count, give: (ballot: Count['ballots'][number]) => [candidate: number, points: bigint][]): bigint[] {
  const sums: bigint[] = new Array(candidates).fill(0n);
  for (const ballot of ballots) for (const [candidate, points] of give(ballot)) sums[candidate]! += points * ballot.votes;
  return sums;
}

/** Those with the most take the seats. */
export function seat(sums: bigint[], seats: number): { elected: number[]; json: JsonObject } {
  const order = byFalling(range(sums.length).filter((c) => sums[c]! > 0n), sums);
  const elected = order.slice(0, seats);
  const [last, next] = [elected.at(-1), order[seats]];
  const isTie = last !== undefined && next !== undefined && sums[last] === sums[next];
  const tie: Json = isTie ? tieByOrder(range(sums.length).filter((c) => sums[c] === sums[last])) : null;
  return { elected, json: members({ totals: votesOf(range(sums.length), sums), elected: list(elected), tie }) };
}

/** Borda's count: n − 1 points for the first of n candidates. */
export const borda = (count: Count): JsonObject =>
  seat(totals(count, ({ picked }) => picked.map((c, place) => [c, BigInt(count.candidates - 1 - place)])), count.seats).json;

/** Approval, and choices at large. */
export const atLarge = (count: Count): JsonObject => seat(totals(count, ({ picked }) => picked.map((c) => [c, 1n])), count.seats).json;

/** The sums of grades. */
export const scores = (count: Count): bigint[] =>
  totals(count, ({ graded }) => graded.flatMap((grade, c): [number, bigint][] => (grade === undefined ? [] : [[c, BigInt(grade)]])));

/** Score. */
export const score = (count: Count): JsonObject => members({ grades: gradesOf(count), totals: seat(scores(count), count.seats).json });

/** How often each candidate got each grade. */
export function histogram(count: Count): { ungraded: bigint[]; ballots: bigint[][] } {
  const ungraded: bigint[] = new Array(count.candidates).fill(0n);
  const ballots = range(count.candidates).map((): bigint[] => new Array(count.best + 1).fill(0n));
  for (const { graded, votes } of notBlank(count)) {
    graded.forEach((grade, c) => {
      if (grade === undefined) ungraded[c]! += votes;
      else ballots[c]![grade]! += votes;
    });
  }
  return { ungraded, ballots };
}

/** The grades of all candidates. */
export function gradesOf(count: Count): Json {
  const { ungraded, ballots } = histogram(count);
  return range(count.candidates).map((c) => members({ candidate: BigInt(c), ungraded: ungraded[c]!, ballots: ballots[c]! }));
}

/** First preferences. */
export function plurality(count: Count): JsonObject {
  const sums = totals(count, ({ picked }) => (picked.length === 0 ? [] : [[picked[0]!, 1n]]));
  const most = extreme('most', range(sums.length), sums).filter((c) => sums[c]! > 0n);
  return members({
    votes: votesOf(range(sums.length), sums),
    winner: most.length === 0 ? null : BigInt(most[0]!),
    tied: list(most.length > 1 ? most : []),
  });
}
