import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js';
import { FFT, rootsOfUnity } from '@noble/curves/abstract/fft.js';
import { concat, equal, integer, join, littleEndian } from '../bytes.js';
import { must } from '../refusal.js';
import { generators, type Curve } from '../snark/curve.js';
import { Equations } from './equations.js';
import { at, groupsOf, readPoint, uncompressed, widthOf, type Group } from './points.js';
import type { Ptau, Singular } from './ptau.js';
import { drawWeights, sums } from './work.js';
import type { Pool } from '../pool.js';

/** Roots of unity as snarkjs has them. */
const ROOTS = new Map<Curve['name'], ReturnType<typeof rootsOfUnity>>();
export function rootsOf({ name, noble }: Curve): ReturnType<typeof rootsOfUnity> {
  const known = ROOTS.get(name) ?? rootsOfUnity(noble.fields.Fr, 5n);
  ROOTS.set(name, known);
  return known;
}

/** `CE-5`: every point of the powers is what the last contribution left, or τ times the one before. */
export async function checkPowers(file: Ptau, after: Singular, pool: Pool): Promise<void> {
  const { curve } = file;
  const { G1, G2 } = groupsOf(curve);
  const [G, H] = generators(curve);
  const equations = new Equations(curve);
  const firsts: [number, typeof after.tau1[]][] = [[2, [G, after.tau1]], [4, [after.alpha1]], [5, [after.beta1]]];
  for (const [id, known] of firsts) {
    const [low, high] = await shifted(pool, file, id, G1, known);
    equations.sameRatio('CE-5', `section ${id}: a point is not τ times the one before`, [low, high], [H, after.tau2]);
  }
  const [low, high] = await shifted(pool, file, 3, G2, [H, after.tau2]);
  equations.sameRatio('CE-5', 'section 3: a point is not τ times the one before', [G, after.tau1], [low, high]);
  mustBegin(G2, file, 6, [after.beta2]);
  equations.check();
}

function mustBegin<F>(group: Group<F>, file: Ptau, id: number, known: WeierstrassPoint<F>[]): void {
  const list = file.list(id);
  known.forEach((point, i) => must(readPoint(group, at(group, list, i)).equals(point), 'CE-5', `section ${id}, point ${i} is not what the last contribution left`));
}

/** A random combination of a list without its last point, and the same of it without its first. */
async function shifted<F>(pool: Pool, file: Ptau, id: number, group: Group<F>, known: WeierstrassPoint<F>[]): Promise<[WeierstrassPoint<F>, WeierstrassPoint<F>]> {
  mustBegin(group, file, id, known);
  const list = file.list(id);
  const weights = drawWeights(list.length / widthOf(group) - 1);
  const none = new Uint8Array(16);
  const [low, high] = await sums(pool, `section ${id}`, group, list, false, [concat(weights, none), concat(none, weights)]);
  return [low!, high!];
}

/** `CE-7`: the Lagrange sections are the transforms of the powers. */
export async function checkLagrange(file: Ptau, pool: Pool): Promise<void> {
  const { G1, G2 } = groupsOf(file.curve);
  await checkForm(file, pool, G1, 12, 2, await highestPower(file, pool));
  await checkForm(file, pool, G2, 13, 3);
  await checkForm(file, pool, G1, 14, 4);
  await checkForm(file, pool, G1, 15, 5);
}

/** The power `[τ^(2n-1)]₁` that the largest domain of a file that was cut may have: neutral, or τ times the last one. */
async function highestPower(file: Ptau, pool: Pool): Promise<WeierstrassPoint<bigint>> {
  const { curve, power } = file;
  const { G1 } = groupsOf(curve);
  if (!file.isCut || file.largestDomain(12) === power) return G1.Point.ZERO;
  const factors = join(rootsOf(curve).inverse(power + 1).map((x) => littleEndian(x, 32)));
  const [highest] = await sums(pool, 'section 12', G1, file.lagrange(12, power + 1), true, [factors]);
  const list = file.list(2);
  const last = readPoint(G1, at(G1, list, list.length / widthOf(G1) - 1));
  const equations = new Equations(curve);
  equations.sameRatio('CE-7', 'the largest domain of section 12 is of other powers', [last, highest!], [generators(curve)[1], file.singular().tau2]);
  if (!highest!.is0()) equations.check();
  return highest!;
}

async function checkForm<F>(file: Ptau, pool: Pool, group: Group<F>, id: 12 | 13 | 14 | 15, powers: number, beyond = group.Point.ZERO): Promise<void> {
  const { curve } = file;
  const { Fr } = curve.noble.fields;
  const largest = file.largestDomain(id);
  const coefficients: bigint[] = new Array<bigint>(2 ** largest).fill(0n);
  const fft = FFT(rootsOf(curve), Fr);
  const weights = drawWeights(2 ** (largest + 1) - 1);
  for (let log = 0; log <= largest; log++) {
    const own = Array.from({ length: 2 ** log }, (_, i) => integer(at16(weights, 2 ** log - 1 + i)));
    const transformed = log === 0 ? own : fft.inverse(own);
    transformed.forEach((c, i) => (coefficients[i] = Fr.add(coefficients[i]!, c)));
  }
  const domains = at(group, file.list(id), 0, 2 ** (largest + 1) - 1);
  const [sum] = await sums(pool, `section ${id}`, group, domains, true, [weights]);
  const list = file.list(powers);
  const known = Math.min(coefficients.length, list.length / widthOf(group));
  const factors = join(coefficients.slice(0, known).map((c) => littleEndian(c, 32)));
  const [expected] = await sums(pool, `section ${powers}`, group, at(group, list, 0, known), false, [factors]);
  const more = coefficients[known];
  const whole = more === undefined || more === 0n ? expected! : expected!.add(beyond.multiplyUnsafe(more));
  must(equal(uncompressed(group, whole), uncompressed(group, sum!)), 'CE-7', `section ${id} is not the Lagrange form of section ${powers}`);
}

const at16 = (bytes: Uint8Array, i: number): Uint8Array => bytes.subarray(16 * i, 16 * i + 16);
