import { equal, type Reader } from '../bytes.js';
import { must } from '../refusal.js';
import { hash, NOTHING } from './hash.js';

/** A string of bits, most significant first. */
export interface Bits {
  length: number;
  bytes: Uint8Array;
}

/** A bit of a string. */
export const bit = (bytes: Uint8Array, i: number): number => (bytes[i >> 3]! >> (7 - (i & 7))) & 1;

/** All bits of bytes. */
export const bitsOf = (bytes: Uint8Array): Bits => ({ length: 8 * bytes.length, bytes });

/** The bits `from` to `to` of a string, padded with zeros. */
export function cut(bytes: Uint8Array, from: number, to: number): Bits {
  const out = new Uint8Array(Math.ceil((to - from) / 8));
  for (let i = from; i < to; i++) out[(i - from) >> 3]! |= bit(bytes, i) << (7 - ((i - from) & 7));
  return { length: to - from, bytes: out };
}

/** Reads a label: 1 to 1024 bits, padded with zeros. */
export function readLabel(reader: Reader): Bits {
  const length = reader.limited(reader.u16(), 1024, 'bits of a label');
  must(length >= 1, 'CV-2', 'a label without bits');
  const bytes = reader.take(Math.ceil(length / 8));
  const padding = 8 * bytes.length - length;
  must((bytes[bytes.length - 1]! & ((1 << padding) - 1)) === 0, 'CV-4', 'the padding of a label is not zero');
  return { length, bytes };
}

/** `e`: the hash of an edge. */
export const edge = (label: Bits, below: Uint8Array): Uint8Array => hash('trie edge', label.length, label.bytes, below);

/** The hash of an interior node. */
export const interior = (e0: Uint8Array, e1: Uint8Array): Uint8Array => hash('trie node', e0, e1);

/** The root, of edges or zeros. */
export const rootOf = (e0: Uint8Array, e1: Uint8Array): Uint8Array => hash('trie root', e0, e1);

/** The root of a trie with nothing in it. */
export const EMPTY = rootOf(NOTHING, NOTHING);

/** One edge on the way down, and the hash of the edge beside it. */
interface Step {
  label: Bits;
  sibling: Uint8Array;
}

/** A way down to a key. */
export type Membership = Step[];

/** A way down to where a key is not. */
export interface Absence {
  steps: Step[];
  end: { sibling: Uint8Array; other?: { label: Bits; below: Uint8Array } };
}

/** Reads a proof of membership. */
export function readMembership(reader: Reader): Membership {
  const count = reader.limited(reader.u16(), 1024, 'steps in a trie');
  return Array.from({ length: count }, () => ({ label: readLabel(reader), sibling: reader.take(32) }));
}

/** Reads a proof of absence. */
export function readAbsence(reader: Reader): Absence {
  const steps = readMembership(reader);
  const tag = reader.u8();
  must(tag <= 1 && !(tag === 0 && steps.length > 0), 'CV-4', 'how an absence ends');
  if (tag === 0) return { steps, end: { sibling: reader.take(32) } };
  const other = { label: readLabel(reader), below: reader.take(32) };
  return { steps, end: { other, sibling: reader.take(32) } };
}

const isNothing = (hashed: Uint8Array): boolean => equal(hashed, NOTHING);

/** How many leading bits of a label agree with a key from `at` on. */
function agreement(label: Bits, key: Uint8Array, at: number): number {
  let n = 0;
  while (n < label.length && at + n < 8 * key.length && bit(label.bytes, n) === bit(key, at + n)) n++;
  return n;
}

/** Checks that labels agree with the key; gives where the last one ends. */
function follow(steps: Step[], key: Uint8Array, check: string): number {
  let at = 0;
  steps.forEach(({ label, sibling }, i) => {
    must(agreement(label, key, at) === label.length, check, 'a label does not agree with the key');
    must(i === 0 || !isNothing(sibling), check, 'an edge is missing below the root');
    at += label.length;
  });
  return at;
}

/** Hashes upwards from what is below the last step. */
function climb(steps: Step[], below: Uint8Array): Uint8Array {
  return steps.reduceRight((h, { label, sibling }, i) => join(i === 0, label, edge(label, h), sibling), below);
}

/** The node above two edges, one of which has this label. */
function join(isRoot: boolean, label: Bits, e: Uint8Array, sibling: Uint8Array): Uint8Array {
  const above = isRoot ? rootOf : interior;
  return bit(label.bytes, 0) === 0 ? above(e, sibling) : above(sibling, e);
}

/** `TB-2`: a leaf stands under a key in the trie with this root. */
export function checkMembership(proof: Membership, key: Uint8Array, leaf: Uint8Array, root: Uint8Array): void {
  must(proof.length > 0, 'TB-2', 'no step');
  must(follow(proof, key, 'TB-2') === 8 * key.length, 'TB-2', 'the steps do not lead to the key');
  must(equal(climb(proof, leaf), root), 'TB-2', 'the steps do not lead to the root');
}

/** `TB-3`: nothing stands under a key in the trie with this root. */
export function checkAbsence({ steps, end }: Absence, key: Uint8Array, root: Uint8Array): void {
  const at = follow(steps, key, 'TB-3');
  if (end.other === undefined) {
    const [e0, e1] = bit(key, 0) === 0 ? [NOTHING, end.sibling] : [end.sibling, NOTHING];
    must(equal(rootOf(e0, e1), root), 'TB-3', 'the empty side does not lead to the root');
    return;
  }
  const { label, below } = end.other;
  const agreed = agreement(label, key, at);
  must(agreed >= 1 && agreed < label.length, 'TB-3', 'the last label does not part from the key');
  must(at + label.length <= 8 * key.length, 'TB-3', 'the last label reaches beyond the key');
  must(steps.length === 0 || !isNothing(end.sibling), 'TB-3', 'an edge is missing below the root');
  const node = join(steps.length === 0, label, edge(label, below), end.sibling);
  must(equal(climb(steps, node), root), 'TB-3', 'the steps do not lead to the root');
}

/** The root of the trie with these leaves, of which no two keys are equal. */
export function buildRoot(leaves: [Uint8Array, Uint8Array][]): Uint8Array {
  const build = (part: [Uint8Array, Uint8Array][], at: number): Uint8Array => {
    const [first] = part;
    if (first === undefined) return NOTHING;
    const last = part[part.length - 1]!;
    let end = at + 1;
    const length = 8 * first[0].length;
    while (end < length && bit(first[0], end) === bit(last[0], end)) end++;
    const label = cut(first[0], at, end);
    if (end === length) return edge(label, first[1]);
    const middle = part.findIndex(([key]) => bit(key, end) === 1);
    return edge(label, interior(build(part.slice(0, middle), end), build(part.slice(middle), end)));
  };
  const middle = leaves.findIndex(([key]) => bit(key, 0) === 1);
  const split = middle < 0 ? leaves.length : middle;
  return rootOf(build(leaves.slice(0, split), 0), build(leaves.slice(split), 0));
}
