import { must } from '../refusal.js';
import { codes, type Genesis } from './genesis.js';
import type { KeyRoot } from './cover.js';
import { everything, isInside, type Box, type Query } from './query.js';
import type { Reason } from './outcome.js';

/** What a hierarchy says of an answer; the first of several epochs' counts. */
const WORDS = ['small', 'to protect another', 'small parts'] as const;

/** A key of an epoch with its codes and rows. */
interface Row {
  codes: bigint[];
  rows: bigint;
}

const rowsOf = (part: Row[]): bigint => part.reduce((sum, { rows }) => sum + rows, 0n);

/** Numbers of the types in an order. */
const columnsOf = (genesis: Genesis, order: string[]): number[] =>
  order.map((name) => genesis.types.findIndex((type) => type.name === name));

/** `TA-18`: the region fixes codes of the first columns of one order, or is everything. */
export function checkBox(genesis: Genesis, orders: string[][], { boxes }: Query): void {
  const all = everything(genesis);
  const isFree = (box: Box, i: number): boolean => box[i]![0] === all[i]![0] && box[i]![1] === all[i]![1];
  const isFixed = (box: Box, i: number): boolean => box[i]![0] === box[i]![1];
  const [box] = boxes;
  const fits =
    box !== undefined &&
    boxes.length === 1 &&
    [[], ...orders.flatMap((order) => order.map((_, i) => order.slice(0, i + 1)))].some((fixed) => {
      const columns = columnsOf(genesis, fixed);
      return box.every((_, i) => (columns.includes(i) ? isFixed(box, i) : isFree(box, i)));
    });
  must(fits, 'TA-18', 'the region is no group of the hierarchy');
}

/** Boxes that fix these columns and have rows, from the most rows to the fewest, of equal ones from the greatest codes. */
function groups(rows: Row[], columns: number[]): Row[][] {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const name = columns.map((i) => row.codes[i]).join();
    found.set(name, [...(found.get(name) ?? []), row]);
  }
  const descending = (a: bigint, b: bigint): number => (a < b ? 1 : a > b ? -1 : 0);
  return [...found.values()].sort((a, b) => {
    const byRows = descending(rowsOf(a), rowsOf(b));
    if (byRows !== 0) return byRows;
    return columns.map((i) => descending(a[0]!.codes[i]!, b[0]!.codes[i]!)).find((order) => order !== 0) ?? 0;
  });
}

/** The blocks into which all groups together cut the rows of an epoch. */
function blocksOf(genesis: Genesis, orders: string[][], rows: Row[], least: bigint): Row[][] {
  let blocks = [rows];
  for (const order of orders) {
    const columns = columnsOf(genesis, order);
    for (let level = 1; level <= columns.length; level++) {
      for (const group of groups(rows, columns.slice(0, level))) {
        const inside = new Set(group);
        const parts = blocks.map((block) => [block.filter((row) => inside.has(row)), block.filter((row) => !inside.has(row))]);
        const isCut = ([part, rest]: Row[][]): boolean => part!.length > 0 && rest!.length > 0;
        if (parts.filter(isCut).flat().some((part) => rowsOf(part) < least)) continue;
        blocks = parts.flat().filter((part) => part.length > 0);
      }
    }
  }
  return blocks;
}

/** What one epoch says, by its place in `WORDS`, or that nothing is withheld. */
function ofEpoch(genesis: Genesis, orders: string[][], query: Query, keys: KeyRoot[], beside: KeyRoot[]): number {
  const row = ({ key, root }: KeyRoot): Row => ({ codes: codes(genesis, key)!, rows: BigInt(root.rows) });
  const own = keys.map(row);
  const least = genesis.policy.minCount;
  if (own.length === 0) return WORDS.length;
  if (rowsOf(own) < least) return 0;
  const isWithin = ({ codes: of }: Row): boolean => isInside(query.boxes, of);
  const blocks = blocksOf(genesis, orders, [...own, ...beside.map(row)], least);
  if (blocks.some((block) => block.some(isWithin) && !block.every(isWithin))) return 1;
  return query.statistic.kind !== 'moments' && own.some(({ rows }) => rows < least) ? 2 : WORDS.length;
}

/** Why an answer about these epochs is withheld (`TA-19`); nothing if it is not. */
export function withheld(genesis: Genesis, orders: string[][], query: Query, epochs: { keys: KeyRoot[]; beside: KeyRoot[] }[]): Reason | undefined {
  const first = Math.min(...epochs.map(({ keys, beside }) => ofEpoch(genesis, orders, query, keys, beside)));
  return WORDS[first];
}
