import { shake256 } from '@noble/hashes/sha3.js';
import { concat, le32, Reader, text } from '../bytes.js';
import { invert, mod, readScalar, ZERO, type Point } from '../group.js';
import type { Equations, Place, Term } from '../equations.js';
import { must } from '../refusal.js';
import type { Transcript } from '../transcript.js';

/** Labels of the generators of commitments: the base of values, and that of blindings. */
export const VALUE_BASE = 'subrosa/table/v1/G';
export const BLINDING_BASE = 'subrosa/table/v1/H';

/** A commitment of which something is claimed, with its encoding. */
export interface Statement {
  point: Point;
  bytes: Uint8Array;
}

/** A statement about a computed point. */
export const statement = (point: Point): Statement => ({ point, bytes: point.toBytes() });

/** Bytes of a proof that `k` statements of width `b` hold. */
export const proofLength = (k: number, b: number): number => 1 + 32 * (2 * rounds(k, b) + 6);

const padded = (k: number): number => 2 ** Math.ceil(Math.log2(k));
const rounds = (k: number, b: number): number => Math.log2(b * padded(k));

/** The generators of one statement of width `b`. */
const chain = (letter: 'G' | 'H', b: number, j: number): Uint8Array =>
  shake256(concat(text('GeneratorsChain'), text(letter), le32(j)), { dkLen: 64 * b });

interface Proof {
  d1: bigint;
  A: Uint8Array;
  A1: Uint8Array;
  B: Uint8Array;
  r1: bigint;
  s1: bigint;
  L: Uint8Array[];
  R: Uint8Array[];
}

function readProof(bytes: Uint8Array, length: number): Proof {
  const reader = new Reader(bytes);
  must(reader.u8() === 1, 'CV-4', 'the degree of a range proof');
  const point = (): Uint8Array => {
    const encoded = reader.take(32);
    must(encoded.some((b) => b !== 0), 'TC-5', 'a neutral element in a range proof');
    return encoded;
  };
  const d1 = readScalar(reader);
  const [A, A1, B] = [point(), point(), point()] as const;
  const r1 = readScalar(reader);
  const s1 = readScalar(reader);
  const [L, R]: [Uint8Array[], Uint8Array[]] = [[], []];
  for (let i = 0; i < length; i++) {
    L.push(point());
    R.push(point());
  }
  reader.end();
  return { d1, A, A1, B, r1, s1, L, R };
}

const nonzero = (x: bigint): bigint => {
  must(x !== 0n, 'TC-5', 'a challenge is zero');
  return x;
};

/** `TC-5`: Bulletproofs+ about `statements`, at least one: all of them hold values below `2^b`. */
export function addRangeProof(equations: Equations, transcript: Transcript, statements: Statement[], b: number, bytes: Uint8Array): void {
  const M = padded(statements.length);
  const n = b * M;
  const proof = readProof(bytes, rounds(statements.length, b));
  const values = equations.hashed(VALUE_BASE);
  const blindings = equations.hashed(BLINDING_BASE);
  transcript.absorb('dom-sep', text('Bulletproofs+ Range Proof'));
  transcript.absorb('H', equations.encodingOf(VALUE_BASE));
  transcript.absorb('G', equations.encodingOf(BLINDING_BASE));
  transcript.number('N', b);
  transcript.number('T', 1);
  transcript.number('M', M);
  const neutral = ZERO.toBytes();
  for (let j = 0; j < M; j++) transcript.absorb('Ci', statements[j]?.bytes ?? neutral);
  for (let j = 0; j < M; j++) transcript.number('vi - minimum_value', 0);
  transcript.absorb('A', proof.A);
  const y = nonzero(transcript.challenge('y'));
  const z = nonzero(transcript.challenge('z'));
  const es = proof.L.map((L, i) => {
    transcript.absorb('L', L);
    transcript.absorb('R', proof.R[i]!);
    return nonzero(transcript.challenge('e'));
  });
  transcript.absorb('A1', proof.A1);
  transcript.absorb('B', proof.B);
  const e = nonzero(transcript.challenge('e'));

  const e2 = mod(e * e);
  const squares = es.map((x) => mod(x * x));
  const inverses = squares.map(invert);
  const s: bigint[] = [invert(es.reduce((x, c) => mod(x * c), 1n))];
  for (let i = 1; i < n; i++) {
    const t = 31 - Math.clz32(i);
    s.push(mod(s[i - 2 ** t]! * squares[es.length - 1 - t]!));
  }
  const powers = (x: bigint, count: number): bigint[] => {
    const out = [1n];
    while (out.length < count) out.push(mod(out[out.length - 1]! * x));
    return out;
  };
  const Y = powers(y, n + 2);
  const Yinv = powers(invert(y), n);
  const Z = powers(z, 2 * M + 1);
  const place = (encoded: Uint8Array, what: string): Place => equations.encoded(encoded, `a range proof, ${what}`);
  const terms: Term[] = [];
  for (let j = 0; j < M; j++) {
    const G = equations.uniform(`range G ${b} ${j}`, () => chain('G', b, j));
    const H = equations.uniform(`range H ${b} ${j}`, () => chain('H', b, j));
    for (let l = 0; l < b; l++) {
      const i = j * b + l;
      const d = mod(Z[2 * (j + 1)]! << BigInt(l));
      terms.push([G + l, mod(proof.r1 * e * mod(Yinv[i]! * s[i]!) + e2 * z)]);
      terms.push([H + l, mod(mod(proof.s1 * e) * s[n - 1 - i]! - e2 * mod(d * Y[n - i]! + z))]);
    }
  }
  const top = mod(e2 * Y[n + 1]!);
  statements.forEach((V, j) => terms.push([place(V.bytes, 'a statement'), -mod(top * Z[2 * (j + 1)]!)]));
  const sumZ = Array.from({ length: M }, (_, j) => Z[2 * (j + 1)]!).reduce((x, c) => x + c, 0n);
  const sumY = Y.slice(1, n + 1).reduce((x, c) => x + c, 0n);
  const ones = 2n ** BigInt(b) - 1n;
  terms.push([values, mod(proof.r1 * y * proof.s1 + e2 * mod(Y[n + 1]! * z * ones * sumZ + (z * z - z) * sumY))]);
  terms.push([blindings, proof.d1]);
  terms.push([place(proof.A1, 'A1'), -e], [place(proof.B, 'B'), -1n], [place(proof.A, 'A'), -e2]);
  es.forEach((_, j) => {
    terms.push([place(proof.L[j]!, 'L'), -mod(e2 * squares[j]!)]);
    terms.push([place(proof.R[j]!, 'R'), -mod(e2 * inverses[j]!)]);
  });
  equations.zero('TC-5', 'a range proof', terms);
}
