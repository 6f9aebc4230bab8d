import { pippenger } from '@noble/curves/abstract/curve.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { integer } from '../bytes.js';
import { must, Refusal } from '../refusal.js';

export type G1Point = typeof bn254.G1.Point.BASE;
export type G2Point = typeof bn254.G2.Point.BASE;
export type Target = typeof bn254.fields.Fp12.ONE;

/** A pairing, written as a term of a sum. */
export type Pair = [G1Point, G2Point];

/** An element of the field of `x`, or of its quadratic extension, constant first. */
type Coordinate = bigint | [bigint, bigint];

/** A curve with a pairing, and how its points are written. */
export interface Curve {
  /** As transcripts and our files have it, and as snarkjs' files do. */
  name: 'BN254' | 'BLS12-381';
  snarkjs: 'bn128' | 'bls12381';
  noble: typeof bn254;
  /** Bytes of a coordinate. */
  bytes: number;
}

export const BN254: Curve = { name: 'BN254', snarkjs: 'bn128', noble: bn254, bytes: 32 };
export const BLS12_381: Curve = { name: 'BLS12-381', snarkjs: 'bls12381', noble: bls12_381, bytes: 48 };
export const CURVES: readonly Curve[] = [BN254, BLS12_381];

/** The order of the groups. */
export const orderOf = ({ noble }: Curve): bigint => noble.fields.Fr.ORDER;

/** The generators. */
export const generators = ({ noble }: Curve): Pair => [noble.G1.Point.BASE, noble.G2.Point.BASE];

/** Runs what may throw because a point is none. */
function valid<P extends { assertValidity(): void }>(make: () => P): P {
  try {
    const point = make();
    point.assertValidity();
    return point;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal('CV-6', 'a point is not on its curve, not in its subgroup, or not canonical');
  }
}

const isReduced = (curve: Curve, x: bigint): boolean => x < curve.noble.fields.Fp.ORDER;

function reduced(curve: Curve, coordinate: bigint): bigint {
  must(isReduced(curve, coordinate), 'CV-6', 'a coordinate is not below the prime of its field');
  return coordinate;
}

/** The point of G1 with these coordinates; never the neutral one. */
export function affineG1(curve: Curve, x: bigint, y: bigint): G1Point {
  must(reduced(curve, x) !== 0n || reduced(curve, y) !== 0n, 'CV-6', 'a point is not on its curve');
  return valid(() => curve.noble.G1.Point.fromAffine({ x, y: reduced(curve, y) }));
}

/** The point of G2 with these coordinates; never the neutral one. */
export function affineG2(curve: Curve, x: [bigint, bigint], y: [bigint, bigint]): G2Point {
  must([...x, ...y].some((c) => reduced(curve, c) !== 0n), 'CV-6', 'a point is not on its curve');
  const { Fp2 } = curve.noble.fields;
  return valid(() => curve.noble.G2.Point.fromAffine({ x: Fp2.fromBigTuple(x), y: Fp2.fromBigTuple(y) }));
}

/** Whether `y` is the larger one of `y` and `-y`. */
export function isLarger(curve: Curve, y: Coordinate): boolean {
  const p = curve.noble.fields.Fp.ORDER;
  const [low, high] = typeof y === 'bigint' ? [y, 0n] : y;
  const deciding = high === 0n ? low : high;
  return 2n * deciding > p;
}

interface Compressed {
  x: Coordinate;
  isNeutral: boolean;
  isLarger: boolean;
}

/** Flags and `x` of a point in the form that the curve has (`CV-6`). */
function uncompress(curve: Curve, encoded: Uint8Array, degree: 1 | 2): Compressed {
  const isZcash = curve.name === 'BLS12-381';
  const bytes = isZcash ? encoded.slice() : encoded.slice().reverse();
  must(bytes.length === degree * curve.bytes, 'CV-1', `${bytes.length} bytes of a point`);
  // Now both forms are big-endian, the highest coefficient first, and their flags stand in the first byte.
  const mask = isZcash ? 0xe0 : 0xc0;
  const flags = bytes[0]! & mask;
  bytes[0]! &= ~mask;
  const part = (i: number): bigint => integer(bytes.slice(i * curve.bytes, (i + 1) * curve.bytes).reverse());
  const x: Coordinate = degree === 1 ? part(0) : [part(1), part(0)];
  const [always, neutral, larger] = isZcash ? [0x80, 0x40, 0x20] : [0, 0x40, 0x80];
  if (flags === (always | neutral)) {
    must(bytes.every((b) => b === 0), 'CV-6', 'a neutral element in another spelling');
    return { x, isNeutral: true, isLarger: false };
  }
  must(flags === always || flags === (always | larger), 'CV-6', 'the flags of a point');
  for (const c of typeof x === 'bigint' ? [x] : x) reduced(curve, c);
  return { x, isNeutral: false, isLarger: flags !== always };
}

/** A point of G1 in its canonical compressed encoding. */
export function decodeG1(curve: Curve, bytes: Uint8Array): G1Point {
  const { Fp } = curve.noble.fields;
  const { Point } = curve.noble.G1;
  const { x, isNeutral, isLarger: wanted } = uncompress(curve, bytes, 1);
  if (isNeutral) return Point.ZERO;
  return valid(() => {
    const affine = x as bigint;
    const y = Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(affine), affine), Point.CURVE().b));
    return Point.fromAffine({ x: affine, y: isLarger(curve, y) === wanted ? y : Fp.neg(y) });
  });
}

/** A point of G2 in its canonical compressed encoding. */
export function decodeG2(curve: Curve, bytes: Uint8Array): G2Point {
  const { Fp2 } = curve.noble.fields;
  const { Point } = curve.noble.G2;
  const { x, isNeutral, isLarger: wanted } = uncompress(curve, bytes, 2);
  if (isNeutral) return Point.ZERO;
  return valid(() => {
    const affine = Fp2.fromBigTuple(x as [bigint, bigint]);
    const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(affine), affine), Point.CURVE().b));
    return Point.fromAffine({ x: affine, y: isLarger(curve, [y.c0, y.c1]) === wanted ? y : Fp2.neg(y) });
  });
}

/** The sum of `scalars[i]·points[i]`. */
export function combination(curve: Curve, points: G1Point[], scalars: bigint[]): G1Point {
  const { Point } = curve.noble.G1;
  return points.length === 0 ? Point.ZERO : pippenger(Point, points, scalars);
}

/** The sum of pairings, as an element of the target group. */
export function pairings(curve: Curve, pairs: Pair[]): Target {
  const known = pairs.filter(([a, b]) => !a.is0() && !b.is0());
  return curve.noble.pairingBatch(known.map(([g1, g2]) => ({ g1, g2 })));
}

/** Whether the sum of pairings is zero. */
export const isZeroSum = (curve: Curve, pairs: Pair[]): boolean =>
  curve.noble.fields.Fp12.eql(pairings(curve, pairs), curve.noble.fields.Fp12.ONE);
