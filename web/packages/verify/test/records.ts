import { ed25519 } from '@noble/curves/ed25519.js';
import { concat, le16, le32, openFile, text, unhex } from '../src/bytes.js';
import { digest } from '../src/digest.js';
import { sigma } from '../src/election/keygen.js';
import { decodePoint, encodeScalar, mod, multiply } from '../src/group.js';
import { agreedOn, readAnswerRecord, type AnswerRecord } from '../src/trace/answer.js';
import { type Sum } from '../src/trace/blinding.js';
import { Transcript } from '../src/transcript.js';
import { picnicSeeds } from './logged.js';
import { flip, replace, type Files } from './vectors.js';

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

/** Flips a bit of one of several byte strings. */
const flipAt = (list: (parts: Parts) => Uint8Array[], which: number, at: number) => (parts: Parts): void => {
  const items = list(parts);
  const bytes = items[which]!;
  items[which] = flip(bytes, at < 0 ? bytes.length + at : at);
};
const [requests, turns, blindings, shares] = [(p: Parts) => p.requests, (p: Parts) => p.turns, (p: Parts) => p.blindings, (p: Parts) => p.shares] as const;

/** What is said in place of what was said, and the check that refuses it. */
export const SPOILT: [what: string, change: (parts: Parts) => void, check: string][] = [
  ['a request about another session', flipAt(requests, 0, 3), 'TR-13 TR-7'],
  ['a request that its querier did not sign', (parts) => (parts.signatures = { requests: [new Uint8Array(64)] }), 'TR-13 TR-7'],
  ['a request twice', (parts) => parts.requests.push(parts.requests[0]!), 'TR-13 TR-7'],
  ['no request', (parts) => (parts.requests = []), 'TR-13 TR-7'],
  ['a request that is not there', (parts) => (parts.request = 1), 'TR-13 TR-11'],
  ['another nonce, to which no list is bound', flipAt(requests, 0, -1), 'TR-13 TW-11'],
  ['a request that goes another way, of which there are no sums', flipAt(requests, 0, 32), 'TR-13 TR-9'],
  ['a wrong response about a list', flipAt(turns, 0, -32), 'TR-13 TW-12'],
  ['another wrong response', flipAt(turns, 1, -64), 'TR-13 TW-11'],
  ['a turn less', (parts) => parts.turns.pop(), 'TR-13 TR-8'],
  ['two turns in the other order', (parts) => parts.turns.reverse(), 'TR-13 TW-11'],
  ['lists of a row less', (parts) => { parts.turns[0] = concat(le32(0), le32(1), parts.turns[0]!.slice(-160)); }, 'TR-13 TR-8'],
  ['a blinding without its proof', flipAt(blindings, 0, -32), 'TR-13 TR-9'],
  ['a blinding less', (parts) => parts.blindings.pop(), 'TR-13 TR-9'],
  ['a blinding of no sum', (parts) => (parts.blindings[0] = le32(0)), 'TR-13 TR-9'],
  ['a blinding by nothing', (parts) => { parts.blindings[0] = concat(le32(1), new Uint8Array(parts.blindings[0]!.length - 4)); }, 'TR-13 TR-9'],
  ['a signature less', (parts) => (parts.signatures = { agreement: [] }), 'TR-13 TR-10'],
  ['signatures of nobody', (parts) => (parts.signatures = { agreement: Array.from({ length: 5 }, () => new Uint8Array(64)) }), 'TR-13 TR-10'],
  ['a share about another query', flipAt(shares, 0, 2), 'TR-13 TR-11'],
  ['a share of something that was not agreed on', flipAt(shares, 0, 34), 'TR-13 TR-11'],
  ['a share for another request', flipAt(shares, 0, 66), 'TR-13 TR-11'],
  ['a share of a mixer', (parts) => (parts.shares[0]![0] = 1), 'TR-13 TR-11'],
  ['a share in the name of another trustee', (parts) => { parts.shares[0]![0]! ^= 7; }, 'TR-13 TR-11'],
  ['the part of the key of another trustee', (parts) => { parts.shares[0]![70]! ^= 3; }, 'TR-13 TR-11'],
  ['a share that its server did not sign', (parts) => (parts.signatures = { shares: [new Uint8Array(64)] }), 'TR-13 TR-11'],
  ['a share without its proof', flipAt(shares, 0, -32), 'TR-13 TH-7'],
  ['too few shares', (parts) => parts.shares.splice(1), 'TR-13 TR-11'],
  ['one share twice', (parts) => (parts.shares = [parts.shares[0]!, parts.shares[0]!]), 'TR-13 TR-11'],
  ['no share', (parts) => (parts.shares = []), 'TR-13 TR-11'],
];

/** What a statement says in place of what it said, and what comes of it. */
export const STATED: [from: string | RegExp, to: string, check: string][] = [
  ['Is every ballot of the North counted?', 'Is it so?', 'holds'],
  ['"name": "the North"', '"name": "a district"', 'holds'],
  ['"last": "Eve"', '"last": "Dan"', 'TR-13'],
  ['"last": "Eve"', '"last": "Ede"', 'TR-13'],
  ['"candidate": "Meadow"', '"candidate": "Lake"', 'TR-13'],
  ['"candidate": "Meadow"', '"candidate": "River"', 'TR-13'],
  ['"candidate": null', '"candidate": "Meadow"', 'TR-13'],
  ['"direction": "in"', '"direction": "out"', 'TR-13'],
  ['"direction": "in"', '"direction": "on"', 'TR-13'],
  [/"district": \{[^}]*\}/, '"district": null', 'TR-13'],
  ['"yes": 4', '"yes": 3', 'CB-12'],
  ['"no": 0', '"no": 1', 'CB-12'],
  ['"asked": 4', '"asked": 5', 'CB-12'],
  ['"ballots": 7', '"ballots": 8', 'CB-12'],
  ['"engine": "routed"', '"engine": "db"', 'CB-12'],
  ['our construction, no published proof yet', 'proven', 'CB-12'],
  [/"outcome": "[0-9a-f]{4}/, '"outcome": "0000', 'CB-12'],
  [/"querier": "[0-9a-f]{4}/, '"querier": "0000', 'CB-12'],
  [/"query": "[0-9a-f]{4}/, '"query": "0000', 'CB-12'],
  ['"leaves": ', '"leaves": 1', 'CB-12'],
];
