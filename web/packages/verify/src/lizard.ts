import { sha256 } from '@noble/hashes/sha2.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { concat, equal, integer, littleEndian } from './bytes.js';
import { oneWayMap, type Point } from './group.js';

const F = ed25519.Point.Fp;
const P = F.ORDER;
const D = ed25519.Point.CURVE().d;
const ONE = 1n;

/** `x` with an even encoding, or its negative. */
const absolute = (x: bigint): bigint => ((x & 1n) === 1n ? P - x : x);

/** A root of `u/v`, or else of `i·u/v` (RFC 9496, section 4.2). */
function rootOfRatio(u: bigint, v: bigint): { isSquare: boolean; root: bigint } {
  const v3 = F.mul(F.sqr(v), v);
  const v7 = F.mul(F.sqr(v3), v);
  let root = F.mul(F.mul(u, v3), F.pow(F.mul(u, v7), (P - 5n) / 8n));
  const check = F.mul(v, F.sqr(root));
  const isSquare = F.eql(check, u) || F.eql(check, F.neg(u));
  if (F.eql(check, F.neg(u)) || F.eql(check, F.neg(F.mul(u, I)))) root = F.mul(root, I);
  return { isSquare, root: absolute(root) };
}

const I = absolute(F.pow(2n, (P - 1n) / 4n));
/** The root of `a·d − 1`, `a = −1`, that RFC 9496 names (it is odd). */
const ROOT_AD_MINUS_ONE = P - rootOfRatio(F.neg(F.add(D, ONE)), ONE).root;
const D_RATIO = F.div(F.add(D, ONE), F.sub(D, ONE));

/** The field element that Elligator takes to `(s, t)` on the Jacobi quartic, `s` not zero. */
function preimage(s: bigint, t: bigint): bigint | undefined {
  const a = F.mul(F.add(t, ONE), D_RATIO);
  const s2 = F.sqr(s);
  const { isSquare, root } = rootOfRatio(ONE, F.mul(I, F.sub(F.sqr(s2), F.sqr(a))));
  if (!isSquare) return undefined;
  return absolute(F.mul(F.add(a, (s & 1n) === 1n ? F.neg(s2) : s2), root));
}

/** All field elements that the map of RFC 9496, section 4.3.4, takes to a point that is not neutral. */
function preimages(point: Point): bigint[] {
  const { x, y } = point.toAffine();
  const [ix, iy] = [F.mul(I, x), F.mul(I, y)];
  // The four points of the curve that are this one point of the group.
  const representatives: [bigint, bigint][] = [[x, y], [F.neg(x), F.neg(y)], [iy, ix], [F.neg(iy), F.neg(ix)]];
  return representatives.flatMap(([x, y]) => {
    if (x === 0n) return [];
    // y = (1 − s²)/(1 + s²), x = 2s/(t·√(ad − 1))
    const { isSquare, root } = rootOfRatio(F.sub(ONE, y), F.add(ONE, y));
    if (!isSquare || root === 0n) return [];
    return [root, F.neg(root)].flatMap((s) => {
      const t = F.div(F.add(s, s), F.mul(x, ROOT_AD_MINUS_ONE));
      return preimage(s, t) ?? [];
    });
  });
}

/** The bytes of the field element that carries a message. */
function frame(message: Uint8Array): Uint8Array {
  const f = sha256(message);
  f.set(message, 8);
  f[0]! &= 0xfe;
  f[31]! &= 0x3f;
  return f;
}

/** `MAP(f)`; the one-way map adds two such points, and that of zero is neutral. */
const map = (f: Uint8Array): Point => oneWayMap(concat(f, new Uint8Array(32)));

/** The point that carries a message of 16 bytes. */
export const writeLizard = (message: Uint8Array): Point => map(frame(message));

/** The 16 bytes that a point carries, or undefined if it carries none, or several. */
export function readLizard(point: Point): Uint8Array | undefined {
  const found = new Map<bigint, Uint8Array>();
  for (const x of preimages(point)) {
    const bytes = littleEndian(x, 32);
    const message = bytes.slice(8, 24);
    if (equal(frame(message), bytes) && map(bytes).equals(point)) found.set(integer(bytes), message);
  }
  return found.size === 1 ? [...found.values()][0] : undefined;
}
