import { hex, integer } from '../bytes.js';
import { must } from '../refusal.js';
import { isZeroSum, type Curve, type G1Point, type G2Point, type Pair } from '../snark/curve.js';
import { groupsOf, uncompressed } from './points.js';
import { drawWeights } from './work.js';

interface Equation {
  check: string;
  what: string;
  pairs: [Pair, Pair];
}

/** Equations of pairings, checked in one random combination; the first that does not hold is named. */
export class Equations {
  private readonly list: Equation[] = [];

  constructor(private readonly curve: Curve) {}

  /** `(a, b) ~ (c, d)`: d is to c what b is to a. */
  sameRatio(check: string, what: string, [a, b]: [G1Point, G1Point], [c, d]: [G2Point, G2Point]): void {
    this.list.push({ check, what, pairs: [[a, d], [b.negate(), c]] });
  }

  /** Requires all of them. */
  check(): void {
    if (isZeroSum(this.curve, this.combined())) return;
    for (const { check, what, pairs } of this.list) must(isZeroSum(this.curve, pairs), check, what);
    must(false, this.list[0]!.check, 'the equations do not hold together');
  }

  /** Each equation times its own weight of 128 random bits; pairs with one point of G2 are put together. */
  private combined(): Pair[] {
    const { G2 } = groupsOf(this.curve);
    const sums = new Map<string, Pair>();
    const weights = drawWeights(this.list.length);
    this.list.forEach(({ pairs }, i) => {
      const weight = integer(weights.subarray(16 * i, 16 * i + 16));
      for (const [left, right] of pairs) {
        const name = hex(uncompressed(G2, right));
        const term = left.multiplyUnsafe(weight);
        const sum = sums.get(name);
        sums.set(name, [sum === undefined ? term : sum[0].add(term), right]);
      }
    });
    return [...sums.values()];
  }
}
