import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { join } from 'node:path';
import { concat, le16, le32, le64, Reader, text } from '../src/bytes.js';
import { tallyOf } from '../src/count/tally.js';
import { digest } from '../src/digest.js';
import { readDescription } from '../src/election/description.js';
import { knowledgeChallenge, sigma } from '../src/election/keygen.js';
import { encodeScalar, G, GROUP, mod, multiply, wide, ZERO, type Point } from '../src/group.js';
import { compact, format, object, parse, type JsonObject } from '../src/json.js';
import { Transcript } from '../src/transcript.js';
import { lunchKeyOf, resigned, type Said } from './boards.js';
import { readFiles, replace, VECTORS, type Files } from './vectors.js';

// An election of the lunch's parties in which nobody votes, and somebody cheats when the keys are made.

const [THRESHOLD, TRUSTEES] = [2, 3];
let drawn = 0;
/** A scalar of its own; the same ones in every run. */
const draw = (): bigint => wide(concat(sha256(le64(++drawn)), sha256(concat(le64(drawn), Uint8Array.of(1)))));
const bytes = (value: Uint8Array): Uint8Array => concat(le32(value.length), value);
const times = (x: bigint, base: Point = G): Point => multiply(base, mod(x));

/** A proof that the logarithms of points are known. */
function known(transcript: Transcript, secrets: bigint[]): Uint8Array {
  const k = draw();
  const T = times(k).toBytes();
  const c = knowledgeChallenge(transcript, concat(...secrets.map((x) => times(x).toBytes())), T);
  let power = 1n;
  const z = secrets.reduce((z, x) => mod(z - (power = mod(power * c)) * x), k);
  return concat(T, encodeScalar(z));
}

/** A proof that `x` is the logarithm of its multiples of G and of `base`. */
function equal(transcript: Transcript, x: bigint, base: Point): Uint8Array {
  const k = draw();
  const announcements = concat(times(k).toBytes(), times(k, base).toBytes());
  sigma(transcript, 'equality/v1');
  transcript.absorb('base', base.toBytes());
  transcript.absorb('points', concat(times(x).toBytes(), times(x, base).toBytes()));
  transcript.absorb('announcements', announcements);
  return concat(announcements, encodeScalar(mod(k - transcript.challenge('c') * x)));
}

/** How somebody cheats: what a dealer seals for a recipient, and of whom a trustee complains, and how. */
export interface Cheat {
  share?: (right: Uint8Array, dealer: number, recipient: number) => Uint8Array;
  /** Spoils the sealed share. */
  seal?: (sealed: Uint8Array, dealer: number, recipient: number) => Uint8Array;
  /** Dealers of whom a trustee complains. */
  complains?: (trustee: number) => number[];
  /** Spoils the proof of a complaint. */
  proof?: (proof: Uint8Array) => Uint8Array;
  /** A trustee who saw other shares than the others. */
  sawOthers?: number;
  /** A trustee of whom round 3 has no message: the operator says so in its place. */
  silent?: number;
  /** Dealers who count at the end. */
  qualified: number[];
}

interface Messages {
  rounds: Uint8Array[][];
  pk: Point;
  secrets: bigint[];
  keys: Point[];
}

/** The messages of a key generation. */
function generate(context: Uint8Array, cheat: Cheat): Messages {
  const numbers = [1, 2, 3];
  const begin = (round: number, author: number): Transcript => {
    const transcript = new Transcript(`subrosa/dkg/round${round}/v1`);
    transcript.absorb('group', text(GROUP));
    transcript.number('threshold', THRESHOLD);
    transcript.number('trustees', TRUSTEES);
    transcript.absorb('context', context);
    transcript.number('trustee', author);
    return transcript;
  };
  const polynomials = numbers.map(() => Array.from({ length: THRESHOLD }, draw));
  const transports = numbers.map(draw);
  const at = (dealer: number, x: number): bigint => polynomials[dealer - 1]!.reduceRight((sum, a) => mod(sum * BigInt(x) + a), 0n);
  const first = numbers.map((i) => {
    const points = concat(...polynomials[i - 1]!.map((a) => times(a).toBytes()));
    const T = times(transports[i - 1]!).toBytes();
    const transcript = begin(1, i);
    transcript.absorb('commitments', points);
    transcript.absorb('transport key', T);
    return concat(le16(i), le32(THRESHOLD), points, T, known(transcript, [polynomials[i - 1]![0]!]), known(transcript, [transports[i - 1]!]));
  });
  const session = digest('shuffle/dkg/round1', concat(text(GROUP), le16(THRESHOLD), le16(TRUSTEES), bytes(context), ...first));
  const ephemerals = new Map<string, bigint>();
  const second = numbers.map((i) => {
    const others = numbers.filter((j) => j !== i);
    const sealed = others.map((j) => {
      const e = draw();
      ephemerals.set(`${i} ${j}`, e);
      const [E, T] = [times(e).toBytes(), times(transports[j - 1]!)];
      const about = concat(session, le16(i), le16(j));
      const key = hkdf(sha256, times(e, T).toBytes(), undefined, concat(text('subrosa/dkg/share/v1'), about, E, T.toBytes()), 32);
      const right = encodeScalar(at(i, j));
      const box = chacha20poly1305(key, new Uint8Array(12), about).encrypt(cheat.share?.(right, i, j) ?? right);
      return { j, e, E, box: cheat.seal?.(box, i, j) ?? box };
    });
    const transcript = begin(2, i);
    transcript.absorb('session', session);
    for (const { j, box } of sealed) {
      transcript.number('recipient', j);
      transcript.absorb('sealed', box);
    }
    return concat(le16(i), le32(sealed.length), ...sealed.flatMap(({ j, E, box }) => [le16(j), E, box]), known(transcript, sealed.map(({ e }) => e)));
  });
  const seen = digest('shuffle/dkg/round2', concat(session, ...second));
  const third = numbers.map((j) => {
    const complaints = (cheat.complains?.(j) ?? []).map((dealer) => {
      const E = times(ephemerals.get(`${dealer} ${j}`) ?? 5n);
      const transcript = begin(3, j);
      transcript.absorb('seen', seen);
      transcript.number('dealer', dealer);
      const proof = equal(transcript, transports[j - 1]!, E);
      return concat(le16(dealer), times(transports[j - 1]!, E).toBytes(), cheat.proof?.(proof) ?? proof);
    });
    return concat(le16(j), j === cheat.sawOthers ? flipped(seen) : seen, le32(complaints.length), ...complaints);
  });
  const secrets = numbers.map((j) => cheat.qualified.reduce((sum, i) => mod(sum + at(i, j)), 0n));
  const pk = times(cheat.qualified.reduce((sum, i) => mod(sum + polynomials[i - 1]![0]!), 0n));
  return { rounds: [first, second, third], pk, secrets, keys: secrets.map((x) => times(x)) };
}

/** The decryption of nothing, by trustee j. */
function decryption(context: Uint8Array, j: number, { pk, keys, secrets }: Messages, qualified: number[]): Uint8Array {
  const keySet = concat(bytes(text(GROUP)), le16(THRESHOLD), le32(qualified.length), ...qualified.map(le16), pk.toBytes(), le32(TRUSTEES), ...keys.map((X) => X.toBytes()));
  const transcript = new Transcript('subrosa/shuffle/decrypt/v1');
  transcript.absorb('group', text(GROUP));
  transcript.absorb('context', context);
  transcript.absorb('keys', digest('shuffle/keys', keySet));
  transcript.absorb('c1', new Uint8Array(0));
  transcript.number('trustee', j);
  transcript.absorb('X', keys[j - 1]!.toBytes());
  transcript.absorb('D', new Uint8Array(0));
  transcript.short('w', 0);
  return concat(le16(j), le32(0), equal(transcript, secrets[j - 1]!, ZERO));
}

/** The bundle of an election in whose key generation somebody cheats; `faults` are the entries that are, with their texts. */
export function complained(cheat: Cheat, faults: [entry: number, text: string][]): Files {
  const lunch = readFiles(join(VECTORS, 'election/lunch'));
  let tally = object({});
  drawn = 0;
  const files = resigned(lunch, (entries) => {
    const reader = new Reader(entries[0]!.payload);
    const description = readDescription(reader);
    const name = digest('subrosa/board/chain/v1', lunch.get('objects/board/00000000.entry')!);
    const messages = generate(name, cheat);
    const by = (party: string, kind: string, payload: Uint8Array): Said => ({ author: lunchKeyOf(party), kind, payload });
    const kinds = ['key/commitments', 'key/shares', 'key/verdicts'];
    const none = concat(le32(0), le32(1));
    tally = tallyOf(description, [], [], [0]) as JsonObject;
    entries.splice(
      2,
      entries.length,
      ...messages.rounds.flatMap((round, r) =>
        round.map((payload, i) => (r === 2 && i + 1 === cheat.silent ? by('operator 1', 'election/absent', concat(Uint8Array.of(2), le16(i + 1))) : by(`trustee ${i + 1}`, kinds[r]!, payload))),
      ),
      by('operator 1', 'election/open', messages.pk.toBytes()),
      by('operator 1', 'election/close', concat(le32(0), le32(0), digest('subrosa/election/ballots/v1', new Uint8Array(0)))),
      by('mixer 1', 'mix', none),
      by('mixer 2', 'mix', none),
      ...[1, 2, 3].map((j) => by(`trustee ${j}`, 'decryption', decryption(name, j, messages, cheat.qualified))),
      by('operator 1', 'election/outcome', concat(bytes(text(compact(tally))), le32(faults.length === 0 ? 0 : new Set(faults.map(([entry]) => entry)).size), ...[...new Set(faults.map(([entry]) => entry))].map(le64))),
    );
  });
  const path = 'claims/election.json';
  const claim = parse(files.get(path)!, 'CB-6') as JsonObject;
  const statement = Object.fromEntries(claim.get('statement') as JsonObject);
  const said = faults.map(([, words]) => words);
  claim.set('statement', object({ ...statement, accepted: 0n, decrypted_by: [1n, 2n, 3n], faults: said, tally: sorted(tally) }));
  return replace(files, path, text(`${format(claim)}\n`));
}

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((b, i) => (i === 0 ? b ^ 1 : b));
/** A dealer's share for one recipient, or for all, is another thing. */
const only = (dealer: number, recipient: number | undefined, make: (bytes: Uint8Array) => Uint8Array) => (bytes: Uint8Array, i: number, j: number): Uint8Array =>
  i === dealer && (recipient === undefined || j === recipient) ? make(bytes) : bytes;
/** Trustees complain of dealers. */
const complaining = (of: Record<number, number[]>) => (trustee: number): number[] => of[trustee] ?? [];
/** The faults of entry 10, which ends round 3, in the words of the Rust program. */
const last = (...texts: string[]): [number, string][] => texts.map((words) => [10, `key generation: ${words} (entry 10)`]);
const bad = (recipient: number): string => `trustee 2: the share from dealer 2 to trustee ${recipient} is bad`;
const falsely = (author: number, dealer: number): string => `trustee ${author}: trustee ${author} falsely accuses dealer ${dealer}`;
const dealtNone = (author: number, dealer: number): string => `trustee ${author}: trustee ${author} complains about ${dealer}, who dealt it no share`;
const ofTwo = complaining({ 3: [2] });

/** How somebody cheats, the faults that it is, and what comes of it. */
export const COMPLAINTS: [what: string, cheat: Cheat, faults: [entry: number, text: string][], expected: string][] = [
  ['nobody cheats', { qualified: [1, 2, 3] }, [], 'holds'],
  ['a share of another polynomial', { share: only(2, 3, flipped), complains: ofTwo, qualified: [1, 3] }, last(bad(3)), 'holds'],
  ['a share that does not open', { seal: only(2, 3, flipped), complains: ofTwo, qualified: [1, 3] }, last(bad(3)), 'holds'],
  ['a share that is not reduced', { share: only(2, 3, (x) => x.map(() => 255)), complains: ofTwo, qualified: [1, 3] }, last(bad(3)), 'holds'],
  ['two wrong shares of one dealer', { share: only(2, undefined, flipped), complains: complaining({ 1: [2], 3: [2] }), qualified: [1, 3] }, last(bad(1), bad(3)), 'holds'],
  ['a wrong share of which nobody complains', { share: only(2, 3, flipped), qualified: [1, 2, 3] }, [], 'holds'],
  ['a complaint about a right share', { complains: ofTwo, qualified: [1, 2, 3] }, last(falsely(3, 2)), 'holds'],
  ['a complaint whose proof does not hold', { share: only(2, 3, flipped), proof: (x) => x.map((b, i) => (i === 70 ? b ^ 1 : b)), complains: ofTwo, qualified: [1, 2, 3] }, last('trustee 3: the complaint of trustee 3 about dealer 2 reveals an unproven key'), 'holds'],
  ['a complaint about oneself', { complains: complaining({ 3: [3] }), qualified: [1, 2, 3] }, last(dealtNone(3, 3)), 'holds'],
  ['a complaint about nobody', { complains: complaining({ 3: [9] }), qualified: [1, 2, 3] }, last(dealtNone(3, 9)), 'holds'],
  ['right and wrong complaints', { share: only(2, 3, flipped), complains: complaining({ 1: [3], 3: [1, 2] }), qualified: [1, 3] }, last(falsely(1, 3), falsely(3, 1), bad(3)), 'holds'],
  ['a silent trustee, and a complaint', { silent: 3, complains: complaining({ 1: [2] }), qualified: [1, 2, 3] }, last('trustee 3: trustee 3 posted no message in round 3', falsely(1, 2), 'trustee 3: does not answer, says the operator'), 'holds'],
  ['a trustee who saw other shares, and a complaint', { sawOthers: 3, complains: complaining({ 1: [2] }), qualified: [1, 2, 3] }, last('trustee 3: trustee 3 saw other messages in rounds 1 and 2', falsely(1, 2)), 'holds'],
  ['complaints in no order', { complains: complaining({ 3: [2, 1] }), qualified: [1, 2, 3] }, [], 'CV-4'],
  ['too few dealers left', { share: only(2, 3, flipped), seal: only(1, 3, flipped), complains: complaining({ 3: [1, 2] }), qualified: [1, 2, 3] }, last('trustee 1: the share from dealer 1 to trustee 3 is bad', bad(3)), 'EL-4'],
];

function sorted(value: JsonObject): JsonObject {
  return object(Object.fromEntries([...value].map(([name, item]) => [name, item instanceof Map ? sorted(item) : Array.isArray(item) ? item.map((one) => (one instanceof Map ? sorted(one) : one)) : item])));
}
