import { join, le32, le64, littleEndian } from '../bytes.js';
import { digest } from '../digest.js';
import type { Combination, System } from './r1cs.js';

/** A factor at a slot. */
interface Placed {
  slot: number;
  factor: bigint;
}

/** Sonic's system of gates, made from constraints by whoever verifies. */
export interface Gates {
  public: number;
  /** Gates n and loose wires h. */
  n: number;
  h: number;
  /** A row for the product of each gate, and then the linear constraints. */
  rows: Placed[][];
}

/** Arithmetic modulo the order of the groups. */
export interface Scalars {
  readonly order: bigint;
  mod(x: bigint): bigint;
  inv(x: bigint): bigint;
}

/** Terms sorted by wire, those of a wire added, none of factor 0. */
function normal(F: Scalars, terms: Combination): Combination {
  const sums = new Map<number, bigint>();
  for (const { wire, factor } of terms) sums.set(wire, F.mod((sums.get(wire) ?? 0n) + factor));
  return [...sums]
    .filter(([, factor]) => factor !== 0n)
    .sort(([a], [b]) => a - b)
    .map(([wire, factor]) => ({ wire, factor }));
}

const isConstant = (terms: Combination): boolean => terms.every(({ wire }) => wire === 0);

/** `f·x − c`. */
const minus = (F: Scalars, f: bigint, x: Combination, c: Combination): Combination =>
  normal(F, [...x.map(({ wire, factor }) => ({ wire, factor: F.mod(f * factor) })), ...c.map(({ wire, factor }) => ({ wire, factor: F.mod(-factor) }))]);

/** The system of gates of a circuit. */
export function gatesOf(F: Scalars, system: System): Gates {
  const gates: [Combination, Combination, Combination][] = [];
  const zeros: Combination[] = [];
  for (const constraint of system.constraints) {
    const [a, b, c] = constraint.map((terms) => normal(F, terms)) as [Combination, Combination, Combination];
    if (isConstant(a)) zeros.push(minus(F, a[0]?.factor ?? 0n, b, c));
    else if (isConstant(b)) zeros.push(minus(F, b[0]?.factor ?? 0n, a, c));
    else gates.push([a, b, c]);
  }
  const n = gates.length;
  const homes = new Map<number, Placed>();
  /** Slots of a and b that are somebody's home. */
  const taken = new Set<number>();
  gates.forEach(([a, b], i) => {
    for (const [terms, slot] of [[a, n - i - 1], [b, n + i + 1]] as const) {
      const [first] = terms;
      if (terms.length !== 1 || homes.has(first!.wire)) continue;
      homes.set(first!.wire, { slot, factor: first!.factor });
      taken.add(slot);
    }
  });
  const mentioned = new Set([...gates.flat(), ...zeros].flatMap((terms) => terms.map(({ wire }) => wire)));
  for (let wire = 0; wire <= system.public; wire++) mentioned.add(wire);
  const loose = [...mentioned].filter((wire) => !homes.has(wire)).sort((a, b) => a - b);
  loose.forEach((wire, j) => homes.set(wire, { slot: 2 * n + j + 1, factor: 1n }));

  const inverses = new Map([...homes].map(([wire, { factor }]) => [wire, F.inv(factor)]));
  const row = (terms: Combination): Placed[] =>
    terms.map(({ wire, factor }) => ({ slot: homes.get(wire)!.slot, factor: F.mod(factor * inverses.get(wire)!) }));
  const wires = Array.from({ length: system.public + 1 }, (_, wire) => row([{ wire, factor: 1n }]));
  const sides = gates.flatMap(([a, b], i) =>
    ([[a, n - i - 1], [b, n + i + 1]] as const)
      .filter(([, slot]) => !taken.has(slot))
      .map(([terms, slot]) => [...row(terms), { slot, factor: F.order - 1n }]),
  );
  return { public: system.public, n, h: loose.length, rows: [...gates.map(([, , c]) => row(c)), ...wires, ...sides, ...zeros.map(row)] };
}

/** The circuit's digest. */
export function gatesDigest(gates: Gates): Uint8Array {
  const { rows } = gates;
  const terms = rows.flat();
  let end = 0;
  return digest(
    'snark/sonic/circuit/v1',
    join([
      ...[gates.public, gates.n, gates.h, rows.length, terms.length].map(le64),
      ...rows.map((row) => le64((end += row.length))),
      ...terms.flatMap(({ slot, factor }) => [le32(slot), littleEndian(factor, 32)]),
    ]),
  );
}

/** Powers of `x` from `least` to `most`. */
function powers(F: Scalars, x: bigint, least: number, most: number): (exponent: number) => bigint {
  const up = [1n];
  const down = [1n];
  const inverse = F.inv(x);
  while (up.length <= most) up.push(F.mod(up.at(-1)! * x));
  while (down.length <= -least) down.push(F.mod(down.at(-1)! * inverse));
  return (exponent) => (exponent >= 0 ? up[exponent]! : down[-exponent]!);
}

/** `s(x, y)`. */
export function evaluate(F: Scalars, { n, h, rows }: Gates, x: bigint, y: bigint): bigint {
  const X = powers(F, x, -n, n + h);
  const Y = powers(F, y, -n, rows.length);
  return rows.reduce((sum, row, i) => {
    const value = row.reduce((all, { slot, factor }) => all + factor * X(slot - n), 0n);
    const weight = i < n ? -(Y(i + 1) + Y(-i - 1)) : Y(i + 1);
    return F.mod(sum + weight * F.mod(value));
  }, 0n);
}

/** `k(y)`. */
export function constant(F: Scalars, { n }: Gates, inputs: bigint[], y: bigint): bigint {
  const Y = powers(F, y, 0, n + 1 + inputs.length);
  const sum = inputs.reduce((all, x, j) => all + x * Y(j + 1), 1n);
  return F.mod(Y(n + 1) * F.mod(sum));
}
