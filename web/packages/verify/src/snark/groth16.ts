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

const isUpToSign = (a: G2Point, b: G2Point): boolean => a.equals(b) || a.equals(b.negate());

/** `SN-1`: public inputs are scalars, as many as the key says. */
export function checkInputs(curve: Curve, IC: G1Point[], inputs: bigint[]): void {
  must(inputs.length === IC.length - 1, 'SN-1', `${inputs.length} public inputs, where the key has ${IC.length - 1}`);
  must(inputs.every((x) => x < orderOf(curve)), 'SN-1', 'a public input is not below the order of the groups');
}

/** `IC_0 + Σ x_i·IC_i`. */
const inputPoint = (curve: Curve, IC: G1Point[], inputs: bigint[]): G1Point =>
  IC[0]!.add(combination(curve, IC.slice(1), inputs));

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

/** What is zero if `SN-4` holds of a proof. */
export const groth16Equation = (curve: Curve, key: Groth16Key, inputs: bigint[], { A, B, C }: Proof): Pair[] => [
  [A.negate(), B],
  [key.alpha, key.beta],
  [inputPoint(curve, key.IC, inputs), key.gamma],
  [C, key.delta],
];

/** `SN-1`, `SN-3` and `SN-4`, under a key of which `SN-2` holds. */
export function checkGroth16(curve: Curve, key: Groth16Key, inputs: bigint[], proof: Proof): void {
  checkInputs(curve, key.IC, inputs);
  checkProof(proof, 'SN-3');
  must(isZeroSum(curve, groth16Equation(curve, key, inputs, proof)), 'SN-4', 'the equation of the proof does not hold');
}

/** `SN-5` of a key whose points are in their groups. */
export function checkGm17Key(curve: Curve, { alpha, gamma1, beta, gamma2, IC }: Gm17Key): void {
  const [G, H] = generators(curve);
  const points = [alpha, gamma1, beta, gamma2, ...IC];
  must(points.every((point) => !point.is0()), 'SN-5', 'a point of the key is neutral');
  must(IC.length > 0, 'SN-5', 'the key has no IC_0');
  must(!isUpToSign(gamma2, H), 'SN-5', 'γ is the generator, up to its sign');
  must(isZeroSum(curve, [[gamma1, H], [G.negate(), gamma2]]), 'SN-5', 'γ differs between the groups');
}

/** `SN-1` and `SN-6`, under a key of which `SN-5` holds. */
export function checkGm17(curve: Curve, key: Gm17Key, inputs: bigint[], proof: Proof): void {
  const [, H] = generators(curve);
  const { A, B, C } = proof;
  checkInputs(curve, key.IC, inputs);
  checkProof(proof, 'SN-6');
  const first: Pair[] = [
    [A.add(key.alpha).negate(), B.add(key.beta)],
    [key.alpha, key.beta],
    [inputPoint(curve, key.IC, inputs), key.gamma2],
    [C, H],
  ];
  must(isZeroSum(curve, first), 'SN-6', 'the equation of the proof does not hold');
  must(isZeroSum(curve, [[A.negate(), key.gamma2], [key.gamma1, B]]), 'SN-6', 'A and B of the proof do not fit');
}
