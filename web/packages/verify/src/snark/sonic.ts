import { concat, equal, integer, join, le64, littleEndian, openFile, text, type Reader } from '../bytes.js';
import { digest } from '../digest.js';
import { asPartOf, must } from '../refusal.js';
import { Transcript } from '../transcript.js';
import { CURVES, decodeG1, decodeG2, generators, orderOf, type Curve, type G1Point, type G2Point, type Pair } from './curve.js';
import { constant, evaluate, gatesDigest, gatesOf, type Gates, type Scalars } from './gates.js';
import { readR1cs } from './r1cs.js';

const T_PIECES = 4;
const R_PIECES = 2;

/** Powers of x that a piece is paired with: of exponent `e`, and of the next. */
type Powers = [G2Point, G2Point];

/** A verification key of Sonic, for one circuit. */
export interface SonicKey {
  curve: Curve;
  gates: Gates;
  /** `[α]₂`, `[αx]₂`, `[αx²]₂`. */
  alpha: [G2Point, G2Point, G2Point];
  t: Powers[];
  r: Powers[];
  srs: Uint8Array;
  /** The fields from the degree to the pieces' points. */
  pieces: Uint8Array;
  circuit: Uint8Array;
  digest: Uint8Array;
}

/** A proof of Sonic. */
export interface SonicProof {
  R: Uint8Array[];
  T: Uint8Array[];
  a: bigint;
  b: bigint;
  W: Uint8Array;
}

function scalarsOf(curve: Curve): Scalars {
  const { Fr } = curve.noble.fields;
  return { order: orderOf(curve), mod: (x) => Fr.create(x), inv: (x) => Fr.inv(x) };
}

function open(bytes: Uint8Array, kind: string): { reader: Reader; curve: Curve } {
  const reader = openFile(bytes, kind, 2);
  const name = reader.text(16, 'the pairing');
  const curve = CURVES.find((known) => known.name === name);
  must(curve !== undefined, 'CV-4', `the pairing \`${name}\``);
  return { reader, curve };
}

/** `SN-7`: reads a key, and holds it against its circuit. */
export function readSonicKey(bytes: Uint8Array, r1cs: Uint8Array): SonicKey {
  const { reader, curve } = open(bytes, 'sonicvk');
  const start = reader.position;
  const G2 = (): Uint8Array => reader.take(2 * curve.bytes);
  const point = (encoded: Uint8Array): G2Point => {
    const decoded = decodeG2(curve, encoded);
    must(!decoded.is0(), 'SN-7', 'a point of the key is neutral');
    return decoded;
  };
  const d = reader.u64();
  const [x, alpha, alphaX, alphaXX] = [G2(), G2(), G2(), G2()] as const;
  point(x);
  const powers = (): Powers => [point(G2()), point(G2())];
  const t = Array.from({ length: T_PIECES }, powers);
  const r = Array.from({ length: R_PIECES }, powers);
  const pieces = reader.since(start);
  const circuit = reader.take(32);
  const inputs = reader.u32();
  const fields = reader.since(start);
  reader.end();

  const gates = gatesOf(scalarsOf(curve), asPartOf('SN-10', /^CV-/, () => readR1cs(r1cs, orderOf(curve))));
  const { n, h, rows } = gates;
  must(equal(gatesDigest(gates), circuit) && gates.public === inputs, 'SN-10', "the key is another circuit's");
  must(d >= BigInt(Math.max(2 * (n + h + 4), n + (rows.length - n))), 'SN-7', 'the reference string is too short for the circuit');
  return {
    curve,
    gates,
    alpha: [point(alpha), point(alphaX), point(alphaXX)],
    t,
    r,
    srs: digest('snark/sonic/srs/v1', concat(text(curve.name), le64(d), x, alpha, alphaX)),
    pieces,
    circuit,
    digest: digest('snark/sonic/key/v1', concat(text(curve.name), fields)),
  };
}

/** Reads a proof. */
export function readSonicProof(bytes: Uint8Array, curve: Curve): SonicProof {
  const { reader, curve: own } = open(bytes, 'sonicprf');
  must(own === curve, 'SN-8', 'the proof is of another curve than the key');
  const G1 = (): Uint8Array => reader.take(curve.bytes);
  const R = Array.from({ length: R_PIECES }, G1);
  const T = Array.from({ length: T_PIECES }, G1);
  const scalar = (): bigint => {
    const value = integer(reader.take(32));
    must(value < orderOf(curve), 'CV-6', 'a scalar is not reduced');
    return value;
  };
  const proof = { R, T, a: scalar(), b: scalar(), W: G1() };
  reader.end();
  return proof;
}

/** Where the pieces of t and of r begin. */
function pieceStarts({ n, h }: Gates): { t: number[]; r: number[] } {
  const least = n + h + 4;
  const size = Math.ceil((4 * n + 3 * h + 9) / 4);
  const m = 3 * size === 2 * least ? size + 1 : size;
  const starts = (low: number, count: number): number[] => Array.from({ length: count }, (_, k) => low + 1 + k * m);
  return { t: starts(-2 * least, T_PIECES), r: starts(-least, R_PIECES) };
}

/** What is zero if `SN-8` holds of a proof, times a weight. */
export function sonicEquation(key: SonicKey, inputs: bigint[], proof: SonicProof, weight: bigint): Pair[] {
  const { curve, gates, alpha } = key;
  const F = scalarsOf(curve);
  const number = (x: bigint): Uint8Array => littleEndian(x, 32);
  const transcript = new Transcript('subrosa/sonic/v1');
  const challenge = (label: string): bigint => {
    const value = F.mod(integer(transcript.squeeze(label, 64)));
    must(value !== 0n, 'SN-8', 'a challenge is zero');
    return value;
  };
  transcript.absorb('pairing', text(curve.name));
  transcript.absorb('srs', key.srs);
  transcript.absorb('pieces', key.pieces);
  transcript.absorb('circuit', key.circuit);
  transcript.number('public inputs', inputs.length);
  transcript.absorb('inputs', join(inputs.map(number)));
  for (const R of proof.R) transcript.absorb('R', R);
  const y = challenge('y');
  must(y !== 1n, 'SN-8', 'a challenge is one');
  for (const T of proof.T) transcript.absorb('T', T);
  const z = challenge('z');
  transcript.absorb('a', number(proof.a));
  transcript.absorb('b', number(proof.b));
  const rho = challenge('r1');

  const { a, b } = proof;
  const zy = F.mod(z * y);
  const v = F.mod(a * (b + evaluate(F, gates, z, y)) - constant(F, gates, inputs, y));
  const power = (x: bigint, e: number): bigint => {
    const base = e < 0 ? F.inv(x) : x;
    return curve.noble.fields.Fr.pow(base, BigInt(Math.abs(e)));
  };
  const times = <P extends G1Point | G2Point>(point: P, scalar: bigint): P => {
    const reduced = F.mod(scalar);
    return (reduced === 0n ? point.subtract(point as never) : point.multiplyUnsafe(reduced)) as P;
  };
  const starts = pieceStarts(gates);
  const [low, middle, high] = alpha;
  const weighted = (encoded: Uint8Array, scalar: bigint): G1Point => times(decodeG1(curve, encoded), weight * F.mod(scalar));
  // `[x^e·(x − by)]₂`.
  const shifted = ([at, next]: Powers, by: bigint): G2Point => next.subtract(times(at, by));
  const quadratic = high.subtract(times(middle, z + zy)).add(times(low, z * zy));
  const claimed = F.mod(v + rho * a);
  const [G] = generators(curve);
  return [
    [weighted(proof.W, -1n), quadratic],
    ...proof.T.map((T, k): Pair => [weighted(T, power(z, starts.t[k]!)), shifted(key.t[k]!, zy)]),
    ...proof.R.flatMap((R, k): Pair[] => [
      [weighted(R, rho * power(z, starts.r[k]!)), shifted(key.r[k]!, zy)],
      [weighted(R, power(zy, starts.r[k]!)), shifted(key.r[k]!, z)],
    ]),
    [times(G, -weight), times(middle, claimed + b).subtract(times(low, claimed * zy + b * z))],
  ];
}
