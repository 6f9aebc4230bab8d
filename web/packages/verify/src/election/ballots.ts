import { concat, hex, le16, le32, Reader } from '../bytes.js';
import { digest } from '../digest.js';
import { Equations } from '../equations.js';
import { GROUP, mod, readScalar } from '../group.js';
import { text } from '../bytes.js';
import { must, Refusal } from '../refusal.js';
import { Transcript } from '../transcript.js';
import { knowledgeChallenge, type Knowledge } from './keygen.js';
import { genuine } from './work.js';
import type { Pool } from '../pool.js';
import type { Progress } from '../verdict.js';

const MAX_BALLOTS = 10_000;
const MAX_COLUMNS = 16;

/** A voter on the roll. */
export interface Voter {
  name: string;
  key: Uint8Array;
  /** The place of the voter's class. */
  class: number;
}

/** A ballot as a station handed it in. */
export interface Handed {
  voter: number;
  /** From 1 in version 2 of elections; 0 in version 1. */
  revision: number;
  /** The ballot's bytes. */
  bytes: Uint8Array;
  columns: { c1: Uint8Array; c2: Uint8Array }[];
  proof: Knowledge;
  signature: Uint8Array;
}

/** Reads what a station handed in; points are decoded when the proofs are checked. */
export function readBallots(payload: Uint8Array, hasRevisions = false): Handed[] {
  const reader = new Reader(payload);
  const length = reader.count(MAX_BALLOTS, 'ballots');
  must(!hasRevisions || length >= 1, 'CV-2', 'no ballot');
  const handed = Array.from({ length }, (): Handed => {
    const voter = reader.u32();
    const revision = hasRevisions ? reader.u32() : 0;
    must(!hasRevisions || revision >= 1, 'CV-4', 'the revision 0');
    const start = reader.position;
    const count = reader.count(MAX_COLUMNS, 'columns');
    const columns = Array.from({ length: count }, () => ({ c1: reader.take(32), c2: reader.take(32) }));
    const proof = { T: reader.take(32), z: readScalar(reader) };
    return { voter, revision, bytes: reader.since(start), columns, proof, signature: reader.take(64) };
  });
  reader.end();
  return handed;
}

/** What ballots are judged by. */
export interface Casting {
  /** The election's context: the board's name, or in version 2 the opening. */
  context: Uint8Array;
  /** Whether voters sign trackers, as in version 2. */
  hasTrackers: boolean;
  roll: Voter[];
  pk: Uint8Array;
  columns: number;
  hasClasses: boolean;
}

const TRACKER = 'subrosa/election/tracker/v1';

function tracked({ voter, revision, bytes }: Handed, { context, roll, hasClasses }: Casting): Uint8Array {
  const place = hasClasses ? (roll[voter]?.class ?? 0) + 1 : 0;
  return concat(context, le32(voter), le16(place), le32(revision), bytes);
}

/** What names a voter's ballot of version 2. */
export const trackerOf = (ballot: Handed, about: Casting): Uint8Array => digest(TRACKER, tracked(ballot, about));

/** Which ballots are rightly signed and have `TH-5` (`EL-9`, `EL-17`, `VO-1`); refuses points that are none. */
export async function judge(handed: Handed[], about: Casting, pool: Pool, progress: Progress): Promise<boolean[]> {
  const signatures = await genuine(
    handed.map((ballot) => {
      const { voter, bytes, signature } = ballot;
      const { key, class: place } = about.roll[voter] ?? { key: new Uint8Array(32), class: 0 };
      if (about.hasTrackers) {
        return { domain: 'subrosa/election/ballot/v2', digestDomain: TRACKER, key, bytes: tracked(ballot, about), signature };
      }
      const of = concat(about.context, le32(voter), about.hasClasses ? Uint8Array.of(place) : new Uint8Array(0));
      const domain = about.hasClasses ? 'subrosa/election/ballot/class/v1' : 'subrosa/election/ballot/v1';
      return { domain, key, bytes: concat(of, bytes), signature };
    }),
    pool,
    progress,
  );
  const proven = await proofs(handed, about, pool, progress);
  return handed.map(({ voter, columns }, i) => {
    const isWhole = columns.length === about.columns && columns.every(({ c1 }) => c1.some((b) => b !== 0));
    return voter < about.roll.length && isWhole && signatures[i]! && proven[i]!;
  });
}

/** Which ballots' proofs hold: all together, and where that fails half by half. */
async function proofs(handed: Handed[], about: Casting, pool: Pool, progress: Progress): Promise<boolean[]> {
  const equations = new Equations();
  for (const ballot of handed) addProof(equations, ballot, about);
  try {
    await equations.verify(pool, progress);
    return handed.map(() => true);
  } catch (error) {
    if (!(error instanceof Refusal) || error.check !== 'TH-5') throw error;
  }
  if (handed.length === 1) return [false];
  const half = handed.length >> 1;
  return [...(await proofs(handed.slice(0, half), about, pool, progress)), ...(await proofs(handed.slice(half), about, pool, progress))];
}

function addProof(equations: Equations, { voter, columns, proof }: Handed, about: Casting): void {
  const first = concat(...columns.map(({ c1 }) => c1));
  const second = concat(...columns.map(({ c2 }) => c2));
  const transcript = new Transcript('subrosa/shuffle/ballot/v1');
  transcript.absorb('group', text(GROUP));
  transcript.absorb('context', about.context);
  transcript.absorb('voter', about.roll[voter]?.key ?? new Uint8Array(32));
  transcript.absorb('key', about.pk);
  transcript.absorb('second components', second);
  const c = knowledgeChallenge(transcript, first, proof.T);
  const where = `a ballot of voter ${voter}`;
  const T = equations.encoded(proof.T, where);
  const X = equations.encoded(first, where);
  equations.encoded(second, where);
  let power = 1n;
  equations.zero('TH-5', 'proofs of ballots', [
    [T, -1n],
    [equations.generator(), proof.z],
    ...columns.map((_, l): [number, bigint] => [X + l, (power = mod(power * c))]),
  ]);
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ballot's tracking code in version 1. */
export const trackingCode = (ballot: Uint8Array): string => codeOf(digest('shuffle/ballot', ballot));

/** The first 100 bits of a digest: five groups of four characters. */
export function codeOf(of: Uint8Array): string {
  const bits = BigInt(`0x${hex(of)}`) >> 156n;
  const letters = Array.from({ length: 20 }, (_, i) => CROCKFORD[Number((bits >> BigInt(95 - 5 * i)) & 31n)]!).join('');
  return letters.match(/.{4}/g)!.join('-');
}
