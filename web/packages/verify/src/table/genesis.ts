import { concat, hex, littleEndian, unhex } from '../bytes.js';
import { decodeKey } from '../ed25519.js';
import { Members, parse, type Json } from '../json.js';
import { must } from '../refusal.js';
import { hash } from './hash.js';

const CHECK = 'TB-1';
const U64 = 2n ** 64n - 1n;
const I64: [bigint, bigint] = [-(2n ** 63n), 2n ** 63n - 1n];
const MAX_NAMES = 4096;

/** A public type of rows: how many bytes its codes have, and the greatest code. */
export interface Type {
  name: string;
  bytes: number;
  greatest: bigint;
  /** What codes are called, of an `enum`. */
  names?: string[];
}

/** A column of private values. */
export interface Value {
  name: string;
  unit: string;
  scale: number;
  min: bigint;
  max: bigint;
  moments: number;
  ordered: boolean;
  cuts: bigint[];
}

export interface Fraction {
  part: number;
  whole: number;
}

export interface Policy {
  minCount: bigint;
  extremes: boolean;
  quantiles: Fraction[];
  allow: string[];
  rounding: number | undefined;
  rollups: boolean;
  rankGap: bigint;
  /** How many answers there are in a day. */
  maxPerDay: number | undefined;
  /** How many of them for one asker. */
  maxPerAsker: number | undefined;
  hierarchy: string[][] | undefined;
}

/** What a table is, for ever. */
export interface Genesis {
  /** The table's name `T`. */
  name: Uint8Array;
  table: string;
  types: Type[];
  values: Value[];
  policy: Policy;
  matrix: boolean;
  keyPeriod: number;
  sealDeadline: bigint;
  firstEpoch: number;
  operator: Uint8Array;
  witnesses: Uint8Array[];
  quorum: number;
  auditors: Uint8Array[];
  continues: Continued | undefined;
}

/** The log of the table that a table goes on from. */
export interface Continued {
  table: Uint8Array;
  epochs: bigint;
  root: Uint8Array;
}

/** `MAX` of a column: the greatest committed value. */
export const greatest = (value: Value): bigint => value.max - value.min;

/** The columns that have trees, by their numbers. */
export const orderedColumns = (genesis: Genesis): number[] =>
  genesis.values.flatMap((value, i) => (value.ordered ? [i] : []));

/** Bytes of a key. */
export const keyLength = (genesis: Genesis): number =>
  genesis.types.length === 0 ? 1 : genesis.types.reduce((sum, type) => sum + type.bytes, 0);

/** A slot of a leaf: the power of a column's value. */
export interface Slot {
  column: number;
  power: number;
}

/** The slots of the leaves in the tree of an ordered column. */
export function slots(genesis: Genesis, column: number): Slot[] {
  const powers = (c: number): Slot[] =>
    Array.from({ length: genesis.values[c]!.moments }, (_, i) => ({ column: c, power: i + 1 }));
  if (column !== orderedColumns(genesis)[0]) return powers(column);
  return [column, ...genesis.values.flatMap((value, i) => (value.ordered ? [] : [i]))].flatMap(powers);
}

/** The least width of range proofs that holds a column's values. */
export function rangeWidth(value: Value): number {
  return [8, 16, 32, 64].find((b) => greatest(value) < 2n ** BigInt(b))!;
}

/** The codes of a key, or undefined if it is none. */
export function codes(genesis: Genesis, key: Uint8Array): bigint[] | undefined {
  if (key.length !== keyLength(genesis)) return undefined;
  if (genesis.types.length === 0) return key[0] === 0 ? [] : undefined;
  const out: bigint[] = [];
  let at = 0;
  for (const type of genesis.types) {
    let code = 0n;
    for (const b of key.subarray(at, (at += type.bytes))) code = (code << 8n) | BigInt(b);
    if (code > type.greatest) return undefined;
    out.push(code);
  }
  return out;
}

/** The key of codes. */
export const keyOf = (genesis: Genesis, values: bigint[]): Uint8Array =>
  genesis.types.length === 0
    ? Uint8Array.of(0)
    : concat(...genesis.types.map((type, i) => littleEndian(values[i]!, type.bytes).reverse()));

const isDistinct = (names: string[]): boolean => new Set(names).size === names.length;
const bits = (x: bigint): number => x.toString(2).length;

function readType(value: Json): Type {
  const members = new Members(value, CHECK, 'a type');
  const name = members.text('name');
  const kind = members.any('kind');
  members.end();
  if (kind === 'bool') return { name, bytes: 1, greatest: 1n };
  if (kind === 'u32') return { name, bytes: 4, greatest: 2n ** 32n - 1n };
  if (kind === 'u64') return { name, bytes: 8, greatest: U64 };
  const enumeration = new Members(kind, CHECK, `the kind of type \`${name}\``);
  const names = enumeration.texts('enum');
  enumeration.end();
  must(names.length >= 1 && names.length <= MAX_NAMES && isDistinct(names), CHECK, `the names of type \`${name}\``);
  return { name, bytes: 2, greatest: BigInt(names.length - 1), names };
}

function readValue(value: Json): Value {
  const members = new Members(value, CHECK, 'a value');
  const name = members.text('name');
  const unit = members.text('unit');
  const scale = members.unsigned('scale', 8);
  const min = members.integer('min', ...I64);
  const max = members.integer('max', ...I64);
  const moments = members.unsigned('moments', 8);
  const ordered = members.boolean('ordered');
  const cuts = members.list('cuts').map((cut) => {
    must(typeof cut === 'bigint' && cut >= I64[0] && cut <= I64[1], CHECK, `a cut of \`${name}\` is not an integer`);
    return cut;
  });
  members.end();
  must(min < max, CHECK, `\`${name}\`: the least value is not below the greatest`);
  must(moments >= 1 && moments <= 4 && scale <= 18, CHECK, `\`${name}\`: moments or scale`);
  must(moments * bits(max - min) + 40 <= 250, CHECK, `\`${name}\`: sums of its powers do not fit`);
  must(cuts.length <= MAX_NAMES && cuts.every((cut, i) => i === 0 || cuts[i - 1]! < cut), CHECK, `\`${name}\`: cuts`);
  return { name, unit, scale, min, max, moments, ordered, cuts };
}

const KINDS = ['moments', 'order', 'top', 'histogram'];

function readPolicy(value: Json): Policy {
  const members = new Members(value, CHECK, 'the policy');
  const optional = <T>(name: string, otherwise: T, read: () => T): T => {
    if (!members.has(name)) return otherwise;
    const found = read();
    must(String(found) !== String(otherwise), CHECK, `\`${name}\` is written though it is the default`);
    return found;
  };
  const minCount = members.integer('min_count', 0n, U64);
  const extremes = members.boolean('extremes');
  const quantiles = members.list('quantiles').map((item) => {
    const fraction = new Members(item, CHECK, 'a quantile');
    const part = fraction.unsigned('part', 32);
    const whole = fraction.unsigned('whole', 32);
    fraction.end();
    must(part > 0 && part < whole, CHECK, `the quantile ${part}/${whole}`);
    return { part, whole };
  });
  const allow = members.has('allow') ? members.texts('allow') : ['moments', 'order'];
  must(allow.join() === KINDS.filter((word) => allow.includes(word)).join(), CHECK, '`allow`');
  const rounding = optional<number | undefined>('rounding', undefined, () => members.unsigned('rounding', 8));
  must(rounding === undefined || [8, 16, 32].includes(rounding), CHECK, '`rounding`');
  const rollups = optional('rollups', false, () => members.boolean('rollups'));
  const rankGap = optional('rank_gap', 0n, () => members.integer('rank_gap', 0n, U64));
  const budget = (name: string): number | undefined => (members.has(name) ? members.unsigned(name, 32) : undefined);
  const maxPerDay = budget('max_queries_per_day');
  const maxPerAsker = budget('max_queries_per_asker');
  const hierarchy = members.has('hierarchy') ? readHierarchy(members.list('hierarchy')) : undefined;
  members.end();
  return { minCount, extremes, quantiles, allow, rounding, rollups, rankGap, maxPerDay, maxPerAsker, hierarchy };
}

function readHierarchy(orders: Json[]): string[][] {
  return orders.map((order) => {
    must(Array.isArray(order) && order.length > 0, CHECK, 'an order of `hierarchy` is empty, or no list');
    return order.map((name) => {
      must(typeof name === 'string', CHECK, '`hierarchy` has something other than names');
      return name;
    });
  });
}

function readKey(value: Json, what: string): Uint8Array {
  const key = typeof value === 'string' ? unhex(value, 32) : undefined;
  must(key !== undefined && decodeKey(key) !== undefined, CHECK, `${what} is not an Ed25519 key`);
  return key;
}

function readKeys(values: Json[], what: string): Uint8Array[] {
  const keys = values.map((value) => readKey(value, what));
  must(isDistinct(keys.map(hex)), CHECK, `${what} is there twice`);
  return keys;
}

function readContinued(value: Json): Continued {
  const members = new Members(value, CHECK, '`continues`');
  const table = unhex(members.text('table'), 32);
  const epochs = members.integer('epochs', 0n, U64);
  const root = unhex(members.text('root'), 32);
  members.end();
  must(table !== undefined && root !== undefined, CHECK, '`continues`');
  return { table, epochs, root };
}

/** Reads a genesis (`TB-1`). */
export function readGenesis(bytes: Uint8Array): Genesis {
  const members = new Members(parse(bytes, CHECK), CHECK, 'the genesis');
  const schema = new Members(members.any('schema'), CHECK, 'the schema');
  const table = schema.text('table');
  const types = schema.list('types').map(readType);
  const values = schema.list('values').map(readValue);
  const policy = readPolicy(schema.any('policy'));
  const order = schema.text('order_proof');
  const keyPeriod = schema.unsigned('key_period', 32);
  const sealDeadline = schema.integer('seal_deadline', 0n, U64);
  schema.end();
  const firstEpoch = members.unsigned('first_epoch', 32);
  const operator = readKey(members.any('operator'), 'the operator');
  const witnesses = readKeys(members.list('witnesses'), 'a witness');
  const quorum = members.unsigned('quorum', 32);
  const dishonest = members.unsigned('dishonest', 32);
  const auditors = readKeys(members.list('auditors'), 'an auditor');
  const nonce = members.text('nonce');
  const continues = members.has('continues') ? readContinued(members.any('continues')) : undefined;
  members.end();

  const names = [...types, ...values].map(({ name }) => name);
  must(isDistinct(names) && names.length <= MAX_NAMES, CHECK, 'names of types and values are not distinct, or too many');
  must(types.reduce((sum, type) => sum + type.bytes, 0) <= 128, CHECK, 'keys have more than 128 bytes');
  must(values.some((value) => value.ordered), CHECK, 'no value is ordered');
  must(keyPeriod >= 1, CHECK, '`key_period` is 0');
  must(order === 'bp' || order === 'matrix', CHECK, '`order_proof`');
  must(unhex(nonce, 32) !== undefined, CHECK, '`nonce`');
  checkHierarchy(policy, types);
  must(
    witnesses.length === 0 ? quorum === 0 : quorum <= witnesses.length && 2 * quorum > witnesses.length + dishonest,
    CHECK,
    'the quorum does not fit the witnesses',
  );
  const name = hash('table', bytes);
  const matrix = order === 'matrix';
  const rules = { types, values, policy, matrix, keyPeriod, sealDeadline };
  return { name, table, ...rules, firstEpoch, operator, witnesses, quorum, auditors, continues };
}

function checkHierarchy(policy: Policy, types: Type[]): void {
  if (policy.hierarchy === undefined) return;
  const known = new Set(types.map(({ name }) => name));
  must(!policy.rollups, CHECK, '`hierarchy` beside `rollups`');
  must(policy.hierarchy.flat().length <= 64, CHECK, '`hierarchy` has more than 64 names');
  for (const order of policy.hierarchy) {
    must(isDistinct(order) && order.every((name) => known.has(name)), CHECK, 'an order of `hierarchy`');
  }
}
