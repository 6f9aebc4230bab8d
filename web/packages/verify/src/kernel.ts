import { concat, le64, text } from './bytes.js';
import { decodePoint, decodeScalar, hashToGroup, multiscalar, oneWayMap, type Point } from './group.js';

/** Where the points of a job come from. */
export type Basis =
  | { kind: 'encoded'; bytes: Uint8Array }
  | { kind: 'uniform'; bytes: Uint8Array }
  | { kind: 'hashed'; prefix: string; from: number; count: number };

/** Points, and 32 bytes of a scalar for each. */
export interface Part {
  basis: Basis;
  scalars: Uint8Array;
}

/** A sum of multiples of points, to be computed anywhere. */
export type Job = Part[];

/** The sum's encoding, or the first point that is not canonical. */
export type Outcome = { sum: Uint8Array } | { bad: { part: number; point: number } };

/** How many points a basis has. */
export const size = (basis: Basis): number =>
  basis.kind === 'hashed' ? basis.count : basis.bytes.length / (basis.kind === 'uniform' ? 64 : 32);

/** A part of a basis. */
export function slice(basis: Basis, from: number, to: number): Basis {
  if (basis.kind === 'hashed') return { ...basis, from: basis.from + from, count: to - from };
  const width = basis.kind === 'uniform' ? 64 : 32;
  return { kind: basis.kind, bytes: basis.bytes.slice(width * from, width * to) };
}

function pointOf(basis: Basis, i: number): Point {
  switch (basis.kind) {
    case 'encoded':
      return decodePoint(basis.bytes.subarray(32 * i, 32 * i + 32));
    case 'uniform':
      return oneWayMap(basis.bytes.subarray(64 * i, 64 * i + 64));
    case 'hashed':
      return hashToGroup(concat(text(basis.prefix), le64(basis.from + i)));
  }
}

/** Decodes the points, and sums their multiples. */
export function run(job: Job): Outcome {
  const points: Point[] = [];
  const scalars: bigint[] = [];
  for (const [part, { basis, scalars: encoded }] of job.entries()) {
    for (let i = 0; i < size(basis); i++) {
      const scalar = decodeScalar(encoded.subarray(32 * i, 32 * i + 32));
      // Points that were derived here need no check.
      if (scalar === 0n && basis.kind !== 'encoded') continue;
      try {
        points.push(pointOf(basis, i));
      } catch {
        return { bad: { part, point: i } };
      }
      scalars.push(scalar);
    }
  }
  return { sum: multiscalar(points, scalars).toBytes() };
}
