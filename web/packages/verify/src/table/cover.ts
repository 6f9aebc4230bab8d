import { compare, equal, type Reader } from '../bytes.js';
import { must } from '../refusal.js';
import { keyLength, type Genesis } from './genesis.js';
import { NOTHING } from './hash.js';
import { readLoggedEpoch, type LoggedEpoch } from './log.js';
import { keyLeaf, readPoints, readRows, record, type Node } from './tree.js';
import { bit, edge, interior, readLabel, rootOf, type Bits } from './trie.js';

const MAX_KEYS = 2 ** 32 - 1;
const MAX_DEPTH = 1024;

/** An edge of a covered trie, and what is below it. */
interface Edge {
  label: Bits;
  below: { kind: 'stub'; hash: Uint8Array } | { kind: 'key' } | { kind: 'edges'; edges: [Edge, Edge] };
}

/** Both sides of the root. */
export type CoveredTrie = [Edge | undefined, Edge | undefined];

/** A key of the region, with the root of its tree. */
export interface KeyRoot {
  key: Uint8Array;
  root: Node;
}

/** What of an epoch is shown. */
export interface Cover {
  epoch: LoggedEpoch;
  trie: CoveredTrie;
  keys: KeyRoot[];
  beside: KeyRoot[];
}

function readEdge(reader: Reader, depth: number): Edge {
  const label = readLabel(reader);
  const reached = depth + label.length;
  must(reached <= MAX_DEPTH, 'CV-2', 'labels of a path have more than 1024 bits');
  const tag = reader.u8();
  must(tag <= 2, 'CV-4', `an edge of kind ${tag}`);
  if (tag === 0) return { label, below: { kind: 'stub', hash: reader.take(32) } };
  if (tag === 1) return { label, below: { kind: 'key' } };
  return { label, below: { kind: 'edges', edges: [readEdge(reader, reached), readEdge(reader, reached)] } };
}

/** Reads a covered trie. */
export function readTrie(reader: Reader): CoveredTrie {
  const side = (): Edge | undefined => {
    const tag = reader.u8();
    must(tag <= 1, 'CV-4', 'a side of a covered trie');
    return tag === 0 ? undefined : readEdge(reader, 0);
  };
  return [side(), side()];
}

/** Reads the root of a tree: rows, points, and the hash of the top node. */
export function readRoot(reader: Reader): Node {
  const rows = readRows(reader, 'TA-4');
  const points = readPoints(reader, reader.count(256, 'slots'));
  return { rows, points, hash: reader.take(32) };
}

/** Reads keys with their roots. */
export function readKeys(reader: Reader): KeyRoot[] {
  const count = reader.count(MAX_KEYS, 'keys');
  const keys: KeyRoot[] = [];
  for (let i = 0; i < count; i++) {
    const key = reader.bytesOf(128, 'a key');
    keys.push({ key, root: readRoot(reader) });
  }
  return keys;
}

/** Reads a cover, with keys beside the region or without. */
export function readCover(reader: Reader, genesis: Genesis, isBeside: boolean): Cover {
  const epoch = readLoggedEpoch(reader, genesis);
  const trie = readTrie(reader);
  const keys = readKeys(reader);
  return { epoch, trie, keys, beside: isBeside ? readKeys(reader) : [] };
}

/** `TA-4`: keys ascend, and their roots have rows and slots. */
export function checkKeys(keys: KeyRoot[], width: number): void {
  keys.forEach(({ key, root }, i) => {
    must(i === 0 || compare(keys[i - 1]!.key, key) < 0, 'TA-4', 'keys do not ascend');
    must(root.points.length === width, 'TA-4', 'a key with another number of slots');
    must(root.rows >= 1, 'TA-4', 'a key without rows');
  });
}

/** Whether keys that begin with these bits may be asked for. */
export type Overlaps = (prefix: Bits) => boolean;

/**
 * `TA-5`: the trie has this root, shows the given keys (with what stands under them) and no others, and nothing
 * that may be asked for is left out.
 */
export function checkTrie(genesis: Genesis, trie: CoveredTrie, overlaps: Overlaps, leaves: [Uint8Array, Uint8Array][], root: Uint8Array): void {
  const length = 8 * keyLength(genesis);
  let next = 0;
  const hashEdge = ({ label, below }: Edge, side: number, prefix: Uint8Array, at: number): Uint8Array => {
    must(bit(label.bytes, 0) === side, 'TA-5', 'an edge on the wrong side');
    const end = at + label.length;
    must(end <= length, 'TA-5', 'a label reaches beyond the key');
    const path = prefix.slice();
    for (let i = 0; i < label.length; i++) path[(at + i) >> 3]! |= bit(label.bytes, i) << (7 - ((at + i) & 7));
    const isOpen = below.kind !== 'stub';
    must(overlaps({ bytes: path, length: end }) === isOpen, 'TA-5', isOpen ? 'an edge is open outside the region' : 'a part of the region is not shown');
    if (below.kind === 'stub') return edge(label, below.hash);
    if (below.kind === 'edges') {
      const [e0, e1] = below.edges;
      return edge(label, interior(hashEdge(e0, 0, path, end), hashEdge(e1, 1, path, end)));
    }
    const leaf = leaves[next++];
    must(end === length && leaf !== undefined && equal(leaf[0], path), 'TA-5', 'a key is missing, or not in its place');
    return edge(label, leaf[1]);
  };
  const empty = new Uint8Array(length / 8);
  const [e0, e1] = trie.map((side, i) => (side === undefined ? NOTHING : hashEdge(side, i, empty, 0)));
  must(next === leaves.length, 'TA-5', 'a key is left over');
  must(equal(rootOf(e0!, e1!), root), 'TA-5', "the keys do not lead to the epoch's root");
}

/** What stands in the trie of keys for roots, and their records. */
export function recorded(genesis: Genesis, epoch: number, column: number, keys: KeyRoot[]): { leaf: [Uint8Array, Uint8Array]; record: Uint8Array }[] {
  return keys.map(({ key, root }) => {
    const own = record(genesis.name, epoch, key, column, root);
    return { leaf: [key, keyLeaf(own)], record: own };
  });
}
