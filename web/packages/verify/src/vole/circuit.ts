import { decodeText } from '../bytes.js';
import { must, Refusal } from '../refusal.js';
import { readBristol } from './bristol.js';
import { Builder, type Circuit, type Wires } from './builder.js';

const MAX_FILE = 2 ** 28;
const BLANK = /\p{White_Space}+/u;

/** Words of a line, without its comment. */
const words = (line: string): string[] => line.replace(/#.*$/s, '').split(BLANK).filter((word) => word !== '');

/** `VV-1`: reads a circuit in our format, or in Bristol Fashion. */
export function readCircuit(bytes: Uint8Array): Circuit {
  must(bytes.length <= MAX_FILE, 'VV-1', 'the circuit is too large');
  let text: string;
  try {
    text = decodeText(bytes);
  } catch {
    throw new Refusal('VV-1', 'the circuit is not UTF-8');
  }
  const lines = text.split('\n');
  const first = lines.findIndex((line) => words(line).length > 0);
  if (first < 0 || words(lines[first]!)[0] !== 'subrosa-circuit') return readBristol(lines);
  const header = words(lines[first]!);
  must(header.length === 2 && /^0*1$/.test(header[1]!), 'VV-1', 'not version 1 of `subrosa-circuit`');
  const builder = new Builder();
  lines.slice(first + 1).forEach((line, i) => {
    try {
      readStatement(builder, words(line));
    } catch (error) {
      throw error instanceof Refusal ? error.within(`line ${first + i + 2} of the circuit`) : error;
    }
  });
  return builder.circuit();
}

const fail = (what: string): never => {
  throw new Refusal('VV-1', what);
};

/** A number without a sign. */
function natural(word: string | undefined, greatest: number): number {
  if (word === undefined || !/^[0-9]{1,15}$/.test(word)) return fail(`\`${word ?? ''}\` is no number`);
  const x = Number(word);
  return x <= greatest ? x : fail(`${x}, where ${greatest} is the limit`);
}

/** An integer, perhaps negative. */
function integer(word: string | undefined): bigint {
  if (word === undefined || !/^-?[0-9]{1,19}$/.test(word)) return fail(`\`${word ?? ''}\` is no integer`);
  return BigInt(word);
}

function readStatement(builder: Builder, line: string[]): void {
  const [first, ...rest] = line;
  if (first === undefined) return;
  const end = line.indexOf('=');
  if (end > 0) return readGate(builder, line.slice(0, end), line[end + 1], line.slice(end + 2));
  switch (first) {
    case 'input':
      return readInput(builder, rest);
    case 'output':
      return builder.output(rest[0] ?? fail('an output without a name'), wiresOf(builder, rest.slice(1)));
    case 'assert_zero':
      return builder.assertZero(wiresOf(builder, rest));
    case 'assert_equal':
      if (rest.length !== 2) fail('two lists of wires were expected');
      return builder.assertEqual(builder.wires(rest[0]!), builder.wires(rest[1]!));
    default:
      return readGate(builder, undefined, first, rest);
  }
}

function readInput(builder: Builder, [name, kind, ...rest]: string[]): void {
  const isBits = kind === 'bits';
  if (name === undefined || (!isBits && kind !== 'int')) fail('`bits` or `int` was expected');
  const width = isBits ? 1 : natural(rest.shift(), 59);
  if (rest.length > 1) fail('something behind an input');
  builder.input(name!, isBits ? 'bits' : 'integers', width, rest.length === 0 ? 1 : natural(rest[0], 2 ** 20));
}

/** All wires of several words, of one kind. */
function wiresOf(builder: Builder, list: string[]): Wires {
  const parts = list.map((word) => builder.wires(word));
  const kinds = new Set(parts.map(({ kind }) => kind));
  if (kinds.size > 1) fail('wires of one kind were expected');
  return { kind: parts[0]?.kind ?? 'bits', places: parts.flatMap(({ places }) => places) };
}

const LEAST: Record<string, [number, 'bits' | 'integers']> = {
  xor: [2, 'bits'],
  and: [2, 'bits'],
  or: [2, 'bits'],
  not: [1, 'bits'],
  add: [2, 'integers'],
  sub: [2, 'integers'],
  mul: [2, 'integers'],
  non_negative: [1, 'integers'],
  less: [2, 'integers'],
  relu: [1, 'integers'],
};

function readGate(builder: Builder, names: string[] | undefined, gate: string | undefined, operands: string[]): void {
  const made = makeGate(builder, gate, operands);
  if (names === undefined) return;
  if (names.length !== made.length) fail('a name for each result was expected');
  names.forEach((name, i) => builder.name(name, made[i]!));
}

/** Makes a gate; gives its results. */
function makeGate(builder: Builder, gate: string | undefined, operands: string[]): Wires[] {
  const one = (word: string | undefined, kind: Wires['kind']): number => {
    const wires = word === undefined ? undefined : builder.wires(word);
    if (wires === undefined || wires.kind !== kind || wires.places.length !== 1) fail(`one wire of ${kind} was expected`);
    return wires!.places[0]!;
  };
  const many = (list: string[], kind: Wires['kind']): number[] => {
    const wires = wiresOf(builder, list);
    if (list.length > 0 && wires.kind !== kind) fail(`wires of ${kind} were expected`);
    return wires.places;
  };
  const exactly = (count: number): void => void (operands.length === count || fail(`${count} operands were expected`));
  const known = gate === undefined ? undefined : LEAST[gate];
  if (known !== undefined) {
    const [count, kind] = known;
    exactly(count);
    return [builder.plain(gate!, operands.map((word) => one(word, kind)))];
  }
  switch (gate) {
    case 'bit':
      exactly(1);
      if (natural(operands[0], 1) > 1) fail('0 or 1 was expected');
      return [builder.bits(1)];
    case 'int':
      exactly(1);
      return [builder.integer(integer(operands[0]))];
    case 'shift':
    case 'scale':
      exactly(2);
      return [builder.affine(gate, one(operands[0], 'integers'), integer(operands[1]))];
    case 'dot': {
      const fraction = natural(operands[0], 59);
      const colon = operands.indexOf(':');
      if (colon < 1) fail('`:` was expected');
      return [builder.dot(fraction, many(operands.slice(1, colon), 'integers'), many(operands.slice(colon + 1), 'integers'))];
    }
    case 'from_bits':
      return [builder.fromBits(many(operands, 'bits').length)];
    case 'to_bits':
      exactly(2);
      one(operands[1], 'integers');
      return [builder.toBits(natural(operands[0], 59))];
    case 'largest':
      return builder.largest(many(operands, 'integers'));
    default:
      return fail(`\`${gate ?? ''}\` is no statement and no gate`);
  }
}
