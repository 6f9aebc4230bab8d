import { compare, concat, equal, le16, type Reader } from '../bytes.js';
import { asPartOf, must } from '../refusal.js';
import type { Check } from '../verdict.js';
import { checkKeys, checkTrie, readCover, readRoot, recorded, type Cover, type KeyRoot } from './cover.js';
import { codes, type Genesis } from './genesis.js';
import { hash, list } from './hash.js';
import { checkBox, withheld } from './hierarchy.js';
import { readLoggedEpoch, type Log } from './log.js';
import type { Reason } from './outcome.js';
import { checkRegion, everything, isInside, overlaps, type Box, type Query, type Region } from './query.js';
import type { Node } from './tree.js';
import { checkMembership, readMembership } from './trie.js';

const MAX_COVERS = 65536;
const MAX_ROWS = 2 ** 40;

/** The tree that answers a query: its column, the column's place among the ordered ones, and slots of its leaves. */
export interface Tree {
  column: number;
  place: number;
  width: number;
}

/** A key of a region, as transcripts have it. */
export interface Shown extends KeyRoot {
  epoch: number;
  record: Uint8Array;
}

/** The rows of a question: their keys, none left out. */
export interface Rows {
  keys: Shown[];
  rows: number;
  /** Digests of the epochs that the answer is about, and of the one that holds a roll-up. */
  digests: Map<number, Uint8Array>;
  /** The epoch that holds a roll-up. */
  holder: number | undefined;
  /** Why a hierarchy withholds the answer. */
  withheld: Reason | undefined;
  checks: Check[];
}

/** Reads how the keys of a query's region are shown, and checks that none is left out. */
export function readRows(reader: Reader, log: Log, query: Query, tree: Tree): Rows {
  const tag = reader.u8();
  must(tag <= 2, 'CV-4', 'how the keys are shown');
  const found = tag === 1 ? readRollup(reader, log, query, tree) : readCovers(reader, log, query, tree, tag === 2);
  const rows = found.keys.reduce((sum, { root }) => sum + root.rows, 0);
  must(rows <= MAX_ROWS, 'TA-6', 'the region has too many rows');
  return { ...found, rows };
}

/** `TA-3` to `TA-5`, and what a hierarchy withholds (`TA-18`). */
function readCovers(reader: Reader, log: Log, query: Query, tree: Tree, isBeside: boolean): Omit<Rows, 'rows'> {
  const { genesis } = log;
  const { hierarchy } = genesis.policy;
  must(!isBeside || hierarchy !== undefined, 'TA-5', 'keys beside the region, where there is no hierarchy');
  if (hierarchy !== undefined) checkBox(genesis, hierarchy, query);
  const count = reader.count(MAX_COVERS, 'covers');
  const epochs = query.to - query.from + 1;
  must(count === epochs, 'TA-3', `${count} covers for ${epochs} epochs`);
  const covers = Array.from({ length: count }, () => readCover(reader, genesis, isBeside));
  must(!isBeside || covers.some(({ beside }) => beside.length > 0), 'CV-4', 'no keys beside the region, where some are due');
  covers.forEach((cover, i) => {
    must(cover.epoch.header.epoch === query.from + i, 'TA-3', 'covers are not in the order of the epochs');
    log.checkEpoch(cover.epoch);
  });
  const keys = covers.flatMap((cover) => checkCover(genesis, query, tree, cover));
  return {
    keys,
    digests: new Map(covers.map(({ epoch }) => [epoch.header.epoch, epoch.digest])),
    holder: undefined,
    withheld: hierarchy === undefined ? undefined : withheld(genesis, hierarchy, query, covers),
    checks: [
      { check: 'TA-3', count: epochs, what: 'epochs in the log' },
      { check: 'TA-4 to TA-6', count: keys.length, what: 'keys of the region, none left out' },
    ],
  };
}

/** `TA-4` and `TA-5` of an epoch; gives the keys of the region. */
function checkCover(genesis: Genesis, query: Query, tree: Tree, { epoch, trie, keys, beside }: Cover): Shown[] {
  const { header } = epoch;
  const isAll = genesis.policy.hierarchy !== undefined;
  const boxes: Box[] = isAll ? [everything(genesis)] : query.boxes;
  for (const part of [keys, beside]) checkKeys(part, tree.width);
  const within = ({ key }: KeyRoot): boolean => {
    const own = codes(genesis, key);
    must(own !== undefined, 'TA-5', 'a key is none of the schema');
    return isInside(query.boxes, own);
  };
  must(!isAll || (keys.every(within) && !beside.some(within)), 'TA-5', 'a key stands on the wrong side of the region');
  const all = [...keys, ...beside].sort((a, b) => compare(a.key, b.key));
  const leaves = recorded(genesis, header.epoch, tree.column, all).map(({ leaf }) => leaf);
  checkTrie(genesis, trie, (prefix) => overlaps(genesis, boxes, prefix), leaves, header.columns[tree.place]!.keys);
  const records = recorded(genesis, header.epoch, tree.column, keys);
  return keys.map((key, i) => ({ ...key, epoch: header.epoch, record: records[i]!.record }));
}

/** A roll-up's predicate: the ordered column of its tree, and the region. */
const predicateOf = (column: number, { region }: Region): Uint8Array => concat(le16(column), region);

/** The name under which a roll-up stands. */
export const rollupName = (column: number, region: Region): Uint8Array => hash('roll-up predicate', predicateOf(column, region));

/** The record of a roll-up in the epoch that holds it. */
export const rollupRecord = (genesis: Genesis, column: number, region: Region, holder: number, root: Node): Uint8Array =>
  hash(
    'roll-up',
    genesis.name,
    predicateOf(column, region),
    holder - genesis.firstEpoch,
    root.rows,
    ...list(root.points.map(({ bytes }) => bytes)),
    root.hash,
  );

/** What stands in the trie of roll-ups. */
export const rollupLeaf = (record: Uint8Array): Uint8Array => hash('roll-up leaf', record);

/** `TA-20`, of a region that an epoch rolls up: the policy allows it, and its epochs come before. */
export function checkRolledRegion(genesis: Genesis, region: Region, holder: number): void {
  must(genesis.policy.rollups, 'TA-20', 'the policy does not allow roll-ups');
  must(region.to < holder, 'TA-20', 'a roll-up of epochs that do not come before it');
  checkRegion(genesis, region, BigInt(holder - genesis.firstEpoch));
}

/** `TA-20`. */
function readRollup(reader: Reader, log: Log, query: Query, tree: Tree): Omit<Rows, 'rows'> {
  const { genesis } = log;
  const count = reader.count(MAX_COVERS, 'epochs');
  const epochs = Array.from({ length: count }, () => readLoggedEpoch(reader, genesis));
  const proof = readMembership(reader);
  const root = readRoot(reader);
  const holder = epochs.at(-1);
  must(holder !== undefined, 'TA-20', 'no epoch holds the roll-up');
  epochs.forEach((epoch, i) => {
    must(epoch.header.epoch === query.from + i, 'TA-20', 'epochs do not follow each other');
    log.checkEpoch(epoch);
    must(i === 0 || equal(epoch.header.previous, epochs[i - 1]!.digest), 'TA-20', 'an epoch does not continue the one before');
  });
  const { epoch: at, rollups } = holder.header;
  checkRolledRegion(genesis, query, at);
  const key = rollupName(tree.column, query);
  checkKeys([{ key, root }], tree.width);
  const record = rollupRecord(genesis, tree.column, query, at, root);
  asPartOf('TA-20', /^TB-2$/, () => checkMembership(proof, key, rollupLeaf(record), rollups));
  const about = epochs.filter(({ header }) => header.epoch <= query.to || header.epoch === at);
  return {
    keys: [{ key, root, epoch: at, record }],
    digests: new Map(about.map(({ header, digest }) => [header.epoch, digest])),
    holder: at,
    withheld: undefined,
    checks: [
      { check: 'TB-4', count, what: 'epochs in the log' },
      { check: 'TA-20', count: 1, what: 'roll-up of the region, in the log' },
    ],
  };
}
