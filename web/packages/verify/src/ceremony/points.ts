import type { IField } from '@noble/curves/abstract/modular.js';
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js';
import { must } from '../refusal.js';
import { BN254, BLS12_381, CURVES, isLarger, type Curve } from '../snark/curve.js';

/** What the bytes of a group's points depend on. */
export interface Shape {
  curve: Curve;
  /** Elements of the prime field in a coordinate. */
  degree: 1 | 2;
}

/** A group of a curve, with what its points are made of. */
export interface Group<F> extends Shape {
  name: 'G1' | 'G2';
  Point: WeierstrassPointCons<F>;
  Fp: IField<F>;
  join(coefficients: bigint[]): F;
  split(element: F): bigint[];
}

type Fp2 = ReturnType<typeof BN254.noble.fields.Fp2.fromBigTuple>;

/** The groups of a curve. */
export interface Groups {
  G1: Group<bigint>;
  G2: Group<Fp2>;
}

function make(curve: Curve): Groups {
  const { G1, G2, fields } = curve.noble;
  const { Fp, Fp2 } = fields;
  return {
    G1: { curve, name: 'G1', degree: 1, Point: G1.Point, Fp, join: ([x]) => x!, split: (x) => [x] },
    G2: { curve, name: 'G2', degree: 2, Point: G2.Point, Fp: Fp2, join: ([c0, c1]) => Fp2.fromBigTuple([c0!, c1!]), split: ({ c0, c1 }) => [c0, c1] },
  };
}

const GROUPS = new Map(CURVES.map((curve) => [curve.name, make(curve)]));

/** The groups of a curve. */
export const groupsOf = ({ name }: Curve): Groups => GROUPS.get(name)!;

/** The curve of this name. */
export const curveNamed = (name: Curve['name']): Curve => (name === 'BN254' ? BN254 : BLS12_381);

/** Bytes of a point with both coordinates. */
export const widthOf = ({ degree, curve }: Shape): number => 2 * degree * curve.bytes;

/** What takes the factor of Montgomery's form away. */
const UNSCALE = new Map(
  CURVES.map(({ name, noble, bytes }) => {
    const { Fp } = noble.fields;
    return [name, Fp.inv(Fp.create(1n << BigInt(8 * bytes)))];
  }),
);

function readInteger(view: DataView, at: number, bytes: number): bigint {
  let x = 0n;
  for (let i = bytes - 8; i >= 0; i -= 8) x = (x << 64n) | view.getBigUint64(at + i, true);
  return x;
}

function writeInteger(view: DataView, at: number, bytes: number, x: bigint): void {
  for (let i = bytes - 8; i >= 0; i -= 8, x >>= 64n) view.setBigUint64(at + i, x & 0xffffffffffffffffn);
}

/** The coordinates of a point in Montgomery's form, `x` and `y`, constant coefficient first. */
function coordinates({ degree, curve }: Shape, bytes: Uint8Array): bigint[] {
  const p = curve.noble.fields.Fp.ORDER;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const unscale = UNSCALE.get(curve.name)!;
  return Array.from({ length: 2 * degree }, (_, i) => {
    const x = readInteger(view, i * curve.bytes, curve.bytes);
    must(x < p, 'CE-1', 'a coordinate is not below the prime of its field');
    return (x * unscale) % p;
  });
}

/** A point in Montgomery's form: on its curve, and neutral only where that may be; its subgroup is not checked. */
function readCurvePoint<F>(group: Group<F>, bytes: Uint8Array, isNeutralAllowed: boolean): WeierstrassPoint<F> {
  const { degree, Point, Fp, join } = group;
  const c = coordinates(group, bytes);
  if (c.every((x) => x === 0n)) {
    must(isNeutralAllowed, 'CE-1', 'a point is neutral');
    return Point.ZERO;
  }
  const [x, y] = [join(c.slice(0, degree)), join(c.slice(degree))];
  must(Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), Point.CURVE().b)), 'CE-1', 'a point is not on its curve');
  return Point.fromAffine({ x, y });
}

/** A point in Montgomery's form: on its curve, in its subgroup, and neutral only where that may be (`CE-1`). */
export function readPoint<F>(group: Group<F>, bytes: Uint8Array, isNeutralAllowed = false): WeierstrassPoint<F> {
  const point = readCurvePoint(group, bytes, isNeutralAllowed);
  must(point.isTorsionFree(), 'CE-1', 'a point is outside its subgroup');
  return point;
}

const countOf = (group: Shape, bytes: Uint8Array): number => bytes.length / widthOf(group);

/** Points one after the other. */
export const readPoints = <F>(group: Group<F>, bytes: Uint8Array, isNeutralAllowed = false): WeierstrassPoint<F>[] =>
  Array.from({ length: countOf(group, bytes) }, (_, i) => readPoint(group, at(group, bytes, i), isNeutralAllowed));

/** The same, of whose subgroup nothing is known yet. */
export const readCurvePoints = <F>(group: Group<F>, bytes: Uint8Array, isNeutralAllowed: boolean): WeierstrassPoint<F>[] =>
  Array.from({ length: countOf(group, bytes) }, (_, i) => readCurvePoint(group, at(group, bytes, i), isNeutralAllowed));

/** The bytes of a point in a list. */
export function at(group: Shape, bytes: Uint8Array, index: number, count = 1): Uint8Array {
  const width = widthOf(group);
  return bytes.subarray(width * index, width * (index + count));
}

/** Writes `x` and `y`, big-endian, the constant coefficient last. */
function writeUncompressed({ degree, curve }: Shape, c: bigint[]): Uint8Array {
  const out = new Uint8Array(2 * degree * curve.bytes);
  const view = new DataView(out.buffer);
  c.forEach((x, i) => {
    const place = i < degree ? degree - 1 - i : 3 * degree - 1 - i;
    writeInteger(view, place * curve.bytes, curve.bytes, x);
  });
  return out;
}

/** A point as snarkjs hashes it: uncompressed, the neutral one as zeros. */
export function uncompressed<F>(group: Group<F>, point: WeierstrassPoint<F>): Uint8Array {
  if (point.is0()) return new Uint8Array(widthOf(group));
  const { x, y } = point.toAffine();
  return writeUncompressed(group, [...group.split(x), ...group.split(y)]);
}

/** The point that `uncompressed` wrote; of this program's own words only. */
export function readUncompressed<F>(group: Group<F>, bytes: Uint8Array): WeierstrassPoint<F> {
  const { degree, curve, Point, join } = group;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const read = (place: number): bigint => {
    let x = 0n;
    for (let i = 0; i < curve.bytes; i += 8) x = (x << 64n) | view.getBigUint64(place * curve.bytes + i);
    return x;
  };
  const half = (from: number): bigint[] => Array.from({ length: degree }, (_, i) => read(from + degree - 1 - i));
  const [x, y] = [half(0), half(degree)];
  return [...x, ...y].every((c) => c === 0n) ? Point.ZERO : Point.fromAffine({ x: join(x), y: join(y) });
}

/** Points in Montgomery's form as challenges of phase 1 have them, and as responses do; none is neutral. */
export function rewrite(group: Shape, bytes: Uint8Array): { uncompressed: Uint8Array; compressed: Uint8Array } {
  const { curve, degree } = group;
  const width = widthOf(group);
  const count = bytes.length / width;
  const out = { uncompressed: new Uint8Array(bytes.length), compressed: new Uint8Array(bytes.length / 2) };
  for (let i = 0; i < count; i++) {
    const c = coordinates(group, at(group, bytes, i));
    const whole = writeUncompressed(group, c);
    out.uncompressed.set(whole, i * width);
    out.compressed.set(whole.subarray(0, width / 2), (i * width) / 2);
    const y = degree === 1 ? c[1]! : ([c[2]!, c[3]!] as [bigint, bigint]);
    if (isLarger(curve, y)) out.compressed[(i * width) / 2]! |= 0x80;
  }
  return out;
}
