import type { Json, JsonObject } from '../json.js';

/** Equal answers that are not spoiled, and how many votes they are. */
export interface Counted {
  picked: number[];
  graded: (number | undefined)[];
  votes: bigint;
}

/** What a rule counts: ballots about one question. */
export interface Count {
  candidates: number;
  seats: number;
  /** The best grade. */
  best: number;
  ballots: Counted[];
}

/** Members in this order. */
export const members = (entries: Record<string, Json>): JsonObject => new Map(Object.entries(entries));

/** Candidates from the first. */
export const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** A list of votes, of some candidates. */
export const votesOf = (candidates: number[], votes: bigint[]): Json =>
  candidates.map((candidate) => members({ candidate: BigInt(candidate), ballots: votes[candidate]! }));

/** A list of candidates. */
export const list = (candidates: number[]): Json => candidates.map(BigInt);

/** A tie that the order of candidates decided. */
export const tieByOrder = (candidates: number[]): Json => members({ candidates: list(candidates), decided_by: 'candidate_order' });

/** Ballots that rank, choose or grade somebody. */
export const notBlank = ({ ballots }: Count): Counted[] =>
  ballots.filter(({ picked, graded }) => picked.length > 0 || graded.some((grade) => grade !== undefined));
