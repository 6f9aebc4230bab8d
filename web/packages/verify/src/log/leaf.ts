import { sha256 } from '@noble/hashes/sha2.js';
import { concat, le32, Reader, text } from '../bytes.js';
import { digest } from '../digest.js';
import { readKey } from '../ed25519.js';
import type { Signed } from '../kernel.js';
import { must } from '../refusal.js';

const MAX_SUBJECT = 128;
const MAX_PAYLOAD = 2n ** 28n;
const MAX_LEAVES = 2 ** 24;
const MAX_PROOF = 128;
const SIGNATURE = 64;

/** What an author signed, and when the keeper appended it. */
export interface Leaf {
  bytes: Uint8Array;
  time: bigint;
  kind: string;
  subject: Uint8Array;
  author: Uint8Array;
  /** The payload's digest and bytes. */
  payload: Uint8Array;
  length: bigint;
  /** Names the entry. */
  name: Uint8Array;
  /** The header without its signature, and this. */
  body: Uint8Array;
  signature: Uint8Array;
}

/** Reads a leaf; of `LG-1` all but the signature. */
export function readLeaf(reader: Reader): Leaf {
  const from = reader.position;
  must(reader.u8() === 1, 'CV-4', 'another version of a leaf');
  const time = reader.u64();
  const start = reader.position;
  must(reader.u8() === 1, 'CV-4', 'another version of a header');
  const kind = reader.text(64, 'the kind');
  must(/^[a-z0-9./-]+$/.test(kind), 'LG-1', 'the kind has other characters');
  const subject = reader.bytesOf(MAX_SUBJECT, 'the subject');
  const author = readKey(reader);
  reader.u64();
  const payload = reader.take(32);
  const length = reader.u64();
  must(length <= MAX_PAYLOAD, 'LG-1', 'the payload is too large');
  const body = reader.since(start);
  const signature = reader.take(SIGNATURE);
  const name = digest('subrosa/log/header/v1', reader.since(start));
  return { bytes: reader.since(from), time, kind, subject, author, payload, length, name, body, signature };
}

/** What a leaf's author signed in the log with this name. */
export const signedLeaf = (origin: string, { author, body, signature }: Leaf): Signed => ({
  domain: 'subrosa/log/entry/v1',
  key: author,
  bytes: concat(le32(text(origin).length), text(origin), body),
  signature,
});

/** Leaves in a row, and the nodes beside them. */
export interface Stretch {
  first: bigint;
  leaves: Leaf[];
  proof: Uint8Array[];
}

/** Reads a stretch. */
export function readStretch(reader: Reader): Stretch {
  const first = reader.u64();
  const count = reader.count(MAX_LEAVES, 'leaves');
  const leaves: Leaf[] = [];
  for (let i = 0; i < count; i++) leaves.push(readLeaf(reader));
  const hashes = reader.limited(reader.u8(), MAX_PROOF, 'hashes of a proof');
  return { first, leaves, proof: Array.from({ length: hashes }, () => reader.take(32)) };
}

const leafHash = (bytes: Uint8Array): Uint8Array => sha256(concat(Uint8Array.of(0), bytes));
const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(concat(Uint8Array.of(1), left, right));

/** The roots of a log while it grows, leaf by leaf. */
export class Frontier {
  /** Roots of whole subtrees, the greatest first, and how many leaves each has. */
  private readonly peaks: { hash: Uint8Array; size: number }[] = [];

  /** Appends a leaf. */
  append(leaf: Uint8Array): void {
    let peak = { hash: leafHash(leaf), size: 1 };
    while (this.peaks.at(-1)?.size === peak.size) {
      const left = this.peaks.pop()!;
      peak = { hash: nodeHash(left.hash, peak.hash), size: 2 * peak.size };
    }
    this.peaks.push(peak);
  }

  /** The root of all leaves so far, at least one. */
  root(): Uint8Array {
    return this.peaks.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(left, right));
  }
}

/** The root to which the leaves of a stretch in a log of this size lead, or undefined (`LG-11`). */
export function rootOf({ first, leaves, proof }: Stretch, size: bigint): Uint8Array | undefined {
  const end = first + BigInt(leaves.length);
  if (leaves.length === 0 || end > size) return undefined;
  let used = 0;
  const node = (from: bigint, to: bigint): Uint8Array => {
    if (to <= first || end <= from) return proof[used++] ?? new Uint8Array(32);
    if (to - from === 1n) return leafHash(leaves[Number(from - first)]!.bytes);
    let half = 1n;
    while (2n * half < to - from) half *= 2n;
    const left = node(from, from + half);
    return nodeHash(left, node(from + half, to));
  };
  const root = node(0n, size);
  return used === proof.length ? root : undefined;
}
