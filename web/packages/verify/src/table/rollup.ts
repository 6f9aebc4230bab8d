import { compare, equal, type Reader } from '../bytes.js';
import { must } from '../refusal.js';
import { checkTrie, readTrie, type CoveredTrie } from './cover.js';
import { greatestPoint, steps, type Run } from './epoch.js';
import { orderedColumns, rangeWidth, slots, type Genesis } from './genesis.js';
import { epochDigest, readHeader, type Header } from './log.js';
import { overlaps, readRegion, type Region } from './query.js';
import { checkRolledRegion, rollupLeaf, rollupName, rollupRecord } from './region.js';
import { buildTree, keyLeaf, readPoints, record, type Leaf } from './tree.js';
import { buildRoot } from './trie.js';

const MAX_ROLLUPS = 4096;

/** One sorted tree over all rows of a region of earlier epochs. */
export interface Rollup {
  /** The ordered column of its tree, and that column's place among the ordered ones. */
  column: number;
  place: number;
  region: Region;
  name: Uint8Array;
  covers: { trie: CoveredTrie; keys: Uint8Array[] }[];
  /** For each row the number of its key, counted through all epochs. */
  rows: { key: number; leaf: Leaf }[];
}

function readOne(reader: Reader, genesis: Genesis, holder: number): Rollup {
  const column = reader.u16();
  const place = orderedColumns(genesis).indexOf(column);
  must(place >= 0, 'TC-8', `a roll-up by the column ${column}, which is not ordered`);
  const region = readRegion(reader);
  checkRolledRegion(genesis, region, holder);
  const covers = Array.from({ length: region.to - region.from + 1 }, () => {
    const trie = readTrie(reader);
    const keys: Uint8Array[] = [];
    for (let count = reader.u32(); count > 0; count--) keys.push(reader.bytesOf(128, 'a key'));
    return { trie, keys };
  });
  const width = slots(genesis, column).length;
  const rows: Rollup['rows'] = [];
  for (let count = reader.u64(); count > 0n; count--) {
    const key = reader.u32();
    rows.push({ key, leaf: { tag: reader.take(32), points: readPoints(reader, width) } });
  }
  return { column, place, region, name: rollupName(column, region), covers, rows };
}

/** Every key's rows make the tree that its epoch has, and no key of the region is missing. */
function checkRegionRows(genesis: Genesis, { column, place, region, covers, rows }: Rollup, headers: Map<number, Header>): void {
  const all = covers.reduce((sum, { keys }) => sum + keys.length, 0);
  const byKey: Leaf[][] = Array.from({ length: all }, () => []);
  for (const { key, leaf } of rows) {
    must(key < all, 'TC-8', 'a row of a key that is not there');
    byKey[key]!.push(leaf);
  }
  const { minCount } = genesis.policy;
  let next = 0;
  covers.forEach(({ trie, keys }, i) => {
    const header = headers.get(region.from + i)!;
    const leaves = keys.map((key): [Uint8Array, Uint8Array] => {
      const own = byKey[next++]!;
      must(own.length >= 1 && BigInt(own.length) >= minCount, 'TC-8', 'a key of a roll-up has too few rows');
      return [key, keyLeaf(record(genesis.name, header.epoch, key, column, buildTree(own)))];
    });
    checkTrie(genesis, trie, (prefix) => overlaps(genesis, region.boxes, prefix), leaves, header.columns[place]!.keys);
  });
}

const recordOf = (genesis: Genesis, { column, region, rows }: Rollup, holder: number): Uint8Array =>
  rollupRecord(genesis, column, region, holder, buildTree(rows.map(({ leaf }) => leaf)));

/** Reads the roll-ups that an epoch holds, and checks `TC-8`. */
export function readRollups(reader: Reader, genesis: Genesis, header: Header): (Rollup & { record: Uint8Array })[] {
  const count = reader.count(MAX_ROLLUPS, 'roll-ups');
  must(count > 0, 'TC-8', 'no roll-up, where the header has some');
  const rollups = Array.from({ length: count }, () => readOne(reader, genesis, header.epoch));
  const first = Math.min(...rollups.map(({ region }) => region.from));
  const headers = new Map<number, Header>();
  let previous: Uint8Array | undefined;
  for (let epoch = first; epoch < header.epoch; epoch++) {
    const before = readHeader(reader, genesis);
    must(before.epoch === epoch, 'TC-8', 'headers do not follow each other');
    must(previous === undefined || equal(before.previous, previous), 'TC-8', 'an epoch does not continue the one before');
    previous = epochDigest(genesis, before);
    headers.set(epoch, before);
  }
  must(previous !== undefined && equal(header.previous, previous), 'TC-8', 'the epochs that were rolled up are others than the header continues');
  const recorded = rollups.map((rollup, i) => {
    must(i === 0 || compare(rollups[i - 1]!.name, rollup.name) < 0, 'TC-8', 'names of roll-ups do not ascend');
    checkRegionRows(genesis, rollup, headers);
    must(rollup.rows.length > 0, 'TC-8', 'a roll-up without rows');
    return { ...rollup, record: recordOf(genesis, rollup, header.epoch) };
  });
  const leaves = recorded.map(({ name, record: own }): [Uint8Array, Uint8Array] => [name, rollupLeaf(own)]);
  must(equal(buildRoot(leaves), header.rollups), 'TC-8', 'the roll-ups do not make the root of roll-ups');
  return recorded;
}

/** That merged rows are sorted. */
export const rollupRun = (genesis: Genesis, { column, name, record: own, rows }: Rollup & { record: Uint8Array }): Run => ({
  key: name,
  record: own,
  tree: orderedColumns(genesis).length,
  column,
  width: rangeWidth(genesis.values[column]!),
  statements: steps(
    rows.map(({ leaf }) => leaf.points[0]!.point),
    greatestPoint(genesis, column),
  ),
});
