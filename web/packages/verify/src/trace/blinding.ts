import { concat, le64, type Reader } from '../bytes.js';
import { sigma } from '../election/keygen.js';
import { decodePoint, hashToGroup, mod, readScalar, ZERO, type Point } from '../group.js';
import { must } from '../refusal.js';
import { Transcript } from '../transcript.js';
import { partsOf } from './query.js';
import type { Equations } from '../equations.js';

/** A proof that several points are one multiple of their bases. */
export interface Exponents {
  T: [Uint8Array, Uint8Array, Uint8Array];
  z: bigint;
}

/** A sum `E_w`, and the base of its value. */
export interface Sum {
  c1: Uint8Array;
  c2: Uint8Array;
  H: Point;
}

/** What a server made of a sum: a multiple, its commitment, and the proof that the multiple is one. */
export interface Blinded {
  c1: Uint8Array;
  c2: Uint8Array;
  C: Uint8Array;
  proof: Exponents;
}

/** Reads what a server made of a sum. */
export function readBlinded(reader: Reader): Blinded {
  const [c1, c2, C] = [reader.take(32), reader.take(32), reader.take(32)];
  return { c1, c2, C, proof: { T: [reader.take(32), reader.take(32), reader.take(32)], z: readScalar(reader) } };
}

/** `H_w`, of a value of a query's list. */
export const valueBase = (query: Uint8Array, list: number, value: Uint8Array): Point =>
  hashToGroup(partsOf('trace/blinding/H', query, le64(list), value));

/** `TR-9` of one server: as many as there are sums, none neutral, and the equations of each proof. */
export function addBlinding(equations: Equations, blinded: Blinded[], sums: Sum[], about: { session: Uint8Array; query: Uint8Array; server: number }): void {
  must(blinded.length === sums.length, 'TR-9', 'not one blinding for each sum');
  blinded.forEach(({ c1, c2, C, proof }, i) => {
    const sum = sums[i]!;
    must(!decodePoint(C).equals(ZERO), 'TR-9', `server ${about.server} blinds sum ${i} by nothing`);
    const bases = [sum.H.toBytes(), sum.c1, sum.c2];
    const images = [C, c1, c2];
    const transcript = new Transcript('subrosa/trace/blinding/v1');
    transcript.absorb('session', about.session);
    transcript.absorb('query', about.query);
    transcript.number('server', about.server);
    transcript.number('sum', i);
    sigma(transcript, 'exponent/v1');
    transcript.absorb('bases', concat(...bases));
    transcript.absorb('points', concat(...images));
    transcript.absorb('announcements', concat(...proof.T));
    const c = transcript.challenge('c');
    const where = `server ${about.server}, sum ${i}`;
    const [T, Y, B] = [concat(...proof.T), concat(...images), concat(...bases)].map((points) => equations.encoded(points, where)) as [number, number, number];
    for (const k of [0, 1, 2]) equations.zero('TR-9', `the blinding of ${where}`, [[T + k, -1n], [Y + k, c], [B + k, mod(proof.z)]]);
  });
}

/** `TR-9` of all servers together: the sums of what they made, none of whose commitments is neutral. */
export function blindedSums(all: Blinded[][], sums: Sum[]): { c1: Uint8Array; c2: Uint8Array }[] {
  return sums.map((_, i) => {
    const total = (which: (blinded: Blinded) => Uint8Array): Point => all.reduce((sum, blinded) => sum.add(decodePoint(which(blinded[i]!))), ZERO);
    must(!total(({ C }) => C).equals(ZERO), 'TR-9', `all blindings of sum ${i} together are nothing`);
    return { c1: total(({ c1 }) => c1).toBytes(), c2: total(({ c2 }) => c2).toBytes() };
  });
}
