import { Reader } from '../bytes.js';
import { readKey } from '../ed25519.js';
import { must } from '../refusal.js';
import type { Voter } from './ballots.js';

const MAX_VOTERS = 1_000_000;
const MAX_TALLY = 2 ** 20;
const MAX_FAULTS = 2 ** 24;

/** Roles, by their bytes. */
export const ROLES = ['operator', 'station', 'trustee', 'mixer'] as const;
/** What somebody is in an election. */
export type Role = (typeof ROLES)[number];

/** Somebody who has a part in an election. */
export interface Party {
  role: Role;
  /** From 1. */
  number: number;
}

/** Who is absent, in version 1. */
export function readAbsent(payload: Uint8Array): Party {
  const reader = new Reader(payload);
  const role = ROLES[reader.u8()];
  must(role !== undefined, 'CV-4', 'an unknown role');
  const number = reader.u16();
  reader.end();
  return { role, number };
}

/** The voters on the roll. */
export function readRoll(payload: Uint8Array, hasClasses: boolean): Voter[] {
  const reader = new Reader(payload);
  const voters = Array.from({ length: reader.count(MAX_VOTERS, 'voters') }, (): Voter => {
    const name = reader.text(200, "a voter's name");
    must(name !== '' && !/\p{Cc}/u.test(name), 'EL-5', 'a name is empty or has control characters');
    return { name, key: readKey(reader), class: hasClasses ? reader.u8() : 0 };
  });
  reader.end();
  must(!hasClasses || voters.length > 0, 'EL-16', 'there is no voter');
  return voters;
}

/** The tally and the faults that an outcome lists. */
export function readOutcome(payload: Uint8Array): { tally: Uint8Array; faults: bigint[] } {
  const reader = new Reader(payload);
  const tally = reader.bytesOf(MAX_TALLY, 'the tally');
  const count = reader.count(MAX_FAULTS, 'faults');
  must(reader.left === 8 * count, 'CV-1', 'the list of faults is cut, or longer');
  return { tally, faults: Array.from({ length: count }, () => reader.u64()) };
}
