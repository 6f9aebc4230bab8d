import { must, Refusal } from '../refusal.js';

const MAX_GATES = 2 ** 24;
const MAX_WIRES = 2 ** 20;
const MAX_INPUTS = 2 ** 12;
const MAX_OPERANDS = 2 ** 24;
const REACH = 2n ** 59n;

export type Kind = 'bits' | 'integers';

/** Wires of one kind, by their numbers among those of the kind. */
export interface Wires {
  kind: Kind;
  places: number[];
}

/** An input or an output: how many wires, and of an input of integers their width. */
export interface Port {
  kind: Kind;
  count: number;
  width?: number;
}

/** What of a circuit a verdict depends on. */
export interface Circuit {
  inputs: Map<string, Port>;
  outputs: Map<string, Port>;
  gates: number;
  hasIntegers: boolean;
  /** Whether a gate takes integers apart into bits, or puts them together. */
  takesApart: boolean;
}

const abs = (x: bigint): bigint => (x < 0n ? -x : x);
const max = (x: bigint[]): bigint => x.reduce((a, b) => (a > b ? a : b), 0n);

/** Builds a circuit statement by statement, with a bound for the size of every integer (`VV-1`). */
export class Builder {
  private readonly inputs = new Map<string, Port>();
  private readonly outputs = new Map<string, Port>();
  /** Named wires, which always follow each other. */
  private readonly names = new Map<string, { kind: Kind; first: number; count: number }>();
  private bitCount = 0;
  /** The bound of each integer. */
  private readonly bounds: bigint[] = [];
  private gates = 0;
  private inputWires = 0;
  private outputWires = 0;
  private operands = 0;
  private takesApart = false;

  circuit(): Circuit {
    const { inputs, outputs, gates, takesApart } = this;
    return { inputs, outputs, gates, takesApart, hasIntegers: this.bounds.length > 0 };
  }

  private count(gates: number): void {
    this.gates += gates;
    must(this.gates <= MAX_GATES, 'VV-1', 'too many gates');
  }

  /** New wires of bits. */
  private makeBits(count: number): Wires {
    const first = this.bitCount;
    this.bitCount += count;
    return { kind: 'bits', places: Array.from({ length: count }, (_, i) => first + i) };
  }

  private makeInteger(bound: bigint): Wires {
    must(bound < REACH, 'VV-1', 'a result might reach 2^59');
    this.bounds.push(bound);
    return { kind: 'integers', places: [this.bounds.length - 1] };
  }

  private bound(place: number): bigint {
    return this.bounds[place]!;
  }

  /** Gives wires a name. */
  name(name: string, wires: Wires, isResult = true): void {
    const form = isResult ? /^[A-Za-z_][A-Za-z0-9_]{0,63}$/ : /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
    must(form.test(name), 'VV-1', `\`${name}\` is no name`);
    must(!this.names.has(name) && (isResult || !this.outputs.has(name)), 'VV-1', `the name \`${name}\` is taken`);
    this.names.set(name, { kind: wires.kind, first: wires.places[0] ?? 0, count: wires.places.length });
  }

  input(name: string, kind: Kind, width: number, count: number): void {
    this.inputWires += count;
    must(this.inputWires <= MAX_WIRES && this.inputs.size < MAX_INPUTS, 'VV-1', 'too many inputs');
    must(kind === 'bits' || width >= 1, 'VV-1', 'an integer without bits');
    const own = { kind, places: [] as number[] };
    if (kind === 'bits') own.places = this.makeBits(count).places;
    else for (let i = 0; i < count; i++) own.places.push(...this.makeInteger(2n ** BigInt(width - 1)).places);
    this.name(name, own, false);
    this.inputs.set(name, { kind, count, width });
  }

  output(name: string, wires: Wires): void {
    must(/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name), 'VV-1', `\`${name}\` is no name`);
    must(!this.outputs.has(name) && !this.inputs.has(name), 'VV-1', `the name \`${name}\` is taken`);
    this.outputWires += wires.places.length;
    must(this.outputWires <= MAX_WIRES, 'VV-1', 'too many outputs');
    this.outputs.set(name, { kind: wires.kind, count: wires.places.length });
  }

  /** The wires that a word names: a name, a part of one, or wires by their numbers. */
  wires(word: string): Wires {
    const refuse = (): never => {
      throw new Refusal('VV-1', `wire ${word} is not made before it is read`);
    };
    const numbered = /^\$([bi])([0-9]{1,9})(?:\.\.([0-9]{1,9}))?$/.exec(word);
    if (numbered !== null) {
      const kind = numbered[1] === 'b' ? 'bits' : 'integers';
      const [from, to] = [Number(numbered[2]), Number(numbered[3] ?? Number(numbered[2]) + 1)];
      if (from > to || to > (kind === 'bits' ? this.bitCount : this.bounds.length)) refuse();
      return { kind, places: Array.from({ length: to - from }, (_, i) => from + i) };
    }
    const named = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[([0-9]{1,9})(?:\.\.([0-9]{1,9}))?\])?$/.exec(word);
    const own = named === null ? undefined : this.names.get(named[1]!);
    if (named === null || own === undefined) return refuse();
    const from = Number(named[2] ?? 0);
    const to = named[2] === undefined ? own.count : Number(named[3] ?? from + 1);
    if (from > to || to > own.count) refuse();
    return { kind: own.kind, places: Array.from({ length: to - from }, (_, i) => own.first + from + i) };
  }

  assertZero({ places }: Wires): void {
    must(places.length <= MAX_WIRES, 'VV-1', 'too many operands');
    this.count(places.length);
  }

  assertEqual(a: Wires, b: Wires): void {
    must(a.kind === b.kind && a.places.length === b.places.length, 'VV-1', 'as many wires, of the same kind, were expected');
    if (a.kind === 'integers') a.places.forEach((place, i) => must(this.bound(place) + this.bound(b.places[i]!) < REACH, 'VV-1', 'a result might reach 2^59'));
    this.count(2 * a.places.length);
  }

  /** A gate that makes `count` bits. */
  bits(count: number, gates = 1): Wires {
    this.count(gates);
    return this.makeBits(count);
  }

  integer(value: bigint): Wires {
    this.count(1);
    return this.makeInteger(abs(value));
  }

  /** A gate of one or two wires. */
  plain(gate: string, wires: number[]): Wires {
    const [a, b] = wires as [number, number];
    const bounds = (): [bigint, bigint] => [this.bound(a), this.bound(b)];
    switch (gate) {
      case 'or':
        return this.bits(1, 3);
      case 'add':
      case 'sub': {
        const [A, B] = bounds();
        this.count(1);
        return this.makeInteger(A + B);
      }
      case 'mul': {
        const [A, B] = bounds();
        this.count(1);
        return this.makeInteger(A * B);
      }
      case 'relu':
        return this.apart(this.bound(a), 1);
      case 'non_negative':
        return this.apart(1n, 1);
      case 'less': {
        // The sign of b - a - 1.
        const [A, B] = bounds();
        must(A + B + 1n < REACH, 'VV-1', 'a result might reach 2^59');
        this.bounds.push(A + B, A + B + 1n);
        return this.apart(1n, 3);
      }
      default:
        return this.bits(1);
    }
  }

  private apart(bound: bigint, gates: number): Wires {
    this.takesApart = true;
    this.count(gates);
    return this.makeInteger(bound);
  }

  affine(gate: 'shift' | 'scale', place: number, by: bigint): Wires {
    this.count(1);
    must(abs(by) < REACH, 'VV-1', 'a result might reach 2^59');
    return this.makeInteger(gate === 'shift' ? this.bound(place) + abs(by) : this.bound(place) * abs(by));
  }

  dot(fraction: number, left: number[], right: number[]): Wires {
    must(left.length === right.length, 'VV-1', 'as many factors on either side of `:` were expected');
    this.operate(2 * left.length);
    const sum = left.reduce((all, place, i) => all + this.bound(place) * this.bound(right[i]!), 0n);
    must(sum < REACH, 'VV-1', 'a result might reach 2^59');
    if (fraction > 0) this.takesApart = true;
    this.count(1);
    const unit = 2n ** BigInt(fraction);
    return this.makeInteger((sum + unit - 1n) / unit);
  }

  private operate(count: number): void {
    this.operands += count;
    must(count <= MAX_WIRES && this.operands <= MAX_OPERANDS, 'VV-1', 'too many operands');
  }

  fromBits(count: number): Wires {
    must(count <= 59, 'VV-1', 'an integer of more than 59 bits');
    return this.apart(2n ** BigInt(count) - 1n, 1);
  }

  toBits(count: number): Wires {
    this.takesApart = true;
    return this.bits(count);
  }

  /** The largest of some integers, and its place. */
  largest(places: number[]): Wires[] {
    must(places.length > 0, 'VV-1', 'the largest of none');
    this.operate(places.length);
    const bound = max(places.map((place) => this.bound(place)));
    must(2n * bound < REACH, 'VV-1', 'a result might reach 2^59');
    return [this.apart(bound, 1), this.makeInteger(BigInt(places.length - 1))];
  }
}
