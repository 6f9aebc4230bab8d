import { compare, equal, hex, Reader } from '../bytes.js';
import { Equations } from '../equations.js';
import { object } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import type { Pool } from '../pool.js';
import { asPartOf, must } from '../refusal.js';
import type { Check, Progress } from '../verdict.js';
import { encodeRange, encodeScope, isAll, readRange, type Range, type Scope } from './attestation.js';
import { readWhole } from './audit.js';
import { checkTrie, readTrie, type Overlaps } from './cover.js';
import { addPowers, addRun, checkColumns, checkPseudonyms, countRows, keyLeaves, readColumn, runsOf } from './epoch.js';
import { codes, keyLength, orderedColumns, readGenesis, type Genesis } from './genesis.js';
import { hashAll, type Input } from './hash.js';
import { core, epochDigest, readHeader, type Header } from './log.js';
import { leafHash } from './tree.js';
import { EMPTY } from './trie.js';

const MAX_RANGES = 4096;

/** Rows of a key, as parts of an audit are linked by them. */
interface LinkedKey {
  key: Uint8Array;
  rows: { pseudonym: Uint8Array; leaf: Uint8Array }[];
}

/** What a part shows, in words and as a scope of attestations. */
interface Part {
  words: string;
  scope: Scope;
  checks: Check[];
}

/** A claim that a part of an epoch's audit is right. */
export async function verifyAuditPart(objects: Objects, pool: Pool, progress: Progress): Promise<Found> {
  const genesis = readGenesis(objects['genesis']![0]!);
  const header = readWhole(objects['header']![0]!, (reader) => readHeader(reader, genesis));
  must(equal(header.rollups, EMPTY), 'TC-9', 'an epoch with roll-ups is audited as a whole only');
  const reader = new Reader(objects['part']![0]!);
  const tag = reader.u8();
  must(tag <= 1, 'CV-4', `a part of kind ${tag}`);
  const equations = new Equations();
  const part = tag === 0 ? readKeysPart(equations, reader, genesis, header) : readUsersPart(reader, genesis, header);
  reader.end();
  await asPartOf('TC-4', /^(TC-[57]|CV-6)$/, () => equations.verify(pool, progress));
  return {
    statement: object({
      table: hex(genesis.name),
      name: genesis.table,
      epoch: BigInt(header.epoch),
      digest: hex(epochDigest(genesis, header)),
      part: part.words,
      scope: hex(encodeScope(part.scope)),
    }),
    checks: [{ check: 'TB-1', count: 1, what: 'genesis, which names the table' }, ...part.checks],
    premises: [],
  };
}

/** The hash of a range: what every part says of the rows in it. */
function linksHash(range: Range, columns: LinkedKey[][]): Uint8Array {
  const inputs: Input[] = [encodeRange(range), columns.length];
  for (const keys of columns) {
    inputs.push(keys.length);
    for (const { key, rows } of keys) {
      inputs.push(key, rows.length);
      for (const { pseudonym, leaf } of rows) inputs.push(pseudonym, leaf);
    }
  }
  return hashAll('audit links', inputs);
}

const isWithin = ({ first, beyond }: Range, key: Uint8Array): boolean =>
  compare(first, key) <= 0 && (beyond === undefined || compare(key, beyond) < 0);

/** Whether keys that begin with some bits may be in a range. */
const overlapsRange =
  (genesis: Genesis, { first, beyond }: Range): Overlaps =>
  ({ bytes, length }) => {
    const least = new Uint8Array(keyLength(genesis));
    least.set(bytes.subarray(0, Math.ceil(length / 8)));
    const most = least.slice();
    for (let i = length; i < 8 * most.length; i++) most[i >> 3]! |= 1 << (7 - (i & 7));
    return compare(most, first) >= 0 && (beyond === undefined || compare(least, beyond) < 0);
  };

/** `TC-9`: the keys of a range, as in a whole audit. */
function readKeysPart(equations: Equations, reader: Reader, genesis: Genesis, header: Header): Part {
  must(!genesis.matrix, 'TC-9', 'an epoch with a bit matrix is audited as a whole only');
  const range = readRange(reader);
  const tries = orderedColumns(genesis).map(() => readTrie(reader));
  const columns = orderedColumns(genesis).map((column, place) => readColumn(reader, genesis, header, column, place));
  checkColumns(genesis, columns);
  const [{ keys }] = columns as [(typeof columns)[0]];
  must(keys.every(({ key }) => isWithin(range, key)), 'TC-9', 'a key is not in the range');
  columns.forEach((column) => {
    const leaves = keyLeaves(genesis, header, column);
    checkTrie(genesis, tries[column.place]!, overlapsRange(genesis, range), leaves, header.columns[column.place]!.keys);
  });
  const runs = runsOf(genesis, header, columns);
  const E = core(genesis, header);
  for (const run of runs) addRun(equations, reader, E, run);
  const powers = addPowers(equations, reader, genesis, E, columns);

  const linked = columns.map((column) =>
    column.keys.map(({ key, rows }) => ({ key, rows: rows.map(({ pseudonym, leaf }) => ({ pseudonym, leaf: leafHash(leaf) })) })),
  );
  const end = range.beyond === undefined ? '' : ` to below "${hex(range.beyond)}"`;
  return {
    words: `keys from "${hex(range.first)}"${end}`,
    scope: { kind: 'range', range: { ...range, hash: linksHash(range, linked) } },
    checks: [
      { check: 'TC-9', count: keys.length, what: 'keys of the range, none left out' },
      { check: 'TC-3', count: countRows(keys), what: 'rows in the trees of their keys' },
      { check: 'TC-4, TC-5', count: runs.reduce((sum, { statements }) => sum + statements.length, 0), what: 'bounds of values and of the steps between them' },
      { check: 'TC-6', count: powers, what: 'proofs that powers are powers' },
    ],
  };
}

/** `TC-10`: the users of all keys, each of them once. */
function readUsersPart(reader: Reader, genesis: Genesis, header: Header): Part {
  const count = reader.count(MAX_RANGES, 'ranges');
  const ranges = Array.from({ length: count }, () => readRange(reader));
  must(isAll(ranges), 'TC-10', 'the ranges do not make up all keys');
  const columns = orderedColumns(genesis).map(() => {
    const keys: LinkedKey[] = [];
    for (let left = reader.u32(); left > 0; left--) {
      const key = reader.bytesOf(128, 'a key');
      const rows: LinkedKey['rows'] = [];
      for (let row = reader.u64(); row > 0n; row--) rows.push({ pseudonym: reader.take(32), leaf: reader.take(32) });
      keys.push({ key, rows });
    }
    return keys;
  });
  columns.forEach((keys, place) => {
    keys.forEach(({ key, rows }, i) => {
      must(i === 0 || compare(keys[i - 1]!.key, key) < 0, 'TC-10', 'keys do not ascend');
      must(codes(genesis, key) !== undefined && rows.length > 0, 'TC-10', 'a key is none of the schema, or has no rows');
    });
    must(BigInt(countRows(keys)) === header.rows, 'TC-10', 'not as many rows as the header says');
    checkPseudonyms(keys.flatMap(({ rows }) => rows), header.columns[place]!.pseudonyms, 'TC-10');
  });
  const parts = ranges.map((range) => {
    const within = columns.map((keys) => keys.filter(({ key }) => isWithin(range, key)));
    return { ...range, hash: linksHash(range, within) };
  });
  return {
    words: `users, over ${count} ranges of keys`,
    scope: { kind: 'parts', parts },
    checks: [{ check: 'TC-10', count: Number(header.rows), what: 'rows, each under a pseudonym of its own' }],
  };
}
