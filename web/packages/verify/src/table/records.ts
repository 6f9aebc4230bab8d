import { equal, hex, integer, Reader } from '../bytes.js';
import { object, type Json } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import { isContinued } from '../log/consistency.js';
import { asPartOf, must } from '../refusal.js';
import { readWhole } from './audit.js';
import { orderedColumns, readGenesis } from './genesis.js';
import { checkRecords, epochDigest, inclusionRoot, readHeader, readLoggedEpoch, readRecords, type Log, type LoggedEpoch } from './log.js';
import { logChecks, openLog } from './row.js';

const MAX_PROOF = 64;

/** Tags of what an epoch records besides its rows. */
export const TAG = { questions: 0, successor: 1, operator: 2, erasures: 3 } as const;

/** A logged epoch, and all that it records. */
export interface LoggedRecords {
  epoch: LoggedEpoch;
  records: Uint8Array[];
}

/** Reads logged records. */
export function readLoggedRecords(reader: Reader, log: Log): LoggedRecords {
  const epoch = readLoggedEpoch(reader, log.genesis);
  return { epoch, records: readRecords(reader) };
}

/** `TB-20`. */
export function checkLoggedRecords({ epoch, records }: LoggedRecords, log: Log): void {
  log.checkEpoch(epoch);
  checkRecords(records, epoch.header, 'TB-20');
}

/** What the only record with a tag says, without the tag. */
export function onlyRecord({ records }: LoggedRecords, tag: number, check: string): Uint8Array {
  const [first, ...more] = records.filter((record) => record[0] === tag);
  must(first !== undefined && more.length === 0, check, 'not exactly one such record in the epoch');
  return first.subarray(1);
}

/** Reads the hashes of a proof in a tree of RFC 6962. */
export function readHashes(reader: Reader): Uint8Array[] {
  const count = reader.limited(reader.u8(), MAX_PROOF, 'hashes of a proof');
  return Array.from({ length: count }, () => reader.take(32));
}

/** The members that all statements about a log begin with. */
export const aboutLog = (log: Log): Record<string, Json> => ({
  table: hex(log.genesis.name),
  name: log.genesis.table,
  log: log.statement(),
});

/** What was checked of an epoch's records. */
export const recordChecks = (log: Log) => [...logChecks(log), { check: 'TB-20', count: 1, what: 'epoch in the log, with all its records' }];

/** How many tombstones there are, and the root over them. */
const readErasures = (said: Uint8Array): { count: bigint; root: Uint8Array } => ({
  count: integer(said.subarray(0, 8)),
  root: said.subarray(8),
});

/** A claim about all records of an epoch. */
export function verifyRecords(objects: Objects): Promise<Found> {
  const genesis = readGenesis(objects['genesis']![0]!);
  const header = readWhole(objects['header']![0]!, (reader) => readHeader(reader, genesis));
  const records = readWhole(objects['records']![0]!, readRecords);
  checkRecords(records, header, 'TB-20');
  const shown = (tag: number, show: (said: Uint8Array) => Json): Json => {
    const found = records.find((record) => record[0] === tag);
    return found === undefined ? null : show(found.subarray(1));
  };
  const recorded = object({
    questions: shown(TAG.questions, hex),
    successor: shown(TAG.successor, hex),
    operator: shown(TAG.operator, (said) => hex(said.subarray(36, 68))),
    erasures: shown(TAG.erasures, (said) => {
      const { count, root } = readErasures(said);
      return object({ count, root: hex(root) });
    }),
  });
  return Promise.resolve({
    statement: object({
      table: hex(genesis.name),
      name: genesis.table,
      epoch: BigInt(header.epoch),
      digest: hex(epochDigest(genesis, header)),
      recorded,
    }),
    checks: [
      { check: 'TB-1', count: 1, what: 'genesis, which names the table' },
      { check: 'TB-20', count: records.length, what: 'records, which are all of the epoch' },
    ],
    premises: [],
  });
}

/** A claim that a row was erased. */
export function verifyErased(objects: Objects): Promise<Found> {
  const log = openLog(objects);
  const reader = new Reader(objects['proof']![0]!);
  const recorded = readLoggedRecords(reader, log);
  const number = reader.u64();
  const start = reader.position;
  const epoch = reader.u32();
  const column = reader.u16();
  const pseudonym = reader.take(32);
  const tombstone = reader.since(start);
  const proof = readHashes(reader);
  reader.end();

  asPartOf('TB-21', /^TB-(4|20)$/, () => checkLoggedRecords(recorded, log));
  const { count, root } = readErasures(onlyRecord(recorded, TAG.erasures, 'TB-21'));
  const holder = recorded.epoch.header.epoch;
  must(orderedColumns(log.genesis).includes(column), 'TB-21', `column ${column} is not ordered`);
  must(epoch >= log.genesis.firstEpoch && epoch < holder, 'TB-21', 'the row is of no epoch before the one that records');
  must(number < count, 'TB-21', 'the tombstone is past the end of the list');
  const led = inclusionRoot(tombstone, number, count, proof);
  must(led !== undefined && equal(led, root), 'TB-21', 'the tombstone is not in the list');
  return Promise.resolve({
    statement: object({
      ...aboutLog(log),
      epoch: BigInt(epoch),
      column: log.genesis.values[column]!.name,
      pseudonym: hex(pseudonym),
      erased: true,
      recorded_by: BigInt(holder),
      erasures: count,
    }),
    checks: [...recordChecks(log), { check: 'TB-21', count: 1, what: 'row in the list of those that were erased' }],
    premises: [],
  });
}

/** A claim that another table continues this one. */
export function verifySuccessor(objects: Objects): Promise<Found> {
  const log = openLog(objects);
  const reader = new Reader(objects['proof']![0]!);
  const recorded = readLoggedRecords(reader, log);
  const proof = readHashes(reader);
  reader.end();

  asPartOf('TB-24', /^TB-(4|20)$/, () => checkLoggedRecords(recorded, log));
  const name = onlyRecord(recorded, TAG.successor, 'TB-24');
  const successor = readGenesis(objects['successor']![0]!);
  must(equal(name, successor.name), 'TB-24', 'the record names another table');
  const { continues } = successor;
  must(continues !== undefined && equal(continues.table, log.genesis.name), 'TB-24', 'the successor does not continue this table');
  const { size, root } = log.checkpoint;
  const isKept = isContinued({ size: continues.epochs, root: continues.root }, { size, root }, proof);
  must(isKept, 'TB-24', 'the log does not continue the one that the successor names');
  return Promise.resolve({
    statement: object({
      ...aboutLog(log),
      successor: hex(successor.name),
      successor_name: successor.table,
      continues: object({ epochs: continues.epochs, root: hex(continues.root) }),
    }),
    checks: [...recordChecks(log), { check: 'TB-24', count: 1, what: 'table that follows; each names the other' }],
    premises: [],
  });
}
