import { equal, join, Reader } from '../bytes.js';
import { digest } from '../digest.js';
import { must } from '../refusal.js';

const MAX_PART = 2 ** 24;
const MAX_PARTS = 128;

/** What announces a mix in parts. */
export interface PartHeader {
  turn: number;
  length: bigint;
  digest: Uint8Array;
}

/** A part of a mix. */
export interface Part {
  turn: number;
  index: number;
  bytes: Uint8Array;
}

/** Reads the payload of `mix/header`. */
export function readPartHeader(payload: Uint8Array): PartHeader {
  const reader = new Reader(payload);
  const header = { turn: reader.u32(), length: reader.u64(), digest: reader.take(32) };
  reader.end();
  return header;
}

/** Reads the payload of `mix/part`. */
export function readPart(payload: Uint8Array): Part {
  const reader = new Reader(payload);
  const part = { turn: reader.u32(), index: reader.u32(), bytes: reader.bytesOf(MAX_PART, 'a part of a mix') };
  reader.end();
  return part;
}

/** Whose turn to mix it is, and what was said of the mix in it: `EL-24`, `EL-25`. */
export class MixingTurns {
  private turn = 1;
  private queue: number[];
  /** Mixers who were absent, in the order in which they came to be. */
  private away: number[] = [];
  private header: PartHeader | undefined;
  private parts: Uint8Array[] = [];
  private left = 0;

  constructor(mixers: number) {
    this.queue = Array.from({ length: mixers }, (_, i) => i + 1);
  }

  /** The mixer whose turn it is. */
  get mixer(): number | undefined {
    return this.queue[0];
  }

  /** What the mixer whose turn it is has to say next. */
  get due(): string {
    return this.header === undefined ? 'mix/header' : 'mix/part';
  }

  isAway(mixer: number): boolean {
    return this.away.includes(mixer);
  }

  /** An absent mixer joins the queue again. */
  back(mixer: number): void {
    this.away = this.away.filter((other) => other !== mixer);
    this.queue.push(mixer);
  }

  /** The turn's mix is announced. */
  begin(header: PartHeader, longest: number): void {
    must(header.turn === this.turn, 'EL-25', 'it is about another turn');
    must(header.length >= 1n && header.length <= BigInt(longest), 'EL-25', 'the length of the mix');
    this.header = header;
    this.left = Number(header.length);
  }

  /** The next part of the mix; gives whether it is whole. */
  add({ turn, index, bytes }: Part): boolean {
    must(turn === this.turn, 'EL-25', 'it is about another turn');
    must(index === this.parts.length && index < MAX_PARTS, 'EL-25', 'another part is due');
    must(bytes.length >= 1 && bytes.length <= this.left, 'EL-25', 'the part is empty, or longer than what is left');
    this.parts.push(bytes);
    this.left -= bytes.length;
    return this.left === 0;
  }

  /** The whole mix. */
  whole(): Uint8Array {
    const bytes = join(this.parts);
    must(equal(digest('subrosa/election/mix/parts/v2', bytes), this.header!.digest), 'EL-25', 'the parts have another digest');
    return bytes;
  }

  /** The turn ends with a whole mix. */
  end(): void {
    this.queue.shift();
    this.turn += 1;
    this.header = undefined;
    this.parts = [];
  }

  /** The turn ends with an absence. */
  leave(): void {
    this.away.push(this.queue[0]!);
    this.end();
  }

  /** Whether there is another turn after so many valid mixes. */
  goesOn(valid: number, least: number): boolean {
    if (this.queue.length === 0 && valid < least) {
      this.queue = this.away;
      this.away = [];
    }
    return this.queue.length > 0;
  }
}
