import { keccakP } from '@noble/hashes/sha3.js';
import { concat, integer, le32, le64, text } from './bytes.js';
import { wide } from './group.js';

const RATE = 166;

/** Merlin v1.0 over STROBE-128: the transcript of all proofs. */
export class Transcript {
  private readonly state: Uint8Array;
  private position = 0;
  private begin = 0;

  /** A transcript of the protocol `name`, or the copy of another one. */
  constructor(from: string | Transcript) {
    if (from instanceof Transcript) {
      this.state = from.state.slice();
      this.position = from.position;
      this.begin = from.begin;
      return;
    }
    this.state = new Uint8Array(200);
    this.state.set([0x01, 0xa8, 0x01, 0x00, 0x01, 0x60]);
    this.state.set(text('STROBEv1.0.2'), 6);
    this.permute();
    this.meta(text('Merlin v1.0'));
    this.absorb('dom-sep', text(from));
  }

  /** An independent transcript with the same history. */
  copy(): Transcript {
    return new Transcript(this);
  }

  /** Absorbs bytes. */
  absorb(label: string, bytes: Uint8Array): void {
    this.meta(concat(text(label), le32(bytes.length)));
    this.operate(0x02);
    this.take(bytes);
  }

  /** Absorbs a number. */
  number(label: string, x: bigint | number): void {
    this.absorb(label, le64(x));
  }

  /** Squeezes `n` bytes. */
  squeeze(label: string, n: number): Uint8Array {
    this.meta(concat(text(label), le32(n)));
    this.operate(0x07);
    const out = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      out[i] = this.state[this.position]!;
      this.state[this.position] = 0;
      this.advance();
    }
    return out;
  }

  /** One wide challenge. */
  challenge(label: string): bigint {
    return wide(this.squeeze(label, 64));
  }

  /** `n` wide challenges. */
  challenges(label: string, n: number): bigint[] {
    const bytes = this.squeeze(label, 64 * n);
    return Array.from({ length: n }, (_, i) => wide(bytes.subarray(64 * i, 64 * i + 64)));
  }

  /** `n` short challenges, of 128 bits. */
  short(label: string, n: number): bigint[] {
    const bytes = this.squeeze(label, 16 * n);
    return Array.from({ length: n }, (_, i) => integer(bytes.subarray(16 * i, 16 * i + 16)));
  }

  private meta(bytes: Uint8Array): void {
    this.operate(0x12);
    this.take(bytes);
  }

  private operate(flags: number): void {
    const before = this.begin;
    this.begin = this.position + 1;
    this.take(Uint8Array.of(before, flags));
    if ((flags & 0x04) !== 0 && this.position !== 0) this.finish();
  }

  private take(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) {
      this.state[this.position]! ^= bytes[i]!;
      this.advance();
    }
  }

  private advance(): void {
    this.position += 1;
    if (this.position === RATE) this.finish();
  }

  private finish(): void {
    this.state[this.position]! ^= this.begin;
    this.state[this.position + 1]! ^= 0x04;
    this.state[RATE + 1]! ^= 0x80;
    this.permute();
    this.position = 0;
    this.begin = 0;
  }

  private permute(): void {
    keccakP(new Uint32Array(this.state.buffer, 0, 50));
  }
}
