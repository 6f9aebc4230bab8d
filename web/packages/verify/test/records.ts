import { ed25519 } from '@noble/curves/ed25519.js';
import { concat, le16, le32, openFile, text, unhex } from '../src/bytes.js';
import { digest } from '../src/digest.js';
import { sigma } from '../src/election/keygen.js';
import { decodePoint, encodeScalar, mod, multiply } from '../src/group.js';
import { agreedOn, readAnswerRecord, type AnswerRecord } from '../src/trace/answer.js';
import { type Sum } from '../src/trace/blinding.js';
import { Transcript } from '../src/transcript.js';
import { picnicSeeds } from './logged.js';
import { replace, type Files } from './vectors.js';

// Answers about the picnic, of which its parties and its querier say something else.

/** The parties that sign what was said, in order: mixers, then trustees in the order of their decryptions. */
const SIGNERS = ['mixer-1', 'mixer-2', 'trustee-3', 'trustee-1', 'trustee-2'];
const sign = (name: string, message: Uint8Array): Uint8Array => ed25519.sign(message, unhex(picnicSeeds[name]!, 32)!);
const signIn = (name: string, domain: string, bytes: Uint8Array): Uint8Array => sign(name, concat(text(domain), digest(domain, bytes)));

/** The parts of a record, to be changed before they are signed again. */
export interface Parts {
  requests: Uint8Array[];
  turns: Uint8Array[];
  blindings: Uint8Array[];
  request: number;
  shares: Uint8Array[];
  /** Signatures in place of the right ones. */
  signatures?: { requests?: Uint8Array[]; agreement?: Uint8Array[]; shares?: Uint8Array[] };
}

const counted = (items: Uint8Array[]): Uint8Array => concat(le32(items.length), ...items);
const serverOf = (share: Uint8Array): number => share[0]! + 256 * share[1]!;

export const pathOf = (number: number): string => `objects/trace/${String(number).padStart(8, '0')}.answer`;

/** What a record says. */
export const recordOf = (files: Files, number: number): AnswerRecord => readAnswerRecord(files.get(pathOf(number))!);

/** The bytes of a record, with everything signed again: shares name what was agreed on now. */
function encoded(header: Uint8Array, parts: Parts, session: Uint8Array, mixed: Uint8Array): Uint8Array {
  const { signatures = {} } = parts;
  const requests = parts.requests.map((bytes, i) => concat(bytes, signatures.requests?.[i] ?? signIn('querier', 'subrosa/trace/request/v1', bytes)));
  const query = { bytes: counted(requests), id: digest('subrosa/trace/query/v1', counted(requests)) };
  const said = (list: Uint8Array[]): { bytes: Uint8Array }[] => list.map((bytes) => ({ bytes }));
  const agreed = agreedOn({ query, turns: said(parts.turns), blindings: said(parts.blindings) } as unknown as AnswerRecord, session, mixed);
  const agreement = signatures.agreement ?? SIGNERS.map((name) => sign(name, concat(text('subrosa/trace/agreement/query/v1'), agreed)));
  const shares = parts.shares.map((bytes, i) => concat(bytes, signatures.shares?.[i] ?? signIn(SIGNERS[serverOf(bytes) - 1] ?? 'mixer-1', 'subrosa/trace/share/v1', bytes)));
  return concat(header, query.bytes, counted(parts.turns), counted(parts.blindings), le16(agreement.length), ...agreement, le32(parts.request), counted(shares));
}

/** The bundle with an answer in which something else was said, and signed. */
export function reanswered(files: Files, number: number, change: (parts: Parts, record: AnswerRecord) => void, about: { session: Uint8Array; mixed: Uint8Array }): Files {
  const bytes = files.get(pathOf(number))!;
  openFile(bytes, 'trc-answ', 2);
  const record = readAnswerRecord(bytes);
  const parts: Parts = {
    requests: record.query.requests.map((request) => request.bytes.slice()),
    turns: record.turns.map((turn) => turn.bytes.slice()),
    blindings: record.blindings.map((blinding) => blinding.bytes.slice()),
    request: record.request,
    shares: record.shares.map((share) => share.bytes.slice()),
  };
  change(parts, record);
  return replace(files, pathOf(number), encoded(bytes.slice(0, 18), parts, about.session, about.mixed));
}

/** A server's blinding of sums by a scalar of one's choice, rightly proven. */
export function blinding(sums: Sum[], b: bigint, about: { session: Uint8Array; query: Uint8Array; server: number }): Uint8Array {
  const made = sums.map((sum, i) => {
    const bases = [sum.H, decodePoint(sum.c1), decodePoint(sum.c2)];
    const [C, c1, c2] = bases.map((base) => multiply(base, mod(b)).toBytes()) as [Uint8Array, Uint8Array, Uint8Array];
    const k = 77n + BigInt(i);
    const T = bases.map((base) => multiply(base, k).toBytes());
    const transcript = new Transcript('subrosa/trace/blinding/v1');
    transcript.absorb('session', about.session);
    transcript.absorb('query', about.query);
    transcript.number('server', about.server);
    transcript.number('sum', i);
    sigma(transcript, 'exponent/v1');
    transcript.absorb('bases', concat(...bases.map((base) => base.toBytes())));
    transcript.absorb('points', concat(C, c1, c2));
    transcript.absorb('announcements', concat(...T));
    const z = mod(k - transcript.challenge('c') * b);
    return concat(c1, c2, C, ...T, encodeScalar(z));
  });
  return counted(made);
}

/** The session and the digest of the mix that a claim about the picnic names. */
export function aboutOf(files: Files): { session: Uint8Array; mixed: Uint8Array } {
  const [, outcome] = /"outcome": "([0-9a-f]{64})"/.exec(new TextDecoder().decode(files.get('claims/election-trace.json')))!;
  const mixed = unhex(outcome!, 32)!;
  return { session: digest('subrosa/inquiry/v1', mixed), mixed };
}
