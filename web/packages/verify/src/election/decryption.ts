import { concat, Reader, text } from '../bytes.js';
import { decodePoint, G, GROUP, invert, mod, multiply, readScalar } from '../group.js';
import { must } from '../refusal.js';
import { Transcript } from '../transcript.js';
import { readPoint, sigma, type KeySet } from './keygen.js';
import { openAll, sumOf } from './work.js';
import type { Pool } from '../pool.js';
import type { Progress } from '../verdict.js';

const MAX_POINTS = 2 ** 26;

/** A trustee's partial decryption. */
export interface Partial {
  trustee: number;
  D: Uint8Array;
  proof: { T_1: Uint8Array; T_2: Uint8Array; z: bigint };
}

/** Reads a partial decryption; its points are decoded when it is checked. */
export function readPartial(payload: Uint8Array): Partial {
  const reader = new Reader(payload);
  const trustee = reader.u16();
  const D = reader.take(32 * reader.count(MAX_POINTS, 'points'));
  const proof = { T_1: readPoint(reader), T_2: readPoint(reader), z: readScalar(reader) };
  reader.end();
  return { trustee, D, proof };
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
  sigma(transcript, 'equality/v1');
  transcript.absorb('base', B.toBytes());
  transcript.absorb('points', concat(X.toBytes(), Y.toBytes()));
  transcript.absorb('announcements', concat(proof.T_1, proof.T_2));
  const c = transcript.challenge('c');
  const isEqual =
    multiply(X, c).add(multiply(G, proof.z)).equals(decodePoint(proof.T_1)) &&
    multiply(Y, c).add(multiply(B, proof.z)).equals(decodePoint(proof.T_2));
  must(isEqual, 'TH-7', 'the proof does not hold');
}

/** The messages of all ciphertexts by the first partial decryptions, as many as the threshold. */
export function combine(partials: Partial[], c2: Uint8Array, pool: Pool, progress: Progress): Promise<(Uint8Array | undefined)[]> {
  const numbers = partials.map(({ trustee }) => BigInt(trustee));
  const shares = partials.map(({ D }, i) => {
    const j = numbers[i]!;
    const others = numbers.filter((m) => m !== j);
    const factor = others.reduce((product, m) => mod(product * m * invert(m - j)), 1n);
    return { factor, points: D };
  });
  return openAll({ second: c2, shares }, pool, progress);
}
