import type { Reader } from '../bytes.js';
import { readScalar } from '../group.js';
import { must } from '../refusal.js';
import type { KeyRoot } from './cover.js';
import { readLeaf, readPath, readRows, type Leaf, type Path } from './tree.js';

/** Sums of the powers of some rows' values. */
export interface Moments {
  rows: number;
  sums: bigint[];
}

/** Why an outcome is withheld, by their bytes. */
const REASONS = ['small', 'to protect another', 'small parts'] as const;

/** Why an answer is withheld. */
export type Reason = (typeof REASONS)[number];

/** What a custodian answers. */
export type Outcome =
  | { kind: 'empty' }
  | { kind: 'moments'; moments: Moments }
  | { kind: 'order'; rows: number; value: bigint }
  | { kind: 'top'; rows: number; threshold: bigint; moments: Moments }
  | { kind: 'histogram'; parts: Moments[] }
  | { kind: 'rounded'; rows: number; sum: bigint }
  | { kind: 'withheld'; reason: Reason };

const MAX_PARTS = 8192;
const MAX_RANGES = 65536;
const MAX_RANGE = 4096;

function readMoments(reader: Reader): Moments {
  const rows = readRows(reader);
  const count = reader.limited(reader.u8(), 4, 'sums');
  return { rows, sums: Array.from({ length: count }, () => readScalar(reader)) };
}

/** Reads an outcome. */
export function readOutcome(reader: Reader): Outcome {
  const tag = reader.u8();
  switch (tag) {
    case 0:
      return { kind: 'empty' };
    case 1:
      return { kind: 'moments', moments: readMoments(reader) };
    case 2:
      return { kind: 'order', rows: readRows(reader), value: reader.u64() };
    case 3:
      return { kind: 'top', rows: readRows(reader), threshold: reader.u64(), moments: readMoments(reader) };
    case 4: {
      const count = reader.count(MAX_PARTS, 'parts');
      return { kind: 'histogram', parts: Array.from({ length: count }, () => readMoments(reader)) };
    }
    case 5: {
      const rows = readRows(reader);
      const low = reader.u64();
      return { kind: 'rounded', rows, sum: low + (reader.u64() << 64n) };
    }
    default: {
      must(tag === 6, 'CV-4', `an outcome of kind ${tag}`);
      const reason = reader.u8();
      must(reason < REASONS.length, 'CV-4', 'why an outcome is withheld');
      return { kind: 'withheld', reason: REASONS[reason]! };
    }
  }
}

/** All sums of an outcome, in order. */
export function sumsOf(outcome: Outcome): bigint[] {
  if (outcome.kind === 'moments' || outcome.kind === 'top') return outcome.moments.sums;
  return outcome.kind === 'histogram' ? outcome.parts.flatMap(({ sums }) => sums) : [];
}

/** A leaf with its path. */
export interface Shown {
  leaf: Leaf;
  path: Path;
}

/** For each key of the region a rank, and the leaves beside the cut that are shown. */
export interface Cut {
  ranks: number[];
  lower: (Shown | undefined)[];
  upper: (Shown | undefined)[];
}

function readRanks(reader: Reader, keys: KeyRoot[]): number[] {
  return keys.map(({ root }) => {
    const rank = readRows(reader);
    must(rank <= root.rows, 'CV-2', 'a rank over the rows of its key');
    return rank;
  });
}

function readShown(reader: Reader, width: number, other?: Shown): Shown {
  const leaf = readLeaf(reader, width);
  return { leaf, path: readPath(reader, width, other?.path) };
}

/** The lower leaf at one rank and the upper leaf at another, of each key. */
function readLeaves(reader: Reader, keys: KeyRoot[], width: number, low: number[], high: number[]): Pick<Cut, 'lower' | 'upper'> {
  const lower: (Shown | undefined)[] = [];
  const upper: (Shown | undefined)[] = [];
  keys.forEach(({ root }, i) => {
    lower[i] = low[i]! > 0 ? readShown(reader, width) : undefined;
    upper[i] = high[i]! < root.rows ? readShown(reader, width, lower[i]) : undefined;
  });
  return { lower, upper };
}

/** Reads a cut. */
export function readCut(reader: Reader, keys: KeyRoot[], width: number): Cut {
  const ranks = readRanks(reader, keys);
  return { ranks, ...readLeaves(reader, keys, width, ranks, ranks) };
}

/** Reads an order part: a cut of which the lower leaves are shown, and one of which the upper leaves are. */
export function readOrder(reader: Reader, keys: KeyRoot[], width: number): { low: Cut; high: Cut } {
  const low = readRanks(reader, keys);
  const high = readRanks(reader, keys);
  const { lower, upper } = readLeaves(reader, keys, width, low, high);
  const nobody = keys.map(() => undefined);
  return { low: { ranks: low, lower, upper: nobody }, high: { ranks: high, lower: nobody, upper } };
}

/** The proof of an outcome. */
export interface OutcomeProof {
  order: { low: Cut; high: Cut } | undefined;
  cuts: Cut[];
  R: Uint8Array[];
  s: bigint[];
  ranges: Uint8Array[];
}

/** Reads the proof that an outcome has. */
export function readProof(reader: Reader, outcome: Outcome, keys: KeyRoot[], width: number): OutcomeProof {
  const { kind } = outcome;
  const order = kind === 'order' || kind === 'top' ? readOrder(reader, keys, width) : undefined;
  const cuts =
    kind === 'top'
      ? [readCut(reader, keys, width)]
      : kind === 'histogram'
        ? Array.from({ length: reader.count(outcome.parts.length, 'cuts') }, () => readCut(reader, keys, width))
        : [];
  const sums = sumsOf(outcome).length;
  const R = Array.from({ length: sums }, () => reader.take(32));
  const s = Array.from({ length: sums }, () => readScalar(reader));
  const hasRanges = order !== undefined || kind === 'histogram' || kind === 'rounded';
  const ranges = hasRanges
    ? Array.from({ length: reader.count(MAX_RANGES, 'range proofs') }, () => reader.bytesOf(MAX_RANGE, 'a range proof'))
    : [];
  return { order, cuts, R, s, ranges };
}
