import { hash_to_field } from '@noble/curves/abstract/hash-to-curve.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { text } from '../bytes.js';
import { BN254, type Curve, type G2Point } from '../snark/curve.js';
import { groupsOf } from './points.js';
import { squareRoot, times } from './sample.js';

const DST = {
  BN254: 'SUBROSA-V01-CS01-with-BN254G2_XMD:SHA-256_SVDW_RO_',
  'BLS12-381': 'SUBROSA-V01-CS01-with-BLS12381G2_XMD:SHA-256_SSWU_RO_',
};

/** `hash_to_group` of a label, in G2. */
export function hashToG2(curve: Curve, label: Uint8Array): G2Point {
  if (curve === BN254) return hashToBn254(label);
  return bls12_381.G2.hashToCurve(label, { DST: DST['BLS12-381'] }) as unknown as G2Point;
}

function hashToBn254(label: Uint8Array): G2Point {
  const { G2 } = groupsOf(BN254);
  const elements = hash_to_field(label, 2, { DST: text(DST.BN254), p: BN254.noble.fields.Fp.ORDER, m: 2, k: 128, expand: 'xmd', hash: sha256 });
  return toSubgroup(elements.map((element) => map(G2.join(element))).reduce((a, b) => a.add(b)));
}

/** The parameter of the curve. */
const X = 4965661367192848881n;

/** `x·P + ψ(3x·P) + ψ²(x·P) + ψ³(P)`, which is in the subgroup for every point of the curve. */
function toSubgroup(point: G2Point): G2Point {
  const multiple = times(point, X, groupsOf(BN254).G2.Point.ZERO);
  const inner = psi(multiple.add(psi(point)));
  return multiple.add(psi(multiple.double().add(multiple).add(inner)));
}

/** The endomorphism ψ of G2: conjugated coordinates, times powers of `9 + u`. */
function psi(point: G2Point): G2Point {
  const { Fp2, Fp } = BN254.noble.fields;
  const { Point } = groupsOf(BN254).G2;
  if (point.is0()) return point;
  const { x, y } = point.toAffine();
  const power = (divisor: bigint): Element => Fp2.pow(Fp2.fromBigTuple([9n, 1n]), (Fp.ORDER - 1n) / divisor);
  const conjugated = (element: Element): Element => Fp2.frobeniusMap(element, 1);
  return Point.fromAffine({ x: Fp2.mul(conjugated(x), power(3n)), y: Fp2.mul(conjugated(y), power(2n)) });
}

type Element = ReturnType<ReturnType<typeof groupsOf>['G2']['join']>;

/** The map of Shallue and van de Woestijne for `Z = 1`: RFC 9380, appendix F.1. */
function map(u: Element): G2Point {
  const { Fp, Point, join, split } = groupsOf(BN254).G2;
  const parity = (x: Element): bigint => {
    const [first, second] = split(x);
    return first === 0n ? second! & 1n : first! & 1n;
  };
  const number = (n: bigint): Element => join([((n % BN254.noble.fields.Fp.ORDER) + BN254.noble.fields.Fp.ORDER) % BN254.noble.fields.Fp.ORDER, 0n]);
  const g = (x: Element): Element => Fp.add(Fp.mul(Fp.sqr(x), x), Point.CURVE().b);
  const c1 = g(Fp.ONE);
  const c2 = Fp.neg(Fp.inv(number(2n)));
  const root = Fp.sqrt(Fp.mul(Fp.neg(c1), number(3n)));
  const c3 = parity(root) === 0n ? root : Fp.neg(root);
  const c4 = Fp.mul(Fp.mul(number(-4n), c1), Fp.inv(number(3n)));
  const t = Fp.mul(Fp.sqr(u), c1);
  const [minus, plus] = [Fp.sub(Fp.ONE, t), Fp.add(Fp.ONE, t)];
  const product = Fp.mul(minus, plus);
  const inverse = Fp.is0(product) ? Fp.ZERO : Fp.inv(product);
  const offset = Fp.mul(Fp.mul(Fp.mul(u, minus), inverse), c3);
  const x3 = Fp.add(Fp.mul(Fp.sqr(Fp.mul(Fp.sqr(plus), inverse)), c4), Fp.ONE);
  for (const x of [Fp.sub(c2, offset), Fp.add(c2, offset), x3]) {
    const y = squareRoot(Fp, g(x));
    if (y !== undefined) return Point.fromAffine({ x, y: parity(u) === parity(y) ? y : Fp.neg(y) });
  }
  throw new Error('one of the three is on the curve');
}
