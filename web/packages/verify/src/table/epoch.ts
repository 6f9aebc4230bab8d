import { compare, concat, equal, text, type Reader } from '../bytes.js';
import type { Equations } from '../equations.js';
import { hashToGroup, multiply, readScalars, type Point } from '../group.js';
import { must } from '../refusal.js';
import { Transcript } from '../transcript.js';
import { codes, greatest, rangeWidth, slots, type Genesis } from './genesis.js';
import { hash } from './hash.js';
import type { Header } from './log.js';
import { addRangeProof, BLINDING_BASE, proofLength, statement, VALUE_BASE, type Statement } from './range.js';
import { buildTree, keyLeaf, leafHash, readPoints, record, rowTag, type Leaf, type Node } from './tree.js';
import { buildRoot } from './trie.js';

const CHUNK = 64;
const VALUES = hashToGroup(text(VALUE_BASE));

/** A row as auditors see it. */
export interface AuditedRow {
  pseudonym: Uint8Array;
  leaf: Leaf;
}

/** The rows of a key in one ordered column, in the order of their tree. */
export interface KeyRows {
  key: Uint8Array;
  rows: AuditedRow[];
  root: Node;
}

/** An ordered column of an epoch. */
export interface Column {
  /** Its number in the schema, and its place among the ordered ones. */
  column: number;
  place: number;
  keys: KeyRows[];
}

/** Statements about one value column of one key. */
export interface Run {
  key: Uint8Array;
  /** The record of the key, or of a roll-up. */
  record: Uint8Array;
  tree: number;
  column: number;
  width: number;
  statements: Statement[];
}

/** Reads the rows of an ordered column; tags follow from the pseudonyms. */
export function readColumn(reader: Reader, genesis: Genesis, header: Header, column: number, place: number): Column {
  const width = slots(genesis, column).length;
  const count = reader.u32();
  const keys: KeyRows[] = [];
  for (let i = 0; i < count; i++) {
    const key = reader.bytesOf(128, 'a key');
    const size = reader.u64();
    must(size >= 1n, 'TC-2', 'a key without rows');
    const rows: AuditedRow[] = [];
    for (let row = 0n; row < size; row++) {
      const pseudonym = reader.take(32);
      const tag = rowTag(genesis.name, header.epoch, key, column, pseudonym);
      rows.push({ pseudonym, leaf: { tag, points: readPoints(reader, width) } });
    }
    keys.push({ key, rows, root: buildTree(rows.map(({ leaf }) => leaf)) });
  }
  return { column, place, keys };
}

/** Rows of some keys. */
export const countRows = (keys: { rows: unknown[] }[]): number => keys.reduce((sum, { rows }) => sum + rows.length, 0);

/** `TC-2`, but for the number of rows in all. */
export function checkColumns(genesis: Genesis, columns: { keys: { key: Uint8Array; rows: unknown[] }[] }[]): void {
  const [first] = columns;
  for (const { keys } of columns) {
    keys.forEach(({ key, rows }, i) => {
      must(i === 0 || compare(keys[i - 1]!.key, key) < 0, 'TC-2', 'keys do not ascend');
      must(codes(genesis, key) !== undefined, 'TC-2', 'a key is none of the schema');
      const same = first!.keys[i];
      must(same !== undefined && equal(same.key, key) && same.rows.length === rows.length, 'TC-2', 'columns have different keys or rows');
    });
    must(keys.length === first!.keys.length, 'TC-2', 'columns have different keys');
  }
}

const recordOf = (genesis: Genesis, header: Header, column: number, { key, root }: KeyRows): Uint8Array =>
  record(genesis.name, header.epoch, key, column, root);

/** What stands in the trie of keys for the rows of a column. */
export const keyLeaves = (genesis: Genesis, header: Header, { column, keys }: Column): [Uint8Array, Uint8Array][] =>
  keys.map((own) => [own.key, keyLeaf(recordOf(genesis, header, column, own))]);

/** Pseudonyms are distinct, and make the root of their trie. */
export function checkPseudonyms(rows: { pseudonym: Uint8Array; leaf: Uint8Array }[], root: Uint8Array, check: string): void {
  const leaves = rows
    .map(({ pseudonym, leaf }): [Uint8Array, Uint8Array] => [pseudonym, hash('id leaf', pseudonym, leaf)])
    .sort(([a], [b]) => compare(a, b));
  const isDistinct = leaves.every(([own], i) => i === 0 || !equal(leaves[i - 1]![0], own));
  must(isDistinct, check, 'a pseudonym is there twice');
  must(equal(buildRoot(leaves), root), check, 'the rows do not make the root of pseudonyms');
}

/** The greatest value of a column, as a point. */
export const greatestPoint = (genesis: Genesis, column: number): Point => multiply(VALUES, greatest(genesis.values[column]!));

/** Differences of neighbours, and of the bounds from the first and the last. */
export function steps(commitments: Point[], max: Point): Statement[] {
  return [...commitments, max].map((C, i) => statement(i === 0 ? C : C.subtract(commitments[i - 1]!)));
}

/** All runs of the rows of an epoch, in their order. */
export function runsOf(genesis: Genesis, header: Header, columns: Column[]): Run[] {
  const first = (rows: AuditedRow[], slot: number): Point[] => rows.map(({ leaf }) => leaf.points[slot]!.point);
  const about = ({ column, place }: Column, own: KeyRows, value: number): Omit<Run, 'statements'> => ({
    key: own.key,
    record: recordOf(genesis, header, column, own),
    tree: place,
    column: value,
    width: rangeWidth(genesis.values[value]!),
  });
  const own = columns.flatMap((column) =>
    column.keys.map((rows) => ({
      ...about(column, rows, column.column),
      statements: steps(first(rows.rows, 0), greatestPoint(genesis, column.column)),
    })),
  );
  const others = columns.flatMap((column) =>
    slots(genesis, column.column).flatMap((slot, i) => {
      if (slot.power !== 1 || slot.column === column.column) return [];
      const max = greatestPoint(genesis, slot.column);
      return column.keys.map((rows) => ({
        ...about(column, rows, slot.column),
        statements: first(rows.rows, i).flatMap((C) => [statement(C), statement(max.subtract(C))]),
      }));
    }),
  );
  return [...own, ...others];
}

/** `TC-4` of a run, by range proofs. */
export function addRun(equations: Equations, reader: Reader, E: Uint8Array, run: Run): void {
  for (let from = 0; from < run.statements.length; from += CHUNK) {
    const chunk = run.statements.slice(from, from + CHUNK);
    const transcript = new Transcript('subrosa/table/v1/order');
    transcript.absorb('epoch', E);
    transcript.absorb('key', run.key);
    transcript.number('tree', run.tree);
    transcript.number('column', run.column);
    transcript.number('n', run.statements.length);
    transcript.number('b', run.width);
    transcript.number('chunk', from / CHUNK);
    addRangeProof(equations, transcript, chunk, run.width, reader.take(proofLength(chunk.length, run.width)));
  }
}

/** `TC-6`; gives the number of proofs. */
export function addPowers(equations: Equations, reader: Reader, genesis: Genesis, E: Uint8Array, columns: Column[]): number {
  const base = equations.hashed(VALUE_BASE);
  const blindings = equations.hashed(BLINDING_BASE);
  let count = 0;
  for (const { column, place, keys } of columns) {
    for (const [slot, { column: value, power }] of slots(genesis, column).entries()) {
      const J = genesis.values[value]!.moments;
      if (power !== 1 || J < 2) continue;
      for (const { key, rows } of keys) {
        rows.forEach(({ leaf }, row) => {
          const R = reader.take(32 * J);
          const [s, ...each] = readScalars(reader, J + 1);
          const transcript = new Transcript('subrosa/table/v1/moments');
          transcript.absorb('epoch', E);
          transcript.absorb('key', key);
          transcript.number('tree', place);
          transcript.number('column', value);
          transcript.number('row', row);
          transcript.absorb('leaf', leafHash(leaf));
          transcript.absorb('R', R);
          const e = transcript.challenge('e');
          const C = equations.encoded(concat(...leaf.points.slice(slot, slot + J).map(({ bytes }) => bytes)), 'a commitment');
          const announced = equations.encoded(R, 'R of a proof of powers');
          for (let j = 0; j < J; j++) {
            equations.zero('TC-6', 'a proof of powers', [
              [j === 0 ? base : C + j - 1, s!],
              [blindings, each[j]!],
              [announced + j, -1n],
              [C + j, -e],
            ]);
          }
          count += 1;
        });
      }
    }
  }
  return count;
}
