import { concat, equal, hex, Reader, text } from '../bytes.js';
import { hashToGroup, multiply, wide, type Point } from '../group.js';
import { isGenuineIn } from '../ed25519.js';
import { object } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import { asPartOf, must } from '../refusal.js';
import type { Check } from '../verdict.js';
import { greatest, keyOf, orderedColumns, readGenesis, slots, type Genesis } from './genesis.js';
import { hash, keyedHash } from './hash.js';
import { Log, readLoggedEpoch, type LoggedEpoch } from './log.js';
import { climb, keyLeaf, leafHash, readLeaf, readPath, record, rowTag, type Leaf, type Path } from './tree.js';
import { checkAbsence, checkMembership, readAbsence, readMembership, type Absence, type Membership } from './trie.js';

const MAX_KEY = 128;
const MAX_SLOTS = 256;

/** A row as its proof shows it. */
export interface Lookup {
  epoch: LoggedEpoch;
  column: number;
  key: Uint8Array;
  pseudonym: Uint8Array;
  leaf: Leaf;
  path: Path;
  keyProof: Membership;
  pseudonymProof: Membership;
}

/** Reads the proof of a look-up. */
export function readLookup(bytes: Uint8Array, genesis: Genesis): Lookup {
  const reader = new Reader(bytes);
  const epoch = readLoggedEpoch(reader, genesis);
  const column = reader.u16();
  const key = reader.bytesOf(MAX_KEY, 'a key');
  const pseudonym = reader.take(32);
  const width = reader.limited(reader.u16(), MAX_SLOTS, 'slots');
  const leaf = readLeaf(reader, width);
  const path = readPath(reader, width);
  const keyProof = readMembership(reader);
  const pseudonymProof = readMembership(reader);
  reader.end();
  return { epoch, column, key, pseudonym, leaf, path, keyProof, pseudonymProof };
}

const only = (objects: Objects, role: string): Uint8Array => objects[role]![0]!;

/** `TB-1`, and `TB-5` to `TB-8`. */
export function openLog(objects: Objects): Log {
  return Log.open(readGenesis(only(objects, 'genesis')), only(objects, 'checkpoint'), objects['rotations'] ?? []);
}

/** What was checked of a log. */
export function logChecks(log: Log): Check[] {
  const count = log.checkpoint.cosignatures.length;
  return [
    { check: 'TB-1', count: 1, what: 'genesis, which names the table' },
    { check: 'TB-5, TB-6, TB-8', count: 1, what: "checkpoint, signed by the table's operator" },
    { check: 'TB-7', count, what: 'cosignatures of the checkpoint' },
  ].filter((check) => check.count > 0);
}

/** The place of a column among the ordered ones. */
function treeOf(log: Log, column: number, check: string): number {
  const place = orderedColumns(log.genesis).indexOf(column);
  must(place >= 0, check, `column ${column} is not ordered`);
  return place;
}

/** `TB-9` to `TB-12`. */
export function checkLookup(log: Log, row: Lookup): void {
  const { genesis } = log;
  log.checkEpoch(row.epoch);
  const { header } = row.epoch;
  const place = treeOf(log, row.column, 'TB-10');
  must(row.leaf.points.length === slots(genesis, row.column).length, 'TB-10', 'another number of slots');
  const tag = rowTag(genesis.name, header.epoch, row.key, row.column, row.pseudonym);
  must(equal(row.leaf.tag, tag), 'TB-10', 'the tag is not that of this pseudonym');
  const root = climb(row.leaf, row.path);
  const standing = keyLeaf(record(genesis.name, header.epoch, row.key, row.column, root));
  asPartOf('TB-11', /^TB-2$/, () => checkMembership(row.keyProof, row.key, standing, header.columns[place]!.keys));
  const identified = hash('id leaf', row.pseudonym, leafHash(row.leaf));
  asPartOf('TB-12', /^TB-2$/, () => checkMembership(row.pseudonymProof, row.pseudonym, identified, header.columns[place]!.pseudonyms));
}

/** A claim that a row is in an epoch. */
export async function verifyLookup(objects: Objects): Promise<Found> {
  const log = openLog(objects);
  const row = readLookup(only(objects, 'proof'), log.genesis);
  checkLookup(log, row);
  const statement = object({
    table: hex(log.genesis.name),
    name: log.genesis.table,
    log: log.statement(),
    epoch: BigInt(row.epoch.header.epoch),
    column: log.genesis.values[row.column]!.name,
    pseudonym: hex(row.pseudonym),
    leaf: hex(leafHash(row.leaf)),
    present: true,
  });
  const checks = [
    ...logChecks(log),
    { check: 'TB-4', count: 1, what: 'epoch in the log' },
    { check: 'TB-10, TB-11', count: 1, what: 'row in the tree of its key' },
    { check: 'TB-12', count: 1, what: 'row under its pseudonym' },
  ];
  return { statement, checks, premises: [] };
}

/** Where a pseudonym is not. */
interface AbsentRow {
  epoch: LoggedEpoch;
  column: number;
  pseudonym: Uint8Array;
  absence: Absence;
}

function readAbsentRow(bytes: Uint8Array, genesis: Genesis): AbsentRow {
  const reader = new Reader(bytes);
  const epoch = readLoggedEpoch(reader, genesis);
  const column = reader.u16();
  const pseudonym = reader.take(32);
  const absence = readAbsence(reader);
  reader.end();
  return { epoch, column, pseudonym, absence };
}

/** A claim that no row of a pseudonym is in an epoch. */
export async function verifyAbsence(objects: Objects): Promise<Found> {
  const log = openLog(objects);
  const { epoch, column, pseudonym, absence } = readAbsentRow(only(objects, 'proof'), log.genesis);
  log.checkEpoch(epoch);
  const place = treeOf(log, column, 'TB-14');
  checkAbsence(absence, pseudonym, epoch.header.columns[place]!.pseudonyms);
  const statement = object({
    table: hex(log.genesis.name),
    name: log.genesis.table,
    log: log.statement(),
    epoch: BigInt(epoch.header.epoch),
    column: log.genesis.values[column]!.name,
    pseudonym: hex(pseudonym),
    present: false,
  });
  const checks = [
    ...logChecks(log),
    { check: 'TB-4', count: 1, what: 'epoch in the log' },
    { check: 'TB-14', count: 1, what: 'pseudonym shown not to be in the epoch' },
  ];
  return { statement, checks, premises: [] };
}

/** The keys that the operator gave a user, for some epochs. */
export interface UserKeys {
  user: string;
  blinding: Uint8Array;
  pseudonym: Uint8Array;
}

/** The generators of commitments. */
const VALUES = hashToGroup(text('subrosa/table/v1/G'));
const BLINDINGS = hashToGroup(text('subrosa/table/v1/H'));

const commit = (v: bigint, r: bigint): Point => multiply(VALUES, v).add(multiply(BLINDINGS, r));

/** The pseudonym of a user in an epoch and an ordered column. */
export const pseudonymOf = (genesis: Genesis, keys: UserKeys, epoch: number, column: number): Uint8Array =>
  keyedHash('pseudonym', keys.pseudonym, 32, genesis.name, epoch, column, text(keys.user));

/** The leaf of a user's row: `codes` by type, `values` (offsets from `min`) by column. */
export function ownLeaf(genesis: Genesis, keys: UserKeys, epoch: number, column: number, codes: bigint[], values: bigint[]): Leaf {
  const key = keyOf(genesis, codes);
  const pseudonym = pseudonymOf(genesis, keys, epoch, column);
  const points = slots(genesis, column).map(({ column: c, power }) => {
    const v = values[c]!;
    const blinding = keyedHash('blinding', keys.blinding, 64, genesis.name, epoch, key, c, power, v);
    const point = commit(v ** BigInt(power), wide(blinding));
    return { point, bytes: point.toBytes() };
  });
  return { tag: rowTag(genesis.name, epoch, key, column, pseudonym), points };
}

/** `TB-13`: a row that was looked up is the user's own, with these codes and values. */
export function checkOwnRow(genesis: Genesis, row: Lookup, keys: UserKeys, codes: bigint[], values: bigint[]): void {
  const { epoch } = row.epoch.header;
  must(equal(row.pseudonym, pseudonymOf(genesis, keys, epoch, row.column)), 'TB-13', 'the pseudonym is not yours');
  must(equal(row.key, keyOf(genesis, codes)), 'TB-13', 'your row is in another group');
  must(values.every((v, i) => v >= 0n && v <= greatest(genesis.values[i]!)), 'TB-13', 'a value is out of its bounds');
  const own = ownLeaf(genesis, keys, epoch, row.column, codes, values);
  must(equal(leafHash(own), leafHash(row.leaf)), 'TB-13', 'the row has other values than yours');
}

/** What an operator signed when it took in a row. */
export interface Receipt {
  epoch: number;
  column: number;
  key: Uint8Array;
  pseudonym: Uint8Array;
  leaf: Leaf;
  logSize: bigint;
  deadline: bigint;
}

/** Reads a receipt, and checks `TB-15`, under the key that `operatorAt` gives for a log of some size. */
export function readReceipt(reader: Reader, genesis: Genesis, operatorAt: (size: bigint) => Uint8Array): Receipt {
  const start = reader.position;
  const epoch = reader.u32();
  const column = reader.u16();
  const key = reader.bytesOf(MAX_KEY, 'a key');
  const pseudonym = reader.take(32);
  const leaf = readLeaf(reader, reader.limited(reader.u16(), MAX_SLOTS, 'slots'));
  const logSize = reader.u64();
  const deadline = reader.u64();
  const signed = concat(genesis.name, reader.since(start));
  const tag = rowTag(genesis.name, epoch, key, column, pseudonym);
  must(equal(leaf.tag, tag), 'TB-15', 'the tag is not that of this pseudonym');
  const genuine = isGenuineIn('subrosa/table/receipt', operatorAt(logSize + 1n), signed, reader.take(64));
  must(genuine, 'TB-15', "the operator's signature");
  return { epoch, column, key, pseudonym, leaf, logSize, deadline };
}

/** `TB-16` and `TB-17`: a receipt that came at `now` is about the user's own row. */
export function checkReceipt(genesis: Genesis, receipt: Receipt, now: bigint, keys: UserKeys, codes: bigint[], values: bigint[]): void {
  must(receipt.deadline <= now + genesis.sealDeadline + 300n, 'TB-16', 'the deadline is too far away');
  const own = ownLeaf(genesis, keys, receipt.epoch, receipt.column, codes, values);
  must(equal(receipt.key, keyOf(genesis, codes)), 'TB-17', 'the receipt is about another group');
  must(equal(leafHash(own), leafHash(receipt.leaf)), 'TB-17', 'the receipt is about another row');
}
