import { ristretto255, ristretto255_hasher } from '@noble/curves/ed25519.js';
import { pippenger } from '@noble/curves/abstract/curve.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concat, integer, le64, littleEndian, text, type Reader } from './bytes.js';
import { must, Refusal } from './refusal.js';

/** A point of ristretto255. */
export type Point = typeof ristretto255.Point.BASE;

/** The group's name in transcripts and files. */
export const GROUP = 'ristretto255';

/** The order of the group. */
export const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The generator, and the neutral element. */
export const G: Point = ristretto255.Point.BASE;
export const ZERO: Point = ristretto255.Point.ZERO;

/** An integer modulo the order. */
export function mod(x: bigint): bigint {
  const rest = x % ORDER;
  return rest < 0n ? rest + ORDER : rest;
}

/** The inverse of a scalar other than zero. */
export const invert = (x: bigint): bigint => ristretto255.Point.Fn.inv(mod(x));

/** `wide(b)`: 64 bytes as an integer modulo the order. */
export const wide = (bytes: Uint8Array): bigint => integer(bytes) % ORDER;

/** The 32 bytes of a scalar. */
export const encodeScalar = (x: bigint): Uint8Array => littleEndian(x, 32);

/** A reduced scalar, or `CV-6`. */
export function decodeScalar(bytes: Uint8Array): bigint {
  const x = integer(bytes);
  must(x < ORDER, 'CV-6', 'a scalar is not reduced');
  return x;
}

/** The next scalar. */
export const readScalar = (reader: Reader): bigint => decodeScalar(reader.take(32));

/** The next `n` scalars. */
export function readScalars(reader: Reader, n: number): bigint[] {
  const bytes = reader.take(32 * n);
  return Array.from({ length: n }, (_, i) => decodeScalar(bytes.subarray(32 * i, 32 * i + 32)));
}

/** A point in its only encoding, or `CV-6`. */
export function decodePoint(bytes: Uint8Array): Point {
  try {
    return ristretto255.Point.fromBytes(bytes);
  } catch {
    throw new Refusal('CV-6', 'a point is not canonical');
  }
}

/** `scalar·point`, for any scalar; one that is small, but for its sign, costs little. */
export const multiply = (point: Point, scalar: bigint): Point => {
  const reduced = mod(scalar);
  if (reduced === 0n) return ZERO;
  return 2n * reduced > ORDER ? point.multiplyUnsafe(ORDER - reduced).negate() : point.multiplyUnsafe(reduced);
};

/** The sum of all `scalars[i]·points[i]`, by Pippenger's buckets. */
export const multiscalar = (points: Point[], scalars: bigint[]): Point =>
  points.length === 0 ? ZERO : pippenger(ristretto255.Point, points, scalars);

/** The one-way map of 64 bytes (RFC 9496, section 4.3.4). */
export const oneWayMap = (uniform: Uint8Array): Point => ristretto255_hasher.deriveToCurve!(uniform);

/** A point of which nobody knows a relation to others. */
export const hashToGroup = (label: Uint8Array): Point => oneWayMap(sha512(label));

/** Bytes of `H_i`, `P_c` and their like. */
export const indexedLabel = (prefix: string, i: number): Uint8Array => concat(text(prefix), le64(i));
