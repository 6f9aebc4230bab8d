import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concat, equal, integer, text, type Reader } from './bytes.js';
import { digest } from './digest.js';
import { ORDER } from './group.js';
import { must } from './refusal.js';

type EdwardsPoint = typeof ed25519.Point.BASE;

/** The point of a key in its canonical encoding that is not of small order, or undefined. */
export function decodeKey(key: Uint8Array): EdwardsPoint | undefined {
  try {
    const point = ed25519.Point.fromBytes(key, false);
    return point.isSmallOrder() || !equal(point.toBytes(), key) ? undefined : point;
  } catch {
    return undefined;
  }
}

/** The next key, canonical and not of small order, or `CV-6`. */
export function readKey(reader: Reader): Uint8Array {
  const key = reader.take(32);
  must(decodeKey(key) !== undefined, 'CV-6', 'a key is not canonical, or of small order');
  return key;
}

/** Whether an Ed25519 signature of 64 bytes is genuine, strictly: without cofactor, and nothing of small order. */
export function isGenuine(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const A = decodeKey(key);
  if (A === undefined || signature.length !== 64) return false;
  const R = signature.subarray(0, 32);
  const s = integer(signature.subarray(32));
  if (s >= ORDER) return false;
  const k = integer(sha512(concat(R, key, message))) % ORDER;
  const expected = ed25519.Point.BASE.multiplyUnsafe(s).subtract(A.multiplyUnsafe(k));
  return !expected.isSmallOrder() && equal(expected.toBytes(), R);
}

/** Whether a signature in a domain is genuine. */
export const isGenuineIn = (domain: string, key: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean =>
  isGenuine(key, concat(text(domain), digest(domain, bytes)), signature);
