import { _BLAKE2b, blake2b } from '@noble/hashes/blake2.js';
import { join, le64, Reader } from '../bytes.js';
import { must } from '../refusal.js';

const BLOCK = 128;
/** Bytes of a state that files hold. */
export const STATE = BLOCK + 8 * 8 + 3 * 8;

/** BLAKE2b-512. */
export const blake = (...parts: Uint8Array[]): Uint8Array => blake2b(join(parts), { dkLen: 64 });

/** BLAKE2b-512 whose state files of phase 1 hold. */
export class Blake extends _BLAKE2b {
  constructor() {
    super({ dkLen: 64 });
  }

  /** The computation that stopped at a state of 216 bytes (`CE-6`). */
  static resume(state: Uint8Array): Blake {
    const reader = new Reader(state);
    const block = reader.take(BLOCK);
    const words = Array.from({ length: 16 }, () => reader.u32());
    const [compressed, pending, zero] = [reader.u64(), Number(reader.u64()), reader.u64()];
    const isPossible = compressed % BigInt(BLOCK) === 0n && (pending > 0 || compressed === 0n);
    must(zero === 0n && pending <= BLOCK && isPossible && compressed < 2n ** 53n, 'CE-6', 'the state of a hash is none');
    const hash = new Blake();
    (hash.set as (...words: number[]) => void)(...words.map((word) => word | 0));
    hash.buffer.set(block);
    hash.pos = pending;
    hash.length = Number(compressed) + pending;
    return hash;
  }

  /** How many bytes were hashed. */
  get count(): number {
    return this.length;
  }

  /** The state; bytes of the block that were not filled are zero. */
  state(): Uint8Array {
    const block = this.buffer.slice();
    block.fill(0, this.pos);
    const words = new Uint8Array(new Uint32Array(this.get()).buffer);
    return join([block, words, le64(this.length - this.pos), le64(this.pos), le64(0)]);
  }
}
