import { must, Refusal } from './refusal.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The bytes of a text in UTF-8. */
export const text = (s: string): Uint8Array => encoder.encode(s);

/** The text of bytes in UTF-8, or `CV-3`. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refusal('CV-3', 'text is not UTF-8');
  }
}

/** Lower-case hexadecimal digits. */
export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');

/** Bytes of exactly `2 * length` lower-case hexadecimal digits, or undefined. */
export function unhex(digits: string, length: number): Uint8Array | undefined {
  if (digits.length !== 2 * length || !/^[0-9a-f]*$/.test(digits)) return undefined;
  return Uint8Array.from({ length }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

/** Whether two byte strings are equal; nothing here is secret. */
export const equal = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((x, i) => x === b[i]);

/** Order of byte strings: -1, 0 or 1. */
export function compare(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  return Math.sign(a.length - b.length);
}

/** All parts, one after the other. */
export const concat = (...parts: Uint8Array[]): Uint8Array => join(parts);

/** All parts of a list of any length, one after the other: too many are no arguments of a function. */
export function join(parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** `size` bytes of an integer, little-endian. */
export function littleEndian(x: bigint | number, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let rest = BigInt(x);
  for (let i = 0; i < size; i++, rest >>= 8n) out[i] = Number(rest & 255n);
  return out;
}

export const le16 = (x: number): Uint8Array => littleEndian(x, 2);
export const le32 = (x: number): Uint8Array => littleEndian(x, 4);
export const le64 = (x: bigint | number): Uint8Array => littleEndian(x, 8);

/** The integer of little-endian bytes. */
export function integer(bytes: Uint8Array): bigint {
  let digits = '';
  for (let i = bytes.length - 1; i >= 0; i--) digits += bytes[i]!.toString(16).padStart(2, '0');
  return digits === '' ? 0n : BigInt('0x' + digits);
}

/** Reads hostile bytes from front to back. */
export class Reader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** How many bytes are left. */
  get left(): number {
    return this.bytes.length - this.at;
  }

  /** How many bytes were read. */
  get position(): number {
    return this.at;
  }

  /** The bytes that were read since `start`. */
  since(start: number): Uint8Array {
    return this.bytes.subarray(start, this.at);
  }

  /** The next bytes, without a copy. */
  take(length: number): Uint8Array {
    must(length <= this.left, 'CV-1', `${length} bytes were expected, and ${this.left} are left`);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  u8(): number {
    return this.take(1)[0]!;
  }

  u16(): number {
    return Number(integer(this.take(2)));
  }

  u32(): number {
    return Number(integer(this.take(4)));
  }

  u64(): bigint {
    return integer(this.take(8));
  }

  /** A `u32` count of at most `limit`. */
  count(limit: number, what: string): number {
    return this.limited(this.u32(), limit, what);
  }

  /** Refuses a number over its limit. */
  limited(count: number, limit: number, what: string): number {
    must(count <= limit, 'CV-2', `${count} ${what}, where ${limit} is the limit`);
    return count;
  }

  /** A byte string of at most `limit` bytes. */
  bytesOf(limit: number, what: string): Uint8Array {
    return this.take(this.count(limit, `bytes of ${what}`));
  }

  /** Text of at most `limit` bytes. */
  text(limit: number, what: string): string {
    return decodeText(this.bytesOf(limit, what));
  }

  /** Refuses bytes that follow. */
  end(): void {
    must(this.left === 0, 'CV-1', `${this.left} bytes follow the value`);
  }
}

/** The kind in a file's header, or undefined if it has none. */
export function fileKind(bytes: Uint8Array): string | undefined {
  if (bytes.length < 18 || !equal(bytes.subarray(0, 8), text('SUBROSA\0'))) return undefined;
  const name = bytes.subarray(8, 16);
  const end = name.indexOf(0);
  const visible = end < 0 ? name : name.subarray(0, end);
  if (visible.length === 0 || !visible.every((b) => b >= 0x21 && b <= 0x7e)) return undefined;
  if (!name.subarray(visible.length).every((b) => b === 0)) return undefined;
  return String.fromCharCode(...visible);
}

/** A reader behind the header of a file of this kind and version. */
export function openFile(bytes: Uint8Array, kind: string, version: number): Reader {
  const reader = new Reader(bytes);
  const header = reader.take(18);
  must(
    fileKind(bytes) === kind && Number(integer(header.subarray(16))) === version,
    'CV-5',
    `not a file of kind \`${kind}\`, version ${version}`,
  );
  return reader;
}
