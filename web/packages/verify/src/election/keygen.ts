import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concat, equal, integer, le16, le32, Reader, text } from '../bytes.js';
import { digest } from '../digest.js';
import { decodePoint, G, GROUP, mod, multiply, ORDER, readScalar, ZERO, type Point } from '../group.js';
import { must } from '../refusal.js';
import { Transcript } from '../transcript.js';

const MAX_COUNT = 255;

/** What the keys of trustees are for. */
export interface Run {
  threshold: number;
  trustees: number;
  context: Uint8Array;
}

/** A proof of knowledge of logarithms. */
export interface Knowledge {
  T: Uint8Array;
  z: bigint;
}

/** A message of a round: its author, its bytes, and whether it holds. */
export interface RoundMessage {
  author: number;
  bytes: Uint8Array;
}

interface Commitments extends RoundMessage {
  commitments: Uint8Array[];
  transport: Uint8Array;
  proofs: [Knowledge, Knowledge];
}

interface Shares extends RoundMessage {
  shares: Share[];
  proof: Knowledge;
}

interface Share {
  recipient: number;
  E: Uint8Array;
  sealed: Uint8Array;
}

/** A proof that two points have one logarithm. */
export interface Equality {
  T_1: Uint8Array;
  T_2: Uint8Array;
  z: bigint;
}

/** The word of a trustee that a dealer's share is wrong, with what opens it. */
interface Complaint {
  dealer: number;
  K: Uint8Array;
  proof: Equality;
}

interface Verdicts extends RoundMessage {
  seen: Uint8Array;
  complaints: Complaint[];
}

/** A point in its only encoding. */
export function readPoint(reader: Reader): Uint8Array {
  const bytes = reader.take(32);
  decodePoint(bytes);
  return bytes;
}

/** Reads a proof of knowledge. */
export const readKnowledge = (reader: Reader): Knowledge => ({ T: readPoint(reader), z: readScalar(reader) });

const isNeutral = (point: Uint8Array): boolean => point.every((b) => b === 0);

/** The challenge of a proof of knowledge; the transcript goes on behind it. */
export function knowledgeChallenge(transcript: Transcript, points: Uint8Array, T: Uint8Array): bigint {
  sigma(transcript, 'knowledge/v1');
  transcript.absorb('points', points);
  transcript.absorb('announcements', T);
  return transcript.challenge('c');
}

/** The beginning of a sigma proof. */
export function sigma(transcript: Transcript, kind: string): void {
  transcript.absorb('sigma', text(kind));
  transcript.absorb('group', text(GROUP));
  transcript.absorb('generator', G.toBytes());
}

/** `TH-1` of a proof of knowledge: `T = z·G + sum c^l·X_l`. */
function isKnown(transcript: Transcript, points: Uint8Array[], { T, z }: Knowledge): boolean {
  const c = knowledgeChallenge(transcript, concat(...points), T);
  let power = 1n;
  const sum = points.reduce((sum, X) => sum.add(multiply(decodePoint(X), (power = mod(power * c)))), multiply(G, z));
  return sum.equals(decodePoint(T));
}

/** Reads a proof that two points have one logarithm. */
export const readEquality = (reader: Reader): Equality => ({ T_1: readPoint(reader), T_2: readPoint(reader), z: readScalar(reader) });

/** `TH-1` of a proof of equality: `T_1 = c·X + z·G`, `T_2 = c·Y + z·B`. */
export function isEquality(transcript: Transcript, base: Point, X: Point, Y: Point, { T_1, T_2, z }: Equality): boolean {
  sigma(transcript, 'equality/v1');
  transcript.absorb('base', base.toBytes());
  transcript.absorb('points', concat(X.toBytes(), Y.toBytes()));
  transcript.absorb('announcements', concat(T_1, T_2));
  const c = transcript.challenge('c');
  return multiply(X, c).add(multiply(G, z)).equals(decodePoint(T_1)) && multiply(Y, c).add(multiply(base, z)).equals(decodePoint(T_2));
}

/** What a key generation gives. */
export interface KeySet {
  pk: Point;
  /** `X_1..X_n`. */
  keys: Point[];
  /** `digest("shuffle/keys", key set)`. */
  digest: Uint8Array;
}

/** What a trustee did wrong. */
interface Wrong {
  author: number;
  why: string;
}

/** The three rounds, from the messages that counted: `TH-2` to `TH-4`. */
export class KeyGeneration {
  private commitments: Commitments[] = [];
  private session = new Uint8Array(32);
  private dealers: Shares[] = [];
  private seen = new Uint8Array(32);
  /** Dealers about whom a complaint holds. */
  private disqualified = new Set<number>();

  constructor(private readonly run: Run) {}

  private get params(): Uint8Array {
    const { threshold, trustees, context } = this.run;
    return concat(le16(threshold), le16(trustees), le32(context.length), context);
  }

  private begin(round: number, author: number): Transcript {
    const transcript = new Transcript(`subrosa/dkg/round${round}/v1`);
    transcript.absorb('group', text(GROUP));
    transcript.number('threshold', this.run.threshold);
    transcript.number('trustees', this.run.trustees);
    transcript.absorb('context', this.run.context);
    transcript.number('trustee', author);
    return transcript;
  }

  /** Trustees whose message of round 1 holds. */
  get participants(): number[] {
    return this.commitments.map(({ author }) => author);
  }

  /** Decodes a message of a round. */
  decode(round: 1 | 2 | 3, bytes: Uint8Array): RoundMessage {
    const reader = new Reader(bytes);
    const author = reader.u16();
    const message = { author, bytes, ...(round === 1 ? readCommitments(reader) : round === 2 ? readShares(reader) : readVerdicts(reader)) };
    reader.end();
    return message;
  }

  /** Ends a round with its messages; gives who did what wrong, whose messages count, and whether these are enough. */
  end(round: 1 | 2 | 3, messages: RoundMessage[]): { wrong: Wrong[]; counted: number[]; enough: boolean } {
    const sorted = [...messages].sort((a, b) => a.author - b.author);
    const why = (message: RoundMessage): string | undefined =>
      round === 1 ? this.wrongCommitments(message as Commitments) : round === 2 ? this.wrongShares(message as Shares) : this.wrongVerdicts(message as Verdicts);
    const judged = sorted.map((message) => ({ message, why: why(message) }));
    const valid = judged.filter((one) => one.why === undefined).map(({ message }) => message);
    const bytes = valid.map(({ bytes }) => bytes);
    if (round === 1) {
      this.commitments = valid as Commitments[];
      this.session = digest('shuffle/dkg/round1', concat(text(GROUP), this.params, ...bytes)) as Uint8Array<ArrayBuffer>;
    } else if (round === 2) {
      this.dealers = valid as Shares[];
      this.seen = digest('shuffle/dkg/round2', concat(this.session, ...bytes)) as Uint8Array<ArrayBuffer>;
    }
    this.disqualified = new Set();
    const refused = judged.flatMap(({ message, why }): Wrong[] => (why === undefined ? [] : [{ author: message.author, why }]));
    const complained = round === 3 ? valid.flatMap((message) => this.judgeComplaints(message as Verdicts)) : [];
    const wrong = [...refused, ...complained];
    return { wrong, counted: valid.map(({ author }) => author), enough: valid.length >= this.run.threshold };
  }

  private wrongCommitments({ author, commitments, transport, proofs }: Commitments): string | undefined {
    if (commitments.length !== this.run.threshold) return 'TH-2: another number of commitments';
    const [first] = commitments;
    if (isNeutral(first!) || isNeutral(transport)) return 'TH-2: a neutral point';
    const transcript = this.begin(1, author);
    transcript.absorb('commitments', concat(...commitments));
    transcript.absorb('transport key', transport);
    const holds = isKnown(transcript, [first!], proofs[0]) && isKnown(transcript, [transport], proofs[1]);
    return holds ? undefined : 'TH-2: a proof does not hold';
  }

  private wrongShares({ author, shares, proof }: Shares): string | undefined {
    const others = this.participants.filter((other) => other !== author);
    const isRight = shares.length === others.length && shares.every(({ recipient }, i) => recipient === others[i]);
    if (!isRight) return 'TH-3: other recipients';
    if (shares.some(({ E }) => isNeutral(E))) return 'TH-3: a neutral point';
    const transcript = this.begin(2, author);
    transcript.absorb('session', this.session);
    for (const { recipient, sealed } of shares) {
      transcript.number('recipient', recipient);
      transcript.absorb('sealed', sealed);
    }
    return isKnown(transcript, shares.map(({ E }) => E), proof) ? undefined : 'TH-3: the proof does not hold';
  }

  private wrongVerdicts({ seen }: Verdicts): string | undefined {
    return equal(seen, this.seen) ? undefined : 'TH-4: it saw other shares';
  }

  /** Disqualifies dealers about whom complaints hold; one that does not is its author's fault. */
  private judgeComplaints({ author, complaints }: Verdicts): Wrong[] {
    return complaints.map((complaint) => {
      const { dealer } = complaint;
      if (!this.holds(author, complaint)) return { author, why: `TH-4: its complaint about dealer ${dealer} does not hold` };
      this.disqualified.add(dealer);
      return { author: dealer, why: `TH-4: its share for trustee ${author} is wrong` };
    });
  }

  /** Whether a complaint disqualifies its dealer: the proof holds, and the share that `K` opens is none. */
  private holds(author: number, { dealer, K, proof }: Complaint): boolean {
    const share = this.dealers.find((message) => message.author === dealer)?.shares.find(({ recipient }) => recipient === author);
    if (share === undefined) return false;
    const { transport } = this.commitments.find((message) => message.author === author)!;
    const transcript = this.begin(3, author);
    transcript.absorb('seen', this.seen);
    transcript.number('dealer', dealer);
    const isOpened = isEquality(transcript, decodePoint(share.E), decodePoint(transport), decodePoint(K), proof);
    return isOpened && !this.isRight(dealer, share, transport, K);
  }

  /** Whether the share that `K` opens is the dealer's polynomial at its recipient. */
  private isRight(dealer: number, { recipient, E, sealed }: Share, transport: Uint8Array, K: Uint8Array): boolean {
    const about = concat(this.session, le16(dealer), le16(recipient));
    const key = hkdf(sha256, K, undefined, concat(text('subrosa/dkg/share/v1'), about, E, transport), 32);
    let opened: Uint8Array;
    try {
      opened = chacha20poly1305(key, new Uint8Array(12), about).decrypt(sealed);
    } catch {
      return false;
    }
    const share = integer(opened);
    const { commitments } = this.commitments.find(({ author }) => author === dealer)!;
    const due = commitments.reduceRight((sum, C) => multiply(sum, BigInt(recipient)).add(decodePoint(C)), ZERO);
    return share < ORDER && multiply(G, share).equals(due);
  }

  /** The keys, or undefined if too few dealers are qualified or the key is neutral. */
  keys(): KeySet | undefined {
    const { threshold, trustees } = this.run;
    const qualified = this.dealers.map(({ author }) => author).filter((author) => !this.disqualified.has(author));
    const polynomial = Array.from({ length: threshold }, (_, k) =>
      this.commitments
        .filter(({ author }) => qualified.includes(author))
        .reduce((sum, { commitments }) => sum.add(decodePoint(commitments[k]!)), ZERO),
    );
    const pk = polynomial[0]!;
    if (qualified.length < threshold || pk.equals(ZERO)) return undefined;
    const keys = Array.from({ length: trustees }, (_, j) =>
      polynomial.reduceRight((sum, A) => multiply(sum, BigInt(j + 1)).add(A), ZERO),
    );
    const name = text(GROUP);
    const encoded = concat(
      ...[le32(name.length), name, le16(threshold), le32(qualified.length), ...qualified.map(le16), pk.toBytes()],
      ...[le32(trustees), ...keys.map((X) => X.toBytes())],
    );
    return { pk, keys, digest: digest('shuffle/keys', encoded) };
  }
}

function readCommitments(reader: Reader): Omit<Commitments, 'author' | 'bytes'> {
  const count = reader.count(MAX_COUNT, 'commitments');
  const commitments = Array.from({ length: count }, () => readPoint(reader));
  const transport = readPoint(reader);
  return { commitments, transport, proofs: [readKnowledge(reader), readKnowledge(reader)] };
}

function readShares(reader: Reader): Omit<Shares, 'author' | 'bytes'> {
  const count = reader.count(MAX_COUNT, 'shares');
  const shares = Array.from({ length: count }, () => ({ recipient: reader.u16(), E: readPoint(reader), sealed: reader.take(48) }));
  return { shares, proof: readKnowledge(reader) };
}

function readVerdicts(reader: Reader): Omit<Verdicts, 'author' | 'bytes'> {
  const seen = reader.take(32);
  const count = reader.count(MAX_COUNT, 'complaints');
  const complaints = Array.from({ length: count }, (): Complaint => ({ dealer: reader.u16(), K: readPoint(reader), proof: readEquality(reader) }));
  const isSorted = complaints.every(({ dealer }, i) => i === 0 || dealer > complaints[i - 1]!.dealer);
  must(isSorted, 'CV-4', 'complaints are not in the order of dealers');
  return { seen, complaints };
}
