import { concat, join, le32, openFile, Reader, text } from '../bytes.js';
import { must } from '../refusal.js';
import { decodeG1, decodeG2, orderOf, type Curve, type G1Point, type G2Point } from '../snark/curve.js';
import { Transcript } from '../transcript.js';
import { blake } from './blake.js';
import { checkBeacon, checkName, delay, type Beacon, type Contribution } from './contribution.js';
import { hashToG2 } from './hash.js';

const MAX_SECTION = 2 ** 24;
const MAX_NAME = 192;

/** A proof that somebody knows x: `[x]₁` and `x·R`, for the `R` that is hashed from it. */
export interface Knowledge {
  commitment: G1Point;
  /** `R` and `x·R`. */
  ratio: [G2Point, G2Point];
}

/** A contribution to a native ceremony. */
export interface Turn<A> extends Contribution {
  after: A;
  /** The hash of everything before. */
  before: Uint8Array;
  /** A participant's proofs, in the order of the tags. */
  proofs: Knowledge[];
}

/** What tells the native ceremonies apart. */
export interface Form<A> {
  kind: 'phase1' | 'phase2';
  label: string;
  /** Names of the secrets. */
  tags: string[];
  /** The points that a contribution leaves. */
  readAfter(reader: Reader, curve: Curve): A;
}

/** A point of G1 in its own compressed encoding, not neutral (`CE-1`). */
export function nextG1(reader: Reader, curve: Curve): G1Point {
  const point = decodeG1(curve, reader.take(curve.bytes));
  must(!point.is0(), 'CE-1', 'a point is neutral');
  return point;
}

/** The same in G2. */
export function nextG2(reader: Reader, curve: Curve): G2Point {
  const point = decodeG2(curve, reader.take(2 * curve.bytes));
  must(!point.is0(), 'CE-1', 'a point is neutral');
  return point;
}

/** The hash with which a ceremony begins: of its label and some parts, each behind its length. */
export const startHash = (label: string, ...parts: Uint8Array[]): Uint8Array =>
  blake(join([text(label), ...parts].flatMap((part) => [le32(part.length), part])));

/** The contributions of section 100. */
export function readTurns<A>(section: Uint8Array, form: Form<A>, curve: Curve, start: Uint8Array): Turn<A>[] {
  must(section.length <= MAX_SECTION, 'CV-2', 'the transcript of the ceremony is too long');
  const reader = openFile(section, form.kind, 2);
  const count = reader.count(reader.left, 'contributions');
  const turns: Turn<A>[] = [];
  let before = start;
  for (let i = 0; i < count; i++) {
    const turn = readTurn(reader, form, curve, before);
    turns.push(turn);
    before = turn.hash;
  }
  reader.end();
  return turns;
}

function readTurn<A>(reader: Reader, form: Form<A>, curve: Curve, before: Uint8Array): Turn<A> {
  const from = reader.position;
  const written = reader.text(MAX_NAME, 'a name');
  const name = written === '' ? null : checkName(written);
  const after = form.readAfter(reader, curve);
  const kind = reader.u8();
  must(kind <= 1, 'CV-4', 'a contribution of an unknown kind');
  const isBeacon = kind === 1;
  const exponent = isBeacon ? reader.u8() : 0;
  const beacon = isBeacon ? checkBeacon(reader.bytesOf(255, 'a beacon'), exponent) : null;
  const proofs = isBeacon ? [] : readProofs(reader, form, curve, { before, written });
  return { name, after, beacon, before, proofs, hash: blake(concat(before, reader.since(from))) };
}

function readProofs<A>(reader: Reader, { label, tags }: Form<A>, curve: Curve, { before, written }: { before: Uint8Array; written: string }): Knowledge[] {
  const transcript = new Transcript(label);
  transcript.number('round', 1);
  transcript.absorb('before', before);
  transcript.absorb('name', text(written));
  transcript.absorb('input', reader.take(32));
  const challenge = transcript.squeeze('challenge', 64);
  return tags.map((tag) => {
    const from = reader.position;
    const commitment = nextG1(reader, curve);
    const padded = new Uint8Array(32);
    padded.set(text(`subrosa/ceremony/v1/${tag}`));
    const base = hashToG2(curve, concat(padded, reader.since(from), challenge));
    return { commitment, ratio: [base, nextG2(reader, curve)] };
  });
}

/** The secrets of a beacon in a native ceremony (`CE-9`). */
export function beaconSecrets(label: string, curve: Curve, before: Uint8Array, beacon: Beacon, count: number): bigint[] {
  const transcript = new Transcript(label);
  transcript.absorb('before', before);
  transcript.absorb('beacon', delay(beacon));
  const order = orderOf(curve);
  return Array.from({ length: count }, () => {
    for (;;) {
      const secret = wideModulo(transcript.squeeze('secret', 64), order);
      if (secret > 1n) return secret;
    }
  });
}

const wideModulo = (bytes: Uint8Array, order: bigint): bigint => bytes.reduceRight((x, byte) => (x << 8n) | BigInt(byte), 0n) % order;
