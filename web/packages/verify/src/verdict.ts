import type { Json } from './json.js';

/** Something that was checked, how many times, by the name of its check. */
export interface Check {
  check: string;
  count: number;
  what: string;
}

/** What a person sees while a verifier works: jobs done, of how many. */
export type Progress = (done: number, all: number) => void;

/** A ballot that was accepted, by its tracking code, beside the voter's name. */
export interface CastBallot {
  code: string;
  voter: string;
  /** Whether it was opened: ballots of a class with too few stay sealed. */
  opened: boolean;
}

/** What was found about one claim. */
export interface ClaimVerdict {
  claim: string;
  kind: string;
  version: number;
  statement: Json;
  /** Whether it holds. */
  status: 'holds' | 'false' | 'not checked';
  checks: Check[];
  /** What it rests on and no bundle shows. */
  premises: string[];
  /** Premises of other claims that it shows. */
  shows: string[];
  /** Of an election that holds: the ballots that were accepted. */
  ballots?: CastBallot[];
  /** Why it is false, or was not checked. */
  why?: { check?: string; what: string };
}

/** What was found about a bundle. */
export interface BundleVerdict {
  /** The digest of the bundle. */
  bundle: string;
  files: number;
  claims: ClaimVerdict[];
}
