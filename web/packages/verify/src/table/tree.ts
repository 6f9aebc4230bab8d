import { equal, type Reader } from '../bytes.js';
import { decodePoint, type Point } from '../group.js';
import { must } from '../refusal.js';
import { hash, list } from './hash.js';

const MAX_ROWS = 2n ** 40n;

/** A commitment, with its encoding. */
export interface Committed {
  point: Point;
  bytes: Uint8Array;
}

/** The next `n` points. */
export function readPoints(reader: Reader, n: number): Committed[] {
  return Array.from({ length: n }, () => {
    const bytes = reader.take(32);
    return { point: decodePoint(bytes), bytes };
  });
}

const encodings = (points: Committed[]): Uint8Array[] => points.map(({ bytes }) => bytes);
const committed = (point: Point): Committed => ({ point, bytes: point.toBytes() });

/** A row in a tree: its tag and `C` of each slot. */
export interface Leaf {
  tag: Uint8Array;
  points: Committed[];
}

/** Reads a leaf. */
export const readLeaf = (reader: Reader, width: number): Leaf => ({
  tag: reader.take(32),
  points: readPoints(reader, width),
});

/** `h_leaf`. */
export const leafHash = (leaf: Leaf): Uint8Array => hash('leaf', leaf.tag, ...list(encodings(leaf.points)));

/** `m`: the tag of a row. */
export const rowTag = (table: Uint8Array, epoch: number, key: Uint8Array, column: number, pseudonym: Uint8Array): Uint8Array =>
  hash('row', table, epoch, key, column, pseudonym);

/** A node: rows below, the points `2C` of its slots, and its hash. */
export interface Node {
  rows: number;
  points: Committed[];
  hash: Uint8Array;
}

/** A leaf as a node, with its points doubled. */
export const leafNode = (leaf: Leaf): Node => ({
  rows: 1,
  points: leaf.points.map(({ point }) => committed(point.double())),
  hash: leafHash(leaf),
});

const nodeHash = (rows: number, points: Committed[], left: Uint8Array, right: Uint8Array): Uint8Array =>
  hash('node', rows, ...list(encodings(points)), left, right);

/** The node above two. */
export function parent(left: Node, right: Node): Node {
  const rows = left.rows + right.rows;
  const points = left.points.map(({ point }, i) => committed(point.add(right.points[i]!.point)));
  return { rows, points, hash: nodeHash(rows, points, left.hash, right.hash) };
}

/** The root of the tree over leaves, of which there is at least one. */
export function buildTree(leaves: Leaf[]): Node {
  let layer = leaves.map(leafNode);
  while (layer.length > 1) {
    const above: Node[] = [];
    for (let i = 0; i < layer.length; i += 2) {
      const right = layer[i + 1];
      above.push(right === undefined ? layer[i]! : parent(layer[i]!, right));
    }
    layer = above;
  }
  return layer[0]!;
}

/** `R`: the record of a key. */
export const record = (table: Uint8Array, epoch: number, key: Uint8Array, column: number, root: Node): Uint8Array =>
  hash('root', table, epoch, key, column, root.rows, ...list(encodings(root.points)), root.hash);

/** What stands in the trie of keys. */
export const keyLeaf = (recorded: Uint8Array): Uint8Array => hash('type leaf', recorded);

/** A way from a leaf to its root. */
export interface Path {
  index: number;
  rows: number;
  /** By layer; nothing where the node moves up without a partner. */
  siblings: (Node | undefined)[];
}

/** A number of rows, at most 2^40. */
export function readRows(reader: Reader, check = 'CV-2'): number {
  const rows = reader.u64();
  must(rows <= MAX_ROWS, check, `${rows} rows`);
  return Number(rows);
}

/** Layers of a tree with this many rows, below its root. */
function layers(rows: number): number[] {
  const out: number[] = [];
  for (let width = rows; width > 1; width = Math.ceil(width / 2)) out.push(width);
  return out;
}

const ancestor = (index: number, layer: number): number => Math.floor(index / 2 ** layer);

/** Reads a path; one that meets `other`, about the same tree, has only what that one lacks. */
export function readPath(reader: Reader, width: number, other?: Path): Path {
  const index = Number(reader.u64());
  const rows = other?.rows ?? readRows(reader);
  must(index < rows, 'CV-2', `leaf ${index} of ${rows} rows`);
  const siblings = layers(rows).map((count, l) => {
    if (other !== undefined && ancestor(other.index, l) === ancestor(index, l)) return other.siblings[l];
    const at = ancestor(index, l) % 2 === 0 ? ancestor(index, l) + 1 : ancestor(index, l) - 1;
    if (at >= count) return undefined;
    const below = Math.min((at + 1) * 2 ** l, rows) - at * 2 ** l;
    if (below === 1) return leafNode(readLeaf(reader, width));
    const points = readPoints(reader, width);
    return { rows: below, points, hash: nodeHash(below, points, reader.take(32), reader.take(32)) };
  });
  return { index, rows, siblings };
}

/** The root to which a path leads from a leaf. */
export function climb(leaf: Leaf, path: Path): Node {
  return path.siblings.reduce<Node>((node, sibling, l) => {
    if (sibling === undefined) return node;
    return ancestor(path.index, l) % 2 === 0 ? parent(node, sibling) : parent(sibling, node);
  }, leafNode(leaf));
}

/** The sums of the points of all rows behind the leaf of a path. */
export function behind(path: Path): Node[] {
  return path.siblings.filter((node, l): node is Node => node !== undefined && ancestor(path.index, l) % 2 === 0);
}

/** Whether two nodes are equal in rows, points and hash. */
export const isSame = (a: Node, b: Node): boolean =>
  a.rows === b.rows &&
  equal(a.hash, b.hash) &&
  a.points.length === b.points.length &&
  a.points.every(({ bytes }, i) => equal(bytes, b.points[i]!.bytes));
