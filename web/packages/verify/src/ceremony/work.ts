import { normalizeZ } from '@noble/curves/abstract/curve.js';
import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js';
import { integer, join } from '../bytes.js';
import { must, Refusal } from '../refusal.js';
import type { Curve } from '../snark/curve.js';
import { at, curveNamed, groupsOf, readCurvePoints, readPoint, readPoints, readUncompressed, uncompressed, widthOf, type Group } from './points.js';
import type { Pool } from '../pool.js';

/** Points of a file, in Montgomery's form. */
export interface Listed {
  curve: Curve['name'];
  group: 'G1' | 'G2';
  points: Uint8Array;
  /** Whether neutral ones may be among them. */
  neutral: boolean;
}

/** Multiples of points of G1, summed for one wire after the other. */
export interface Wires {
  curve: Curve['name'];
  points: Uint8Array;
  /** How many terms each wire has; for each term the place of its point, and its factor in 32 bytes. */
  counts: Uint32Array;
  places: Uint32Array;
  factors: Uint8Array;
}

/** Something about points of a pairing's groups: sums with several lists of weights, sums for wires, differences. */
export type CurveJob =
  | { sums: Listed; weights: Uint8Array[] }
  | { wires: Wires }
  | { differences: { curve: Curve['name']; high: Uint8Array; low: Uint8Array } };

/** Points, uncompressed; or why a point of a file is refused. */
export type CurveOutcome = { points: Uint8Array } | { refused: { check: string; what: string } };

/** About how many points of ristretto255 are as much work. */
export function curveEffort(job: CurveJob): number {
  if ('sums' in job) return (job.sums.points.length / 64) * (1 + 2 * job.weights.length);
  if ('wires' in job) return 5 * job.wires.places.length;
  return job.differences.high.length / 64;
}

/** Computes a job. */
export function runCurve(job: CurveJob): CurveOutcome {
  try {
    if ('sums' in job) return { points: sumsOf(job.sums, job.weights) };
    if ('wires' in job) return { points: wiresOf(job.wires) };
    return { points: differencesOf(job.differences) };
  } catch (error) {
    if (error instanceof Refusal) return { refused: { check: error.check, what: error.what } };
    throw error;
  }
}

function sumsOf(listed: Listed, weights: Uint8Array[]): Uint8Array {
  const groups = groupsOf(curveNamed(listed.curve));
  return listed.group === 'G1' ? sumsIn(groups.G1, listed, weights) : sumsIn(groups.G2, listed, weights);
}

function sumsIn<F>(group: Group<F>, { points: bytes, neutral }: Listed, weights: Uint8Array[]): Uint8Array {
  const points = readCurvePoints(group, bytes, neutral);
  checkSubgroup(group, points);
  return join(
    weights.map((list) => {
      const width = list.length / points.length;
      const scalars = points.map((_, i) => integer(list.subarray(width * i, width * (i + 1))));
      return uncompressed(group, combination(group, points, scalars));
    }),
  );
}

/** The sum of `scalars[i]·points[i]`, by buckets: as many windows as the longest scalar needs. */
export function combination<F>({ Point }: Group<F>, points: WeierstrassPoint<F>[], scalars: bigint[]): WeierstrassPoint<F> {
  const known = points.map((_, i) => i).filter((i) => scalars[i] !== 0n && !points[i]!.is0());
  const bits = known.reduce((most, i) => Math.max(most, scalars[i]!.toString(2).length), 0);
  const width = Math.max(2, Math.floor(Math.log2(known.length + 1)) - 1);
  let sum = Point.ZERO;
  for (let window = Math.ceil(bits / width) - 1; window >= 0; window--) {
    for (let i = 0; i < width; i++) sum = sum.double();
    const buckets = new Map<number, WeierstrassPoint<F>>();
    for (const i of known) {
      const digit = Number((scalars[i]! >> BigInt(window * width)) & ((1n << BigInt(width)) - 1n));
      if (digit === 0) continue;
      const bucket = buckets.get(digit);
      buckets.set(digit, bucket === undefined ? points[i]! : bucket.add(points[i]!));
    }
    let running = Point.ZERO;
    for (let digit = 2 ** width - 1; digit > 0; digit--) {
      const bucket = buckets.get(digit);
      if (bucket !== undefined) running = running.add(bucket);
      if (!running.is0()) sum = sum.add(running);
    }
  }
  return sum;
}

/** Points that are worth a check together. */
const MANY = 64;

/** Requires that points of a curve are in the subgroup (`CE-1`). */
function checkSubgroup<F>(group: Group<F>, points: WeierstrassPoint<F>[]): void {
  const outside = 'a point is outside its subgroup';
  if (group.curve.name !== 'BN254' || group.name === 'G1' || points.length < MANY) {
    must(points.every((point) => point.isTorsionFree()), 'CE-1', outside);
    return;
  }
  // The least prime that divides the cofactor is 10069: a sum with coefficients of 14 random bits hides a point outside with
  // a chance of 2^-13 at most, and ten of them with 2^-130.
  for (let round = 0; round < 10; round++) {
    const drawn = crypto.getRandomValues(new Uint16Array(points.length));
    const sum = combination(group, points, points.map((_, i) => BigInt(drawn[i]! & 0x3fff)));
    must(sum.isTorsionFree(), 'CE-1', outside);
  }
}

function wiresOf({ curve, points: bytes, counts, places, factors }: Wires): Uint8Array {
  const group = groupsOf(curveNamed(curve)).G1;
  const order = curveNamed(curve).noble.fields.Fr.ORDER;
  const points = readPoints(group, bytes, true);
  let next = 0;
  const sums = Array.from(counts, (count) => {
    let sum = group.Point.ZERO;
    const others: { points: WeierstrassPoint<bigint>[]; scalars: bigint[] } = { points: [], scalars: [] };
    for (let end = next + count; next < end; next++) {
      const point = points[places[next]!]!;
      const factor = integer(factors.subarray(32 * next, 32 * next + 32));
      if (factor === 1n) sum = sum.add(point);
      else if (factor === order - 1n) sum = sum.subtract(point);
      else {
        others.points.push(point);
        others.scalars.push(factor);
      }
    }
    return sum.add(combination(group, others.points, others.scalars));
  });
  return join(normalizeZ(group.Point, sums).map((point) => uncompressed(group, point)));
}

function differencesOf({ curve, high, low }: { curve: Curve['name']; high: Uint8Array; low: Uint8Array }): Uint8Array {
  const group = groupsOf(curveNamed(curve)).G1;
  const lows = readPoints(group, low);
  const differences = lows.map((point, i) => readPoint(group, at(group, high, i)).subtract(point));
  return join(normalizeZ(group.Point, differences).map((point) => uncompressed(group, point)));
}

/** Points that one job takes. */
const CHUNK = 512;

/** Jobs' points, in their order; a refusal says where. */
export async function compute(pool: Pool, where: string, jobs: CurveJob[]): Promise<Uint8Array[]> {
  const outcomes = await pool.run(jobs.map((curve) => ({ curve })), () => {});
  return outcomes.map((outcome) => {
    if ('refused' in outcome) throw new Refusal(outcome.refused.check, `${where}: ${outcome.refused.what}`);
    if (!('points' in outcome)) throw new Error('another kind of outcome');
    return outcome.points;
  });
}

/** A list's sums, with several lists of weights of 16 or 32 bytes; all points are decoded and checked. */
export async function sums<F>(pool: Pool, where: string, group: Group<F>, points: Uint8Array, neutral: boolean, weights: Uint8Array[]): Promise<WeierstrassPoint<F>[]> {
  const width = widthOf(group);
  const count = points.length / width;
  const jobs = Array.from({ length: Math.ceil(count / CHUNK) }, (_, chunk): CurveJob => {
    const [from, to] = [chunk * CHUNK, Math.min(count, (chunk + 1) * CHUNK)];
    const part = (list: Uint8Array): Uint8Array => list.slice((list.length / count) * from, (list.length / count) * to);
    return { sums: { curve: group.curve.name, group: group.name, points: points.slice(width * from, width * to), neutral }, weights: weights.map(part) };
  });
  const parts = await compute(pool, where, jobs);
  return weights.map((_, i) => parts.reduce((sum, part) => sum.add(readUncompressed(group, at(group, part, i))), group.Point.ZERO));
}

/** `count` weights of 128 random bits. */
export function drawWeights(count: number): Uint8Array {
  const out = new Uint8Array(16 * count);
  for (let i = 0; i < out.length; i += 65536) crypto.getRandomValues(out.subarray(i, i + 65536));
  return out;
}
