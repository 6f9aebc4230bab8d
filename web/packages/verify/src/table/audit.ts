import { compare, concat, equal, hex, Reader, text } from '../bytes.js';
import { digest } from '../digest.js';
import { Equations } from '../equations.js';
import { hashToGroup, multiply, readScalars, type Point } from '../group.js';
import { object } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import type { Pool } from '../pool.js';
import { must, NotChecked } from '../refusal.js';
import { Transcript } from '../transcript.js';
import type { Progress } from '../verdict.js';
import { codes, greatest, orderedColumns, rangeWidth, readGenesis, slots, type Genesis } from './genesis.js';
import { hash } from './hash.js';
import { core, epochDigest, readHeader, type Header } from './log.js';
import { addRangeProof, BLINDING_BASE, proofLength, statement, VALUE_BASE, type Statement } from './range.js';
import { buildTree, keyLeaf, leafHash, readPoints, record, rowTag, type Leaf } from './tree.js';
import { buildRoot, EMPTY } from './trie.js';

const CHUNK = 64;
const MATRIX_FROM = 1024;
const VALUES = hashToGroup(text(VALUE_BASE));

/** The rows of a key in one ordered column, in the order of their tree. */
interface KeyRows {
  key: Uint8Array;
  rows: { pseudonym: Uint8Array; leaf: Leaf }[];
}

/** An ordered column of an epoch. */
interface Column {
  /** Its number in the schema, and its place among the ordered ones. */
  column: number;
  place: number;
  keys: KeyRows[];
}

/** Statements about one value column of one key. */
interface Run {
  key: Uint8Array;
  tree: number;
  column: number;
  width: number;
  statements: Statement[];
}

/** A claim that an epoch's commitments are what answers rest on. */
export async function verifyAudit(objects: Objects, pool: Pool, progress: Progress): Promise<Found> {
  const genesis = readGenesis(objects['genesis']![0]!);
  const header = readWhole(objects['header']![0]!, (reader) => readHeader(reader, genesis));
  const bundle = objects['audit']![0]!;
  const named = hash('audit bundle', digest('subrosa/table/audit', bundle));
  must(equal(named, header.audit), 'TC-1', "the bundle's hash is not the header's");

  const reader = new Reader(bundle);
  const columns = orderedColumns(genesis).map((column, place) => readColumn(reader, genesis, header, column, place));
  if (!equal(header.rollups, EMPTY)) throw new NotChecked('this verifier does not check audits of epochs with roll-ups');
  checkRows(genesis, header, columns);
  columns.forEach((column) => checkRoots(genesis, header, column));

  const runs = runsOf(genesis, columns);
  const count = runs.reduce((sum, { statements }) => sum + statements.length, 0);
  if (genesis.matrix && count >= MATRIX_FROM) throw new NotChecked('this verifier does not check proofs of order by a bit matrix');
  const equations = new Equations();
  const E = core(genesis, header);
  for (const run of runs) addRun(equations, reader, E, run);
  const powers = addPowers(equations, reader, genesis, E, columns);
  reader.end();
  await equations.verify(pool, progress);

  const keys = columns[0]!.keys.length;
  return {
    statement: object({
      table: hex(genesis.name),
      name: genesis.table,
      epoch: BigInt(header.epoch),
      digest: hex(epochDigest(genesis, header)),
      rows: header.rows,
      keys: BigInt(keys),
      rollups: 0n,
      audited: true,
    }),
    checks: [
      { check: 'TB-1', count: 1, what: 'genesis, which names the table' },
      { check: 'TC-1', count: 1, what: 'bundle of the audit, named by the header' },
      { check: 'TC-2', count: keys, what: 'keys, in all columns the same' },
      { check: 'TC-3', count: Number(header.rows), what: 'rows, each under a pseudonym of its own' },
      { check: 'TC-4, TC-5', count, what: 'bounds of values and of the steps between them' },
      { check: 'TC-6', count: powers, what: 'proofs that powers are powers' },
    ],
    premises: [],
  };
}

function readWhole<T>(bytes: Uint8Array, read: (reader: Reader) => T): T {
  const reader = new Reader(bytes);
  const value = read(reader);
  reader.end();
  return value;
}

/** Reads the rows of an ordered column; tags follow from the pseudonyms. */
function readColumn(reader: Reader, genesis: Genesis, header: Header, column: number, place: number): Column {
  const width = slots(genesis, column).length;
  const count = reader.u32();
  const keys: KeyRows[] = [];
  for (let i = 0; i < count; i++) {
    const key = reader.bytesOf(128, 'a key');
    const rows = reader.u64();
    must(rows >= 1n, 'TC-2', 'a key without rows');
    const own: KeyRows['rows'] = [];
    for (let row = 0n; row < rows; row++) {
      const pseudonym = reader.take(32);
      const tag = rowTag(genesis.name, header.epoch, key, column, pseudonym);
      own.push({ pseudonym, leaf: { tag, points: readPoints(reader, width) } });
    }
    keys.push({ key, rows: own });
  }
  return { column, place, keys };
}

/** `TC-2`. */
function checkRows(genesis: Genesis, header: Header, columns: Column[]): void {
  const [first] = columns;
  for (const { keys } of columns) {
    keys.forEach(({ key, rows }, i) => {
      must(i === 0 || compare(keys[i - 1]!.key, key) < 0, 'TC-2', 'keys do not ascend');
      must(codes(genesis, key) !== undefined, 'TC-2', 'a key is none of the schema');
      const same = first!.keys[i];
      must(same !== undefined && equal(same.key, key) && same.rows.length === rows.length, 'TC-2', 'columns have different keys or rows');
    });
    must(keys.length === first!.keys.length, 'TC-2', 'columns have different keys');
    const rows = keys.reduce((sum, own) => sum + own.rows.length, 0);
    must(BigInt(rows) === header.rows, 'TC-2', "not as many rows as the header says");
  }
}

/** `TC-3`. */
function checkRoots(genesis: Genesis, header: Header, { column, place, keys }: Column): void {
  const leaves = keys.map(({ key, rows }): [Uint8Array, Uint8Array] => {
    const root = buildTree(rows.map(({ leaf }) => leaf));
    return [key, keyLeaf(record(genesis.name, header.epoch, key, column, root))];
  });
  const roots = header.columns[place]!;
  must(equal(buildRoot(leaves), roots.keys), 'TC-3', 'the rows do not make the root of keys');
  const pseudonyms = keys
    .flatMap(({ rows }) => rows)
    .map(({ pseudonym, leaf }): [Uint8Array, Uint8Array] => [pseudonym, hash('id leaf', pseudonym, leafHash(leaf))])
    .sort(([a], [b]) => compare(a, b));
  const isDistinct = pseudonyms.every(([own], i) => i === 0 || !equal(pseudonyms[i - 1]![0], own));
  must(isDistinct, 'TC-3', 'a pseudonym is there twice');
  must(equal(buildRoot(pseudonyms), roots.pseudonyms), 'TC-3', 'the rows do not make the root of pseudonyms');
}

/** Differences of neighbours, and of the bounds from the first and the last. */
function steps(commitments: Point[], max: Point): Statement[] {
  return [...commitments, max].map((C, i) => statement(i === 0 ? C : C.subtract(commitments[i - 1]!)));
}

/** All runs, in their order. */
function runsOf(genesis: Genesis, columns: Column[]): Run[] {
  const first = (rows: KeyRows['rows'], slot: number): Point[] => rows.map(({ leaf }) => leaf.points[slot]!.point);
  const max = (column: number): Point => multiply(VALUES, greatest(genesis.values[column]!));
  const about = (key: Uint8Array, tree: number, column: number): Omit<Run, 'statements'> => ({
    key,
    tree,
    column,
    width: rangeWidth(genesis.values[column]!),
  });
  const own = columns.flatMap(({ column, place, keys }) =>
    keys.map(({ key, rows }) => ({ ...about(key, place, column), statements: steps(first(rows, 0), max(column)) })),
  );
  const others = columns.flatMap(({ column, place, keys }) =>
    slots(genesis, column).flatMap((slot, i) => {
      if (slot.power !== 1 || slot.column === column) return [];
      return keys.map(({ key, rows }) => ({
        ...about(key, place, slot.column),
        statements: first(rows, i).flatMap((C) => [statement(C), statement(max(slot.column).subtract(C))]),
      }));
    }),
  );
  return [...own, ...others];
}

/** `TC-4` of a run, by range proofs. */
function addRun(equations: Equations, reader: Reader, E: Uint8Array, run: Run): void {
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
function addPowers(equations: Equations, reader: Reader, genesis: Genesis, E: Uint8Array, columns: Column[]): number {
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
