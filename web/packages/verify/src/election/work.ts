import { encodeScalar, decodePoint, ZERO, type Point } from '../group.js';
import { join } from '../bytes.js';
import type { Job, Plain, Sealed, Signed } from '../kernel.js';
import type { Pool } from '../pool.js';
import { Refusal } from '../refusal.js';

/** Items of one job at most. */
const CHUNK = 256;

/** Ranges of at most `size` that cover `count` items. */
const ranges = (count: number, size: number): [number, number][] =>
  Array.from({ length: Math.ceil(count / size) }, (_, i) => [i * size, Math.min(count, (i + 1) * size)]);

/** Which signatures are genuine. */
export async function genuine(signed: Signed[], pool: Pool, progress: (done: number, all: number) => void = () => {}): Promise<boolean[]> {
  const jobs = ranges(signed.length, CHUNK).map(([from, to]): Job => ({ signed: signed.slice(from, to) }));
  let done = 0;
  const outcomes = await pool.run(jobs, () => progress(++done, jobs.length));
  return outcomes.flatMap((outcome) => ('genuine' in outcome ? outcome.genuine : []));
}

/** The sum of multiples of encoded points. */
export async function sumOf(points: Uint8Array, scalars: bigint[], pool: Pool): Promise<Point> {
  const jobs = ranges(scalars.length, 4096).map(([from, to]): Job => {
    const bytes = points.slice(32 * from, 32 * to);
    return { sum: [{ basis: { kind: 'encoded', bytes }, scalars: join(scalars.slice(from, to).map(encodeScalar)) }] };
  });
  return (await pool.run(jobs, () => {})).reduce((sum, outcome) => {
    if (!('sum' in outcome)) throw new Refusal('CV-6', 'a point is not canonical');
    return sum.add(decodePoint(outcome.sum));
  }, ZERO);
}

/** What ciphertexts hold, from the trustees' points and their factors. */
export async function openAll({ second, shares, carries }: Sealed, pool: Pool, progress: (done: number, all: number) => void): Promise<Plain[]> {
  const jobs = ranges(second.length / 32, CHUNK).map(([from, to]): Job => {
    const cut = (bytes: Uint8Array): Uint8Array => bytes.slice(32 * from, 32 * to);
    return { sealed: { second: cut(second), shares: shares.map(({ factor, points }) => ({ factor, points: cut(points) })), carries } };
  });
  let done = 0;
  const outcomes = await pool.run(jobs, () => progress(++done, jobs.length));
  return outcomes.flatMap((outcome) => ('plain' in outcome ? outcome.plain : []));
}

/** The sums of lists of encoded points. */
export async function totals(lists: Uint8Array[], pool: Pool): Promise<Uint8Array[]> {
  const jobs = ranges(lists.length, Math.max(1, Math.ceil(lists.length / (4 * pool.width)))).map(([from, to]): Job => ({ lists: lists.slice(from, to) }));
  return (await pool.run(jobs, () => {})).flatMap((outcome) => ('totals' in outcome ? outcome.totals : []));
}
