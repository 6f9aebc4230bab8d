import { blake3 } from '@noble/hashes/blake3.js';
import { join, le32, le64, text } from '../bytes.js';

/** A number or bytes, as an input of a hash. */
export type Input = Uint8Array | number | bigint;

const encode = (input: Input): Uint8Array => (input instanceof Uint8Array ? input : le64(input));

const framed = (inputs: Input[]): Uint8Array =>
  join(inputs.map(encode).flatMap((bytes) => [le32(bytes.length), bytes]));

/** `H_name(inputs)`. */
export const hash = (name: string, ...inputs: Input[]): Uint8Array => hashAll(name, inputs);

/** `H_name(inputs)`, of any number of inputs. */
export const hashAll = (name: string, inputs: Input[]): Uint8Array =>
  blake3(framed(inputs), { context: text(`subrosa table v1 ${name}`) });

/** `H_name(key; inputs)`, of `length` bytes. */
export const keyedHash = (name: string, key: Uint8Array, length: number, ...inputs: Input[]): Uint8Array =>
  blake3(framed([text(name), ...inputs]), { key, dkLen: length });

/** A list as inputs: its number of items, and the items. */
export const list = (items: Input[]): Input[] => [items.length, ...items];

/** 32 zero bytes: an edge that is not there. */
export const NOTHING = new Uint8Array(32);
