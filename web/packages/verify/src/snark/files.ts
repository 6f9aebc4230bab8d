import { openFile, type Reader } from '../bytes.js';
import { Members, parseAny, type Json } from '../json.js';
import { must } from '../refusal.js';
import { affineG1, affineG2, CURVES, decodeG1, decodeG2, pairings, type Curve, type G1Point, type G2Point } from './curve.js';
import type { Gm17Key, Groth16Key, Proof } from './groth16.js';

/** Public inputs of a key at most. */
export const MAX_PUBLIC = 2 ** 20;
const DECIMAL = /^(?:0|[1-9][0-9]{0,115})$/;

/** A decimal number in a string, without leading zeros. */
export function numberOf(value: Json | undefined, check: string): bigint {
  must(typeof value === 'string' && DECIMAL.test(value), check, 'a number is not decimal digits in a string');
  return BigInt(value);
}

function numbers(value: Json | undefined, count: number): bigint[] {
  must(Array.isArray(value) && value.length === count, 'SN-2', `not a list of ${count} numbers`);
  return value.map((item) => numberOf(item, 'SN-2'));
}

function coordinates(value: Json, what: string): Json[] {
  must(Array.isArray(value) && value.length === 3, 'SN-2', `${what} has not three coordinates`);
  return value;
}

function pointG1(curve: Curve, value: Json, what: string): G1Point {
  const [x, y, z] = coordinates(value, what).map((item) => numberOf(item, 'SN-2'));
  must(z === 1n, 'SN-2', `${what}: the third coordinate is not 1`);
  return affineG1(curve, x!, y!);
}

function pointG2(curve: Curve, value: Json, what: string): G2Point {
  const [x, y, z] = coordinates(value, what).map((item) => numbers(item, 2) as [bigint, bigint]);
  must(z![0] === 1n && z![1] === 0n, 'SN-2', `${what}: the third coordinate is not 1`);
  return affineG2(curve, x!, y!);
}

function curveOf(name: string): Curve {
  const curve = CURVES.find(({ snarkjs }) => snarkjs === name);
  must(curve !== undefined, 'SN-2', `the curve \`${name}\``);
  return curve;
}

/** A verification key of Groth16 in the JSON of snarkjs. */
export function readGroth16Key(bytes: Uint8Array): { curve: Curve; key: Groth16Key } {
  const members = new Members(parseAny(bytes, 'SN-10'), 'SN-2', 'the key', 'any order');
  must(members.text('protocol') === 'groth16', 'SN-2', 'the protocol of the key is not groth16');
  const curve = curveOf(members.text('curve'));
  const count = members.integer('nPublic', 0n, BigInt(MAX_PUBLIC));
  const G1 = (name: string): G1Point => pointG1(curve, members.any(name), name);
  const G2 = (name: string): G2Point => pointG2(curve, members.any(name), name);
  const [alpha, beta, gamma, delta] = [G1('vk_alpha_1'), G2('vk_beta_2'), G2('vk_gamma_2'), G2('vk_delta_2')] as const;
  if (members.has('vk_alphabeta_12')) checkTarget(curve, alpha, beta, members.any('vk_alphabeta_12'));
  const IC = members.list('IC').map((item, i) => pointG1(curve, item, `IC ${i}`));
  must(BigInt(IC.length) === count + 1n, 'SN-2', 'IC has not one point more than there are public inputs');
  members.end();
  return { curve, key: { alpha, beta, gamma, delta, IC } };
}

/** `SN-2`: the pairing of α and β that a file has. */
function checkTarget(curve: Curve, alpha: G1Point, beta: G2Point, value: Json): void {
  must(Array.isArray(value) && value.length === 2, 'SN-2', 'vk_alphabeta_12 has not two parts');
  const own = curve.noble.fields.Fp12.toBytes(pairings(curve, [[alpha, beta]]));
  const parts = value.flatMap((half) => {
    must(Array.isArray(half) && half.length === 3, 'SN-2', 'vk_alphabeta_12 has not two parts of three');
    return half.flatMap((pair) => numbers(pair, 2));
  });
  const bytes = own.length / 12;
  const isSame = parts.every((c, i) => {
    const hex = Array.from(own.subarray(i * bytes, (i + 1) * bytes), (b) => b.toString(16).padStart(2, '0')).join('');
    return c === BigInt(`0x${hex}`);
  });
  must(isSame, 'SN-2', 'vk_alphabeta_12 is not the pairing of α and β');
}

/** A proof of Groth16 in the JSON of snarkjs; it may name its curve. */
export function readGroth16Proof(bytes: Uint8Array, curve: Curve): Proof {
  const members = new Members(parseAny(bytes, 'SN-3'), 'SN-3', 'the proof', 'any order');
  must(members.text('protocol') === 'groth16', 'SN-3', 'the protocol of the proof is not groth16');
  if (members.has('curve')) must(members.text('curve') === curve.snarkjs, 'SN-3', 'the proof is of another curve than the key');
  const A = pointG1(curve, members.any('pi_a'), 'A');
  const B = pointG2(curve, members.any('pi_b'), 'B');
  const C = pointG1(curve, members.any('pi_c'), 'C');
  members.end();
  return { A, B, C };
}

function openCurve(bytes: Uint8Array, kind: string): { reader: Reader; curve: Curve } {
  const reader = openFile(bytes, kind, 1);
  const name = reader.text(16, 'the pairing');
  const curve = CURVES.find((known) => known.name === name);
  must(curve !== undefined, 'CV-4', `the pairing \`${name}\``);
  return { reader, curve };
}

const nextG1 = (reader: Reader, curve: Curve): G1Point => decodeG1(curve, reader.take(curve.bytes));
const nextG2 = (reader: Reader, curve: Curve): G2Point => decodeG2(curve, reader.take(2 * curve.bytes));

/** A verification key of GM17, as `gm17vk` has it, and the bytes of its fields. */
export function readGm17Key(bytes: Uint8Array): { curve: Curve; key: Gm17Key; fields: Uint8Array } {
  const { reader, curve } = openCurve(bytes, 'gm17vk');
  const start = reader.position;
  const [alpha, gamma1] = [nextG1(reader, curve), nextG1(reader, curve)] as const;
  const [beta, gamma2] = [nextG2(reader, curve), nextG2(reader, curve)] as const;
  const count = reader.count(MAX_PUBLIC, 'public wires');
  must(reader.left === count * curve.bytes, 'CV-1', 'not as many points as the key says');
  const IC = Array.from({ length: count }, () => nextG1(reader, curve));
  reader.end();
  return { curve, key: { alpha, gamma1, beta, gamma2, IC }, fields: reader.since(start) };
}

/** A proof of GM17, as `gm17prf` has it. */
export function readGm17Proof(bytes: Uint8Array, curve: Curve): Proof {
  const { reader, curve: own } = openCurve(bytes, 'gm17prf');
  must(own === curve, 'SN-6', 'the proof is of another curve than the key');
  const proof = { A: nextG1(reader, curve), B: nextG2(reader, curve), C: nextG1(reader, curve) };
  reader.end();
  return proof;
}
