import { must } from '../refusal.js';
import { combination, generators, isZeroSum, orderOf, type Curve, type G1Point, type G2Point, type Pair } from './curve.js';

/** A verification key of Groth16. */
export interface Groth16Key {
  alpha: G1Point;
  beta: G2Point;
  gamma: G2Point;
  delta: G2Point;
  IC: G1Point[];
}

/** A proof of Groth16, or of GM17. */
export interface Proof {
  A: G1Point;
  B: G2Point;
  C: G1Point;
}

/** A verification key of GM17. */
export interface Gm17Key {
  alpha: G1Point;
  gamma1: G1Point;
  beta: G2Point;
  gamma2: G2Point;
  IC: G1Point[];
}

/** A proof with its public inputs, and a weight of 128 random bits for each of its equations. */
export interface Weighted {
  proof: Proof;
  inputs: bigint[];
  weights: [bigint, bigint];
}

/** `scalar·point`, for any scalar. */
function multiple(point: G1Point, scalar: bigint, curve: Curve): G1Point {
  const order = orderOf(curve);
  const reduced = ((scalar % order) + order) % order;
  return reduced === 0n ? curve.noble.G1.Point.ZERO : point.multiplyUnsafe(reduced);
}

const isUpToSign = (a: G2Point, b: G2Point): boolean => a.equals(b) || a.equals(b.negate());

/** `SN-1`: public inputs are scalars, as many as the key says. */
export function checkInputs(curve: Curve, count: number, inputs: bigint[]): void {
  must(inputs.length === count, 'SN-1', `${inputs.length} public inputs, where the key has ${count}`);
  must(inputs.every((x) => x < orderOf(curve)), 'SN-1', 'a public input is not below the order of the groups');
}

/** `Σ w·(IC_0 + Σ x_i·IC_i)`, over all proofs. */
function inputPoint(curve: Curve, IC: G1Point[], proofs: Weighted[]): G1Point {
  const order = orderOf(curve);
  const scalars: bigint[] = IC.map(() => 0n);
  for (const { inputs, weights } of proofs) [1n, ...inputs].forEach((x, i) => (scalars[i] = (scalars[i]! + weights[0] * x) % order));
  return combination(curve, IC, scalars);
}

/** `Σ w·P`, where P is a point of each proof. */
const weighted = (curve: Curve, proofs: Weighted[], which: 0 | 1, point: (proof: Proof) => G1Point): G1Point =>
  combination(curve, proofs.map(({ proof }) => point(proof)), proofs.map(({ weights }) => weights[which]));

const total = (curve: Curve, proofs: Weighted[]): bigint => proofs.reduce((sum, { weights }) => sum + weights[0], 0n) % orderOf(curve);

/** `SN-2` of a key whose points are in their groups. */
export function checkGroth16Key(curve: Curve, { alpha, beta, gamma, delta, IC }: Groth16Key): void {
  const points = [alpha, beta, gamma, delta, ...IC];
  must(points.every((point) => !point.is0()), 'SN-2', 'a point of the key is neutral');
  must(IC.length > 0, 'SN-2', 'the key has no IC_0');
  must(!isUpToSign(delta, gamma), 'SN-2', 'δ is γ, up to its sign: everything is proven under this key');
  must(!isUpToSign(delta, generators(curve)[1]), 'SN-2', 'δ is the generator, up to its sign: nobody contributed to this key');
}

/** `SN-3` of a proof whose points are in their groups. */
export function checkProof({ A, B, C }: Proof, check: 'SN-3' | 'SN-6'): void {
  must(!A.is0() && !B.is0() && !C.is0(), check, 'a point of the proof is neutral');
}

/** What is zero if `SN-4` holds of all proofs, but for a chance of 2^-128. */
export const groth16Equation = (curve: Curve, key: Groth16Key, proofs: Weighted[]): Pair[] => [
  ...proofs.map(({ proof, weights }): Pair => [multiple(proof.A, -weights[0], curve), proof.B]),
  [multiple(key.alpha, total(curve, proofs), curve), key.beta],
  [inputPoint(curve, key.IC, proofs), key.gamma],
  [weighted(curve, proofs, 0, ({ C }) => C), key.delta],
];

/** `SN-5` of a key whose points are in their groups. */
export function checkGm17Key(curve: Curve, { alpha, gamma1, beta, gamma2, IC }: Gm17Key): void {
  const [G, H] = generators(curve);
  const points = [alpha, gamma1, beta, gamma2, ...IC];
  must(points.every((point) => !point.is0()), 'SN-5', 'a point of the key is neutral');
  must(IC.length > 0, 'SN-5', 'the key has no IC_0');
  must(!isUpToSign(gamma2, H), 'SN-5', 'γ is the generator, up to its sign');
  must(isZeroSum(curve, [[gamma1, H], [G.negate(), gamma2]]), 'SN-5', 'γ differs between the groups');
}

/** What is zero if both equations of `SN-6` hold of all proofs, but for a chance of 2^-128. */
export function gm17Equations(curve: Curve, key: Gm17Key, proofs: Weighted[]): Pair[] {
  const [, H] = generators(curve);
  return [
    ...proofs.map(({ proof: { A, B }, weights }): Pair => [multiple(A.add(key.alpha), -weights[0], curve), B.add(key.beta)]),
    [multiple(key.alpha, total(curve, proofs), curve), key.beta],
    [inputPoint(curve, key.IC, proofs), key.gamma2],
    [weighted(curve, proofs, 0, ({ C }) => C), H],
    [weighted(curve, proofs, 1, ({ A }) => A).negate(), key.gamma2],
    ...proofs.map(({ proof: { B }, weights }): Pair => [multiple(key.gamma1, weights[1], curve), B]),
  ];
}
