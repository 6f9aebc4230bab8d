import { Reader } from '../bytes.js';
import { must } from '../refusal.js';
import type { Curve, G1Point, G2Point } from '../snark/curve.js';
import { Container, readBase } from './container.js';
import { at, groupsOf, readPoint, widthOf } from './points.js';

/** The section with the transcript of a native ceremony. */
export const NATIVE = 100;

/** The points that tell secrets apart. */
export interface Singular {
  tau1: G1Point;
  alpha1: G1Point;
  beta1: G1Point;
  tau2: G2Point;
  beta2: G2Point;
}

/** The powers of the section 2 to 6, and their Lagrange forms: identifiers, and in which group. */
export const POWERS = [
  { id: 2, group: 'G1' },
  { id: 3, group: 'G2' },
  { id: 4, group: 'G1' },
  { id: 5, group: 'G1' },
  { id: 6, group: 'G2' },
] as const;

/** A file of phase 1, whose sections have the lengths that its header says (`CE-28`). */
export class Ptau {
  private constructor(
    readonly container: Container,
    readonly curve: Curve,
    readonly power: number,
    readonly ceremonyPower: number,
  ) {}

  static read(bytes: Uint8Array): Ptau {
    const container = Container.read(bytes, 'ptau');
    const header = new Reader(container.section(1));
    const curve = readBase(header);
    const [power, ceremonyPower] = [header.u32(), header.u32()];
    header.end();
    const largest = curve.name === 'BN254' ? 28 : 32;
    must(power >= 1 && power <= ceremonyPower && ceremonyPower <= largest, 'CE-28', 'the power is out of range');
    const file = new Ptau(container, curve, power, ceremonyPower);
    container.section(7);
    for (const { id } of POWERS) file.list(id);
    if ([12, 13, 14, 15].some((id) => container.has(id))) for (const id of [12, 13, 14, 15]) file.list(id);
    return file;
  }

  /** Whether it was cut from a larger one. */
  get isCut(): boolean {
    return this.power < this.ceremonyPower;
  }

  get isNative(): boolean {
    return this.container.has(NATIVE);
  }

  /** Whether it was prepared for phase 2. */
  get isPrepared(): boolean {
    return this.container.has(12);
  }

  /** The binary logarithm of the largest domain of a Lagrange section. */
  largestDomain(id: 12 | 13 | 14 | 15): number {
    const hasLargest = id === 12 && this.list(12).length > (2 ** (this.power + 1) - 1) * widthOf(groupsOf(this.curve).G1);
    return hasLargest ? this.power + 1 : this.power;
  }

  /** The points of a section. */
  list(id: number): Uint8Array {
    const { G1, G2 } = groupsOf(this.curve);
    const width = id === 3 || id === 6 || id === 13 ? widthOf(G2) : widthOf(G1);
    const n = 2 ** this.power;
    const counts: Record<number, number[]> = { 2: [2 * n - 1], 3: [n], 4: [n], 5: [n], 6: [1], 12: [4 * n - 1, 2 * n - 1], 13: [2 * n - 1], 14: [2 * n - 1], 15: [2 * n - 1] };
    const section = this.container.section(id);
    must(counts[id]!.some((count) => section.length === count * width), 'CE-28', `the section ${id} has another length`);
    return section;
  }

  /** The Lagrange points of the domain of `2^log` points. */
  lagrange(id: 12 | 13 | 14 | 15, log: number): Uint8Array {
    const group = id === 13 ? groupsOf(this.curve).G2 : groupsOf(this.curve).G1;
    return at(group, this.list(id), 2 ** log - 1, 2 ** log);
  }

  /** The points that tell the secrets apart, as the sections have them. */
  singular(): Singular {
    const { G1, G2 } = groupsOf(this.curve);
    const first = (id: number, index: number): G1Point => readPoint(G1, at(G1, this.list(id), index));
    const second = (id: number, index: number): G2Point => readPoint(G2, at(G2, this.list(id), index));
    return { tau1: first(2, 1), alpha1: first(4, 0), beta1: first(5, 0), tau2: second(3, 1), beta2: second(6, 0) };
  }
}
