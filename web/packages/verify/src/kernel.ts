import { concat, le64, text } from './bytes.js';
import { curveEffort, runCurve, type CurveJob, type CurveOutcome } from './ceremony/work.js';
import { digest } from './digest.js';
import { isGenuine } from './ed25519.js';
import { decodePoint, decodeScalar, hashToGroup, multiply, multiscalar, oneWayMap, ZERO, type Point } from './group.js';
import { readLizard } from './lizard.js';

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

/** An Ed25519 signature for a digest in a domain. */
export interface Signed {
  domain: string;
  /** The domain of the digest, if it is another one. */
  digestDomain?: string;
  key: Uint8Array;
  bytes: Uint8Array;
  signature: Uint8Array;
}

/** Ciphertexts' second components, and for each of several trustees a factor and its points. */
export interface Sealed {
  second: Uint8Array;
  shares: { factor: bigint; points: Uint8Array }[];
  /** Whether the points carry messages. */
  carries: boolean;
}

/** What a ciphertext holds: the message that its point carries, or else the point's encoding. */
export type Plain = { message: Uint8Array } | { point: Uint8Array };

/** Something to be computed anywhere: a sum of multiples of points; which signatures are genuine; opened messages; sums of points, list by list; work on a curve with a pairing. */
export type Job = { sum: Part[] } | { signed: Signed[] } | { sealed: Sealed } | { lists: Uint8Array[] } | { curve: CurveJob };

/** The sum's encoding, or the first point that is not canonical; what was found of each item. */
export type Outcome =
  | { sum: Uint8Array }
  | { bad: { part: number; point: number } }
  | { genuine: boolean[] }
  | { plain: Plain[] }
  | { totals: Uint8Array[] }
  | CurveOutcome;

/** Jobs of less work than this many points are not worth a worker. */
const WORTH_A_WORKER = 1000;

/** About how many points' work a job is. */
function effort(job: Job): number {
  if ('sum' in job) return job.sum.reduce((sum, { scalars }) => sum + scalars.length / 32, 0);
  if ('signed' in job) return 20 * job.signed.length;
  if ('curve' in job) return curveEffort(job.curve);
  if ('lists' in job) return job.lists.reduce((sum, list) => sum + list.length / 32, 0);
  return (job.sealed.second.length / 32) * (10 + 5 * job.sealed.shares.length);
}

/** Whether jobs are computed best where they are. */
export const isSmall = (jobs: Job[]): boolean => jobs.reduce((sum, job) => sum + effort(job), 0) < WORTH_A_WORKER;

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

/** Computes a job. */
export function run(job: Job): Outcome {
  if ('sum' in job) return sumOf(job.sum);
  if ('sealed' in job) return { plain: opened(job.sealed) };
  if ('lists' in job) return { totals: job.lists.map(total) };
  if ('curve' in job) return runCurve(job.curve);
  return { genuine: job.signed.map(isSigned) };
}

const isSigned = ({ domain, digestDomain = domain, key, bytes, signature }: Signed): boolean =>
  isGenuine(key, concat(text(domain), digest(digestDomain, bytes)), signature);

/** What ciphertexts hold, as Lizard has it. */
function opened({ second, shares, carries }: Sealed): Plain[] {
  return Array.from({ length: second.length / 32 }, (_, i) => {
    const at = (bytes: Uint8Array): Point => decodePoint(bytes.subarray(32 * i, 32 * i + 32));
    const point = shares.reduce((sum, { factor, points }) => sum.subtract(multiply(at(points), factor)), at(second));
    const message = carries ? readLizard(point) : undefined;
    return message === undefined ? { point: point.toBytes() } : { message };
  });
}

/** The sum of encoded points. */
function total(list: Uint8Array): Uint8Array {
  let sum = ZERO;
  for (let at = 0; at < list.length; at += 32) sum = sum.add(decodePoint(list.subarray(at, at + 32)));
  return sum.toBytes();
}

/** Decodes the points, and sums their multiples. */
function sumOf(job: Part[]): Outcome {
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
