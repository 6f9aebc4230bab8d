import { Reader } from '../bytes.js';
import { must } from '../refusal.js';
import type { Curve, G1Point, G2Point } from '../snark/curve.js';
import { Container, readBase, readScalars } from './container.js';
import { groupsOf, readPoint, readPoints, widthOf, type Group } from './points.js';
import { NATIVE } from './ptau.js';

const COEFFICIENT = 12 + 32;

/** The points of a key that stand alone. */
export interface KeyPoints {
  alpha1: G1Point;
  beta1: G1Point;
  beta2: G2Point;
  gamma2: G2Point;
  delta1: G1Point;
  delta2: G2Point;
}

/** A key of Groth16 in the file of snarkjs, or a record of one (`CE-28`). */
export class Zkey {
  private constructor(
    readonly container: Container,
    readonly curve: Curve,
    /** Wires, the constant one included. */
    readonly wires: number,
    /** Public wires, without the constant one. */
    readonly publics: number,
    /** The size of the domain. */
    readonly rows: number,
    readonly points: KeyPoints,
    readonly IC: G1Point[],
  ) {}

  static read(bytes: Uint8Array): Zkey {
    const key = Zkey.open(bytes);
    const { G1, G2 } = groupsOf(key.curve);
    const lists = [[5, key.wires, G1], [6, key.wires, G1], [7, key.wires, G2], [8, key.wires - key.publics - 1, G1], [9, key.rows, G1]] as const;
    for (const [id, count, group] of lists) key.container.section(id, count * widthOf(group));
    const coefficients = new Reader(key.container.section(4));
    must(BigInt(coefficients.u32()) * BigInt(COEFFICIENT) === BigInt(coefficients.left), 'CE-28', 'the section 4 has another length');
    return key;
  }

  /** A record: the sections 1, 2, 3, 10, and 100 of a native ceremony, in this order, and no others. */
  static readRecord(bytes: Uint8Array): Zkey {
    const key = Zkey.open(bytes);
    const expected = key.isNative ? [1, 2, 3, 10, NATIVE] : [1, 2, 3, 10];
    must(key.container.ids.join() === expected.join(), 'CE-28', 'the sections are not those of a record');
    return key;
  }

  private static open(bytes: Uint8Array): Zkey {
    const container = Container.read(bytes, 'zkey');
    must(new Reader(container.section(1, 4)).u32() === 1, 'CE-28', 'the key is not of Groth16');
    const header = new Reader(container.section(2));
    const curve = readBase(header);
    readScalars(header, curve);
    const [wires, publics, rows] = [header.u32(), header.u32(), header.u32()];
    must(publics < wires, 'CE-28', 'there are more public wires than wires');
    const isPower = rows > 0 && Number.isInteger(Math.log2(rows));
    must(isPower && Math.log2(rows) <= (curve.name === 'BN254' ? 28 : 32), 'CE-28', 'the size of the domain is no power of two in range');
    const { G1, G2 } = groupsOf(curve);
    const next = <F>(group: Group<F>) => readPoint(group, header.take(widthOf(group)));
    const points = { alpha1: next(G1), beta1: next(G1), beta2: next(G2), gamma2: next(G2), delta1: next(G1), delta2: next(G2) };
    header.end();
    must(container.section(10).length >= 68, 'CE-28', 'the section 10 is too short');
    const IC = readPoints(G1, container.section(3, (publics + 1) * widthOf(G1)), true);
    return new Zkey(container, curve, wires, publics, rows, points, IC);
  }

  get isNative(): boolean {
    return this.container.has(NATIVE);
  }

  /** The circuit hash, by the key's word. */
  get circuitHash(): Uint8Array {
    return this.container.section(10).subarray(0, 64);
  }

  /** The binary logarithm of the size of the domain. */
  get log(): number {
    return Math.log2(this.rows);
  }
}
