import type { Json, JsonObject } from '../json.js';
import { gradesOf, histogram, scores, seat } from './adding.js';
import { choose } from './choose.js';
import { members, notBlank, range, tieByOrder, votesOf, type Count } from './count.js';

/** Score, then a runoff of the two with the most. */
export function star(count: Count): JsonObject {
  const sums = scores(count);
  const { elected, json } = seat(sums, 2);
  const runoff: bigint[] = new Array(count.candidates).fill(0n);
  let equal = 0n;
  const [a, b] = elected;
  if (a !== undefined && b !== undefined) {
    for (const { graded, votes } of notBlank(count)) {
      const [x, y] = [graded[a] ?? 0, graded[b] ?? 0];
      if (x === y) equal += votes;
      else runoff[x > y ? a : b]! += votes;
    }
  }
  const finalists = [...elected].sort((x, y) => x - y);
  const choice = finalists.length === 0 ? undefined : choose('most', finalists, runoff, [sums]);
  return members({
    grades: gradesOf(count),
    scores: json,
    runoff: b === undefined ? [] : votesOf(elected, runoff),
    equal,
    winner: choice === undefined ? null : BigInt(choice.candidate),
    tie: choice?.tie ?? null,
  });
}

/** A candidate's grades in ascending order, as how many there are of each. */
type Grades = bigint[];

/** How many grades are taken before the one at a place, of `total`. */
function taken(place: bigint, total: bigint): bigint {
  const middle = (total - 1n) / 2n;
  if (place === middle) return 0n;
  const [isAbove, distance] = place > middle ? [true, place - middle] : [false, middle - place];
  return isAbove === (total % 2n === 0n) ? 2n * distance - 1n : 2n * distance;
}

/** The grade at a place. */
function gradeAt(grades: Grades, place: bigint): number {
  let behind = 0n;
  return grades.findIndex((number) => (behind += number) > place);
}

/** The first place, in the order of taking, at which grades differ, or undefined if they are equal. */
function firstDifference(a: Grades, b: Grades, total: bigint): bigint | undefined {
  const middle = (total - 1n) / 2n;
  const ends = (grades: Grades): bigint[] => grades.reduce<bigint[]>((sums, number) => [...sums, (sums.at(-1) ?? 0n) + number], []);
  const bounds = [0n, middle, middle + 1n, ...ends(a), ...ends(b)].filter((x) => x < total);
  // Between two bounds all grades are the same; the place nearest to the middle is taken first.
  const starts = [...new Set(bounds)].sort((x, y) => (x < y ? -1 : 1));
  const places = starts.flatMap((start, i) => {
    if (gradeAt(a, start) === gradeAt(b, start)) return [];
    const end = starts[i + 1] ?? total;
    return [start >= middle ? start : end - 1n];
  });
  return places.map((place) => [place, taken(place, total)] as const).sort(([, x], [, y]) => (x < y ? -1 : 1))[0]?.[0];
}

/** Majority judgment: medians, and where they are equal what is left when they are taken away. */
export function majorityJudgment(count: Count): JsonObject {
  const { ungraded, ballots } = histogram(count);
  const total = notBlank(count).reduce((sum, { votes }) => sum + votes, 0n);
  if (total === 0n) return members({ grades: gradesOf(count), order: [], ties: [] });
  const grades = ballots.map(([worst, ...others], c): Grades => [worst! + ungraded[c]!, ...others]);
  const compare = (a: number, b: number): number => {
    const place = firstDifference(grades[a]!, grades[b]!, total);
    return place === undefined ? 0 : gradeAt(grades[b]!, place) - gradeAt(grades[a]!, place);
  };
  const order = range(count.candidates).sort((a, b) => compare(a, b) || a - b);
  const ties: Json[] = [];
  for (let i = 0; i < order.length; ) {
    const equal = order.filter((c) => compare(order[i]!, c) === 0);
    if (equal.length > 1) ties.push(tieByOrder(equal));
    i += equal.length;
  }
  const printed = order.map((c, i) => {
    const next = order[i + 1];
    const place = next === undefined ? undefined : firstDifference(grades[c]!, grades[next]!, total);
    const removed = place === undefined ? null : taken(place, total);
    return members({ candidate: BigInt(c), median: BigInt(gradeAt(grades[c]!, (total - 1n) / 2n)), removed });
  });
  return members({ grades: gradesOf(count), order: printed, ties });
}
