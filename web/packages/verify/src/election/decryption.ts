import { Reader, text } from '../bytes.js';
import { GROUP, invert, mod } from '../group.js';
import { must } from '../refusal.js';
import { Transcript } from '../transcript.js';
import { isEquality, readEquality, type Equality, type KeySet } from './keygen.js';
import { openAll, sumOf } from './work.js';
import type { Plain, Sealed } from '../kernel.js';
import type { Pool } from '../pool.js';
import type { Progress } from '../verdict.js';

const MAX_POINTS = 2 ** 26;

/** A trustee's partial decryption. */
export interface Partial {
  trustee: number;
  D: Uint8Array;
  proof: Equality;
}

/** Reads a partial decryption, to the end or not; its points are decoded when it is checked. */
export function readPartialFrom(reader: Reader): Partial {
  const trustee = reader.u16();
  const D = reader.take(32 * reader.count(MAX_POINTS, 'points'));
  return { trustee, D, proof: readEquality(reader) };
}

/** Reads a message that is a partial decryption. */
export function readPartial(payload: Uint8Array): Partial {
  const reader = new Reader(payload);
  const partial = readPartialFrom(reader);
  reader.end();
  return partial;
}

/** `TH-7`, for the first components of all ciphertexts. */
export async function checkPartial({ trustee, D, proof }: Partial, c1: Uint8Array, keys: KeySet, context: Uint8Array, pool: Pool): Promise<void> {
  must(D.length === c1.length, 'TH-7', 'not one point for each ciphertext');
  const X = keys.keys[trustee - 1]!;
  const transcript = new Transcript('subrosa/shuffle/decrypt/v1');
  transcript.absorb('group', text(GROUP));
  transcript.absorb('context', context);
  transcript.absorb('keys', keys.digest);
  transcript.absorb('c1', c1);
  transcript.number('trustee', trustee);
  transcript.absorb('X', X.toBytes());
  transcript.absorb('D', D);
  const w = transcript.short('w', c1.length / 32);
  const [B, Y] = [await sumOf(c1, w, pool), await sumOf(D, w, pool)];
  must(isEquality(transcript, B, X, Y, proof), 'TH-7', 'the proof does not hold');
}

/** The points that partial decryptions have in a combination, with their factors. */
function shared(partials: Partial[]): Sealed['shares'] {
  const numbers = partials.map(({ trustee }) => BigInt(trustee));
  return partials.map(({ D }, i) => {
    const j = numbers[i]!;
    const others = numbers.filter((m) => m !== j);
    const factor = others.reduce((product, m) => mod(product * m * invert(m - j)), 1n);
    return { factor, points: D };
  });
}

/** What all ciphertexts hold, by the first partial decryptions, as many as the threshold. */
export const combine = (partials: Partial[], c2: Uint8Array, pool: Pool, progress: Progress): Promise<Plain[]> =>
  openAll({ second: c2, shares: shared(partials), carries: true }, pool, progress);

/** The encodings of the points that all ciphertexts hold. */
export async function combinePoints(partials: Partial[], c2: Uint8Array, pool: Pool): Promise<Uint8Array[]> {
  const plain = await openAll({ second: c2, shares: shared(partials), carries: false }, pool, () => {});
  return plain.flatMap((one) => ('point' in one ? [one.point] : []));
}
