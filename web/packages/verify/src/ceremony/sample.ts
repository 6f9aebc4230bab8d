import { chacha20 } from '@noble/ciphers/chacha.js';
import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js';
import type { Curve, G2Point } from '../snark/curve.js';
import { isLarger } from '../snark/curve.js';
import { groupsOf, type Group } from './points.js';

/** The words that a seed of 32 bytes gives: `sample` of the specification. */
export class Sampler {
  private readonly key = new Uint8Array(32);
  private words = new DataView(new ArrayBuffer(0));
  private at = 0;
  private blocks = 0;

  constructor(seed: Uint8Array) {
    // Each word of the key is read big-endian.
    for (let i = 0; i < 32; i++) this.key[i] = seed[i ^ 3]!;
  }

  private word(): bigint {
    if (this.at === this.words.byteLength) {
      const more = 16;
      const bytes = chacha20(this.key, new Uint8Array(12), new Uint8Array(64 * more), undefined, this.blocks);
      this.blocks += more;
      this.words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      this.at = 0;
    }
    this.at += 4;
    return BigInt(this.words.getUint32(this.at - 4, true));
  }

  /** An element of a prime field. */
  private element(modulus: bigint, bytes: number): bigint {
    const bits = BigInt(modulus.toString(2).length);
    const radix = 1n << BigInt(8 * bytes);
    for (;;) {
      let x = 0n;
      for (let limb = 0n; limb < BigInt(bytes / 8); limb++) {
        const high = this.word();
        x |= ((high << 32n) | this.word()) << (64n * limb);
      }
      x &= (1n << bits) - 1n;
      // What was drawn is a Montgomery form.
      if (x < modulus) return (x * inverse(radix % modulus, modulus)) % modulus;
    }
  }

  /** A scalar. */
  scalar({ noble }: Curve): bigint {
    return this.element(noble.fields.Fr.ORDER, 32);
  }

  /** A point of the subgroup. */
  point<F>(group: Group<F>): WeierstrassPoint<F> {
    const { curve, degree, Fp, Point, join, split } = group;
    for (;;) {
      const coefficients = Array.from({ length: degree }, () => this.element(curve.noble.fields.Fp.ORDER, curve.bytes));
      const isGreater = (this.word() & 1n) === 1n;
      const x = join(coefficients);
      const y = squareRoot(Fp, Fp.add(Fp.mul(Fp.sqr(x), x), Point.CURVE().b));
      if (y === undefined) continue;
      const [first, second] = split(y);
      const isSame = isLarger(curve, degree === 1 ? first! : [first!, second!]) === isGreater;
      return times(Point.fromAffine({ x, y: isSame ? y : Fp.neg(y) }), Point.CURVE().h, Point.ZERO);
    }
  }
}

function inverse(x: bigint, modulus: bigint): bigint {
  let [a, b, u, v] = [x, modulus, 1n, 0n];
  while (b !== 0n) {
    const q = a / b;
    [a, b, u, v] = [b, a - q * b, v, u - q * v];
  }
  return ((u % modulus) + modulus) % modulus;
}

/** A root, or undefined if there is none. */
export function squareRoot<F>(Fp: { sqrt(x: F): F; sqr(x: F): F; eql(a: F, b: F): boolean }, x: F): F | undefined {
  try {
    const root = Fp.sqrt(x);
    return Fp.eql(Fp.sqr(root), x) ? root : undefined;
  } catch {
    return undefined;
  }
}

/** `factor·point`, for factors of any size and points of the whole curve. */
export function times<F>(point: WeierstrassPoint<F>, factor: bigint, zero: WeierstrassPoint<F>): WeierstrassPoint<F> {
  let sum = zero;
  for (const bit of factor.toString(2)) {
    sum = sum.double();
    if (bit === '1') sum = sum.add(point);
  }
  return sum;
}

/** `hash_to_g2` of snarkjs and bellman, of a digest of 64 bytes. */
export const sampleG2 = (curve: Curve, digest: Uint8Array): G2Point => new Sampler(digest.subarray(0, 32)).point(groupsOf(curve).G2);
