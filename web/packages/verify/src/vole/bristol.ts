import { must, Refusal } from '../refusal.js';
import type { Circuit, Port } from './builder.js';

const MAX_GATES = 2 ** 24;
const MAX_WIRES = 2 ** 20;
const MAX_INPUTS = 2 ** 12;

const fail = (what: string): never => {
  throw new Refusal('VV-1', what);
};

function natural(word: string | undefined): number {
  if (word === undefined || !/^[0-9]{1,9}$/.test(word)) return fail(`\`${word ?? ''}\` is no number`);
  return Number(word);
}

/** A line of the header: how many ports, and the bits of each. */
function ports(line: string[] | undefined, name: string): Map<string, Port> {
  const [count, ...bits] = (line ?? []).map(natural);
  if (count === undefined || bits.length !== count || count > MAX_INPUTS) fail('the header');
  return new Map(bits.map((length, i) => [`${name}${i}`, { kind: 'bits', count: length }]));
}

const wiresOf = (list: Map<string, Port>): number => {
  const sum = [...list.values()].reduce((all, { count }) => all + count, 0);
  must(sum <= MAX_WIRES, 'VV-1', 'too many wires of inputs or outputs');
  return sum;
};

/** Reads a circuit in Bristol Fashion. */
export function readBristol(lines: string[]): Circuit {
  const rows = lines.map((line) => line.split(/\p{White_Space}+/u).filter((word) => word !== '')).filter((row) => row.length > 0);
  const [header, ...rest] = rows;
  if (header?.length !== 2) fail('the header');
  const [gates, wires] = header!.map(natural) as [number, number];
  must(gates <= MAX_GATES && wires <= 2 * MAX_GATES + MAX_WIRES, 'VV-1', 'too many gates or wires');
  const inputs = ports(rest[0], 'in');
  const outputs = ports(rest[1], 'out');
  const made = new Uint8Array(wires);
  const first = wiresOf(inputs);
  must(first <= wires && wiresOf(outputs) <= wires, 'VV-1', 'the header has more inputs or outputs than wires');
  made.fill(1, 0, first);
  const lists = rest.slice(2);
  must(lists.length === gates, 'VV-1', `the header says ${gates} gates, and these are ${lists.length}`);
  const count = lists.reduce((sum, row) => sum + readGate(row, made), 0);
  must(made.subarray(wires - wiresOf(outputs)).every((isMade) => isMade === 1), 'VV-1', 'a wire of an output is never made');
  must(count <= MAX_GATES, 'VV-1', 'too many gates');
  return { inputs, outputs, gates: count, hasIntegers: false, takesApart: false };
}

/** Wires read and made by each gate. */
const SHAPES: Record<string, [number, number]> = { XOR: [2, 1], AND: [2, 1], INV: [1, 1], EQ: [1, 1], EQW: [1, 1] };

/** Checks a gate; gives how many gates it is: a copy is none, several ANDs are several. */
function readGate(row: string[], made: Uint8Array): number {
  const name = row.at(-1)!;
  const numbers = row.slice(0, -1).map(natural);
  const [reads, makes] = numbers;
  const isMany = name === 'MAND';
  if (!isMany && !Object.hasOwn(SHAPES, name)) fail(`\`${name}\` is no gate`);
  const shape = isMany ? [2 * (makes ?? 0), makes ?? 0] : SHAPES[name]!;
  if (reads !== shape[0] || makes !== shape[1] || numbers.length !== 2 + shape[0]! + shape[1]!) fail(`${name} has other wires`);
  const read = numbers.slice(2, 2 + shape[0]!);
  if (name === 'EQ') must(read[0]! <= 1, 'VV-1', '0 or 1 was expected');
  else for (const wire of read) must(made[wire] === 1, 'VV-1', `wire ${wire} is not made before it is read`);
  for (const wire of numbers.slice(2 + shape[0]!)) {
    must(made[wire] === 0, 'VV-1', `wire ${wire} is made already, or is none`);
    made[wire] = 1;
  }
  return isMany ? shape[1]! : name === 'EQW' ? 0 : 1;
}
