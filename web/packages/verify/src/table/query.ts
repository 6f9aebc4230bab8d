import { object, type Json } from '../json.js';
import type { Reader } from '../bytes.js';
import { must } from '../refusal.js';
import { keyLength, orderedColumns, slots, type Fraction, type Genesis } from './genesis.js';
import { cut, type Bits } from './trie.js';

const MAX_BOXES = 4096;
const MAX_TYPES = 128;

/** Codes from a least to a greatest one, both included. */
export type Interval = [bigint, bigint];

/** For each type an interval. */
export type Box = Interval[];

export type Statistic =
  | { kind: 'moments' | 'min' | 'max' | 'histogram' }
  | { kind: 'quantile' | 'top'; fraction: Fraction };

const STATISTICS = ['moments', 'min', 'max', 'quantile', 'top', 'histogram'] as const;

/** What is asked. */
export interface Query extends Region {
  column: number;
  statistic: Statistic;
  encoding: Uint8Array;
}

/** All rows of an interval of epochs whose keys lie in some boxes. */
export interface Region {
  from: number;
  to: number;
  boxes: Box[];
  /** Its encoding. */
  region: Uint8Array;
}

/** Reads a region. */
export function readRegion(reader: Reader): Region {
  const start = reader.position;
  const from = reader.u32();
  const to = reader.u32();
  const boxes = Array.from({ length: reader.count(MAX_BOXES, 'boxes') }, () =>
    Array.from({ length: reader.count(MAX_TYPES, 'types') }, (): Interval => [reader.u64(), reader.u64()]),
  );
  return { from, to, boxes, region: reader.since(start) };
}

/** Reads a query. */
export function readQuery(reader: Reader): Query {
  const start = reader.position;
  const column = reader.u16();
  const region = readRegion(reader);
  const tag = reader.u8();
  const kind = STATISTICS[tag];
  must(kind !== undefined, 'CV-4', `a statistic of kind ${tag}`);
  const statistic: Statistic =
    kind === 'quantile' || kind === 'top' ? { kind, fraction: { part: reader.u32(), whole: reader.u32() } } : { kind };
  return { column, ...region, statistic, encoding: reader.since(start) };
}

function compareBoxes(a: Box, b: Box): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    for (const end of [0, 1] as const) if (a[i]![end] !== b[i]![end]) return a[i]![end] < b[i]![end] ? -1 : 1;
  }
  return a.length - b.length;
}

const isDisjoint = (a: Box, b: Box): boolean => a.some(([least, most], i) => most < b[i]![0] || b[i]![1] < least);

/** `TA-1`: the region is one, within a log of this many epochs. */
export function checkRegion(genesis: Genesis, { from, to, boxes }: Region, epochs: bigint): void {
  const isLogged = from >= genesis.firstEpoch && BigInt(to - genesis.firstEpoch) < epochs;
  must(from <= to && isLogged, 'TA-1', `epochs ${from} to ${to} are not in the log`);
  must(boxes.length > 0, 'TA-1', 'no box');
  boxes.forEach((box, i) => {
    must(box.length === genesis.types.length, 'TA-1', 'a box has not one interval for each type');
    const fits = box.every(([least, most], t) => least <= most && most <= genesis.types[t]!.greatest);
    must(fits, 'TA-1', 'an interval of a box is empty, or has no codes of its type');
    must(i === 0 || compareBoxes(boxes[i - 1]!, box) < 0, 'TA-1', 'boxes do not ascend');
    must(boxes.slice(0, i).every((other) => isDisjoint(other, box)), 'TA-1', 'two boxes have a key in common');
  });
}

const isSame = (a: Fraction, b: Fraction): boolean => a.part === b.part && a.whole === b.whole;

/** `TA-2`: the schema has the column, and the policy allows the question. */
export function checkPolicy({ values, policy }: Genesis, { column, statistic }: Query): void {
  const value = values[column];
  must(value !== undefined, 'TA-2', `there is no column ${column}`);
  const { kind } = statistic;
  must(kind === 'moments' || value.ordered, 'TA-2', 'the column is not ordered');
  const allowed = kind === 'min' || kind === 'max' || kind === 'quantile' ? 'order' : kind;
  must(policy.allow.includes(allowed), 'TA-2', `the policy does not allow \`${allowed}\``);
  const isCoarse = policy.rounding !== undefined || policy.hierarchy !== undefined;
  must(!isCoarse || (kind !== 'top' && kind !== 'histogram'), 'TA-2', 'the policy has no top shares and no histograms');
  must((kind !== 'min' && kind !== 'max') || policy.extremes, 'TA-2', 'the policy has no extremes');
  if ('fraction' in statistic) {
    must(policy.quantiles.some((q) => isSame(q, statistic.fraction)), 'TA-2', 'the policy has not this fraction');
  }
  must(kind !== 'histogram' || value.cuts.length > 0, 'TA-2', 'the column has no cuts');
}

/** The column whose trees answer a query, its place among the ordered ones, and the slots that count in it. */
export function treeOf(genesis: Genesis, column: number): { column: number; place: number; width: number; slots: number[] } {
  const ordered = orderedColumns(genesis);
  const tree = genesis.values[column]!.ordered ? column : ordered[0]!;
  const all = slots(genesis, tree);
  const own = all.flatMap((slot, i) => (slot.column === column ? [i] : []));
  return { column: tree, place: ordered.indexOf(tree), width: all.length, slots: own };
}

/** The rank of a quantile among `rows`. */
export function quantileRank(rows: number, part: number, whole: number): number {
  const rank = (BigInt(rows) * BigInt(part) + BigInt(whole) - 1n) / BigInt(whole);
  return rank < 1n ? 1 : Number(rank);
}

/** All codes of all types. */
export const everything = (genesis: Genesis): Box => genesis.types.map(({ greatest }): Interval => [0n, greatest]);

/** Whether a key has its codes in some box. */
export const isInside = (boxes: Box[], codes: bigint[]): boolean =>
  boxes.some((box) => box.every(([least, most], i) => codes[i]! >= least && codes[i]! <= most));

/** Whether some box meets the keys that begin with these bits. */
export function overlaps(genesis: Genesis, boxes: Box[], prefix: Bits): boolean {
  const padded = new Uint8Array(keyLength(genesis));
  padded.set(cut(prefix.bytes, 0, prefix.length).bytes);
  let at = 0;
  const possible = genesis.types.map((type): Interval => {
    let least = 0n;
    for (const b of padded.subarray(at, at + type.bytes)) least = (least << 8n) | BigInt(b);
    at += type.bytes;
    const free = Math.min(8 * type.bytes, Math.max(0, 8 * at - prefix.length));
    return [least, least | (2n ** BigInt(free) - 1n)];
  });
  return boxes.some((box) => !isDisjoint(box, possible));
}

const fractionText = ({ part, whole }: Fraction): string => `${part}/${whole}`;

/** The statistic in words. */
export const statisticText = (statistic: Statistic): string =>
  'fraction' in statistic ? `${statistic.kind} ${fractionText(statistic.fraction)}` : statistic.kind;

/** The member `keys` of statements: what each box has of each type. */
export function keysStatement(genesis: Genesis, boxes: Box[]): Json {
  return boxes.map((box) =>
    object(
      Object.fromEntries(
        box.map(([least, most], i): [string, Json] => {
          const type = genesis.types[i]!;
          const one = (code: bigint): Json =>
            type.names?.[Number(code)] ?? (type.bytes === 1 ? code === 1n : code);
          if (least === 0n && most === type.greatest) return [type.name, null];
          if (least === most) return [type.name, one(least)];
          if (type.names !== undefined) return [type.name, type.names.slice(Number(least), Number(most) + 1)];
          return [type.name, [least, most]];
        }),
      ),
    ),
  );
}
