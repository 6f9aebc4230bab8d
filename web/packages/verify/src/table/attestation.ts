import { compare, concat, equal, hex, le32, type Reader } from '../bytes.js';
import { isGenuineIn } from '../ed25519.js';
import { must } from '../refusal.js';
import type { Genesis } from './genesis.js';

const MAX_PARTS = 4096;

/** Keys from the first one on, to below the last; without a last one all that follow. */
export interface Range {
  first: Uint8Array;
  beyond: Uint8Array | undefined;
}

/** A range, and the hash of what was seen in it. */
export interface HashedRange extends Range {
  hash: Uint8Array;
}

/** What an auditor vouches for: a whole epoch, a range of its keys, or its users over ranges that make up all keys. */
export type Scope = { kind: 'whole' } | { kind: 'range'; range: HashedRange } | { kind: 'parts'; parts: HashedRange[] };

/** An auditor's word about an epoch. */
export interface Attestation {
  auditor: Uint8Array;
  epoch: number;
  scope: Scope;
}

/** Reads a range. */
export function readRange(reader: Reader): Range {
  const first = reader.bytesOf(128, 'a key');
  const tag = reader.u8();
  must(tag <= 1, 'CV-4', 'the end of a range');
  return { first, beyond: tag === 0 ? undefined : reader.bytesOf(128, 'a key') };
}

const readHashed = (reader: Reader): HashedRange => ({ ...readRange(reader), hash: reader.take(32) });

const encodeKey = (key: Uint8Array): Uint8Array => concat(le32(key.length), key);

/** The encoding of a range. */
export const encodeRange = ({ first, beyond }: Range): Uint8Array =>
  beyond === undefined ? concat(encodeKey(first), Uint8Array.of(0)) : concat(encodeKey(first), Uint8Array.of(1), encodeKey(beyond));

const encodeHashed = (range: HashedRange): Uint8Array => concat(encodeRange(range), range.hash);

/** The encoding of a scope. */
export function encodeScope(scope: Scope): Uint8Array {
  if (scope.kind === 'whole') return Uint8Array.of(0);
  if (scope.kind === 'range') return concat(Uint8Array.of(1), encodeHashed(scope.range));
  return concat(Uint8Array.of(2), le32(scope.parts.length), ...scope.parts.map(encodeHashed));
}

function readScope(reader: Reader): Scope {
  const tag = reader.u8();
  must(tag <= 2, 'CV-4', `a scope of kind ${tag}`);
  if (tag === 0) return { kind: 'whole' };
  if (tag === 1) return { kind: 'range', range: readHashed(reader) };
  const count = reader.count(MAX_PARTS, 'parts');
  return { kind: 'parts', parts: Array.from({ length: count }, () => readHashed(reader)) };
}

/** Reads an attestation, and checks `TA-21`: it is genuine, and about an epoch of the answer. */
export function readAttestation(reader: Reader, genesis: Genesis, digests: Map<number, Uint8Array>): Attestation {
  const auditor = reader.take(32);
  const epoch = reader.u32();
  const digest = reader.take(32);
  const start = reader.position;
  const scope = readScope(reader);
  const signed = concat(genesis.name, le32(epoch), digest, reader.since(start));
  const signature = reader.take(64);
  const expected = digests.get(epoch);
  must(expected !== undefined && equal(expected, digest), 'TA-21', `an attestation of another epoch than the answer's`);
  must(isGenuineIn('subrosa/table/attestation', auditor, signed, signature), 'TA-21', 'the signature of an attestation');
  return { auditor, epoch, scope };
}

const isSame = (a: HashedRange, b: HashedRange): boolean =>
  equal(a.first, b.first) &&
  equal(a.hash, b.hash) &&
  (a.beyond === undefined ? b.beyond === undefined : b.beyond !== undefined && equal(a.beyond, b.beyond));

/** Whether ranges make up all keys. */
export function isAll(ranges: Range[]): boolean {
  const [first] = ranges;
  if (first === undefined || first.first.length > 0 || ranges.at(-1)!.beyond !== undefined) return false;
  return ranges.every((range, i) => {
    const before = ranges[i - 1]?.beyond;
    if (i === 0) return true;
    return before !== undefined && equal(before, range.first) && compare(ranges[i - 1]!.first, range.first) < 0;
  });
}

/** Whether these words vouch for an epoch. */
function vouch(words: Attestation[]): boolean {
  if (words.some(({ scope }) => scope.kind === 'whole')) return true;
  const ranges = words.flatMap(({ scope }) => (scope.kind === 'range' ? [scope.range] : []));
  return words.some(
    ({ scope }) =>
      scope.kind === 'parts' && isAll(scope.parts) && scope.parts.every((part) => ranges.some((range) => isSame(part, range))),
  );
}

export type Assurance = 'audited' | 'audited in parts, each by one of the auditors' | 'committed, not audited';

/** What auditors' words about these epochs amount to. */
export function assurance(genesis: Genesis, epochs: number[], words: Attestation[]): Assurance {
  const auditors = new Set(genesis.auditors.map(hex));
  if (auditors.size === 0) return 'committed, not audited';
  const known = words.filter(({ auditor }) => auditors.has(hex(auditor)));
  const of = (epoch: number, auditor?: string): Attestation[] =>
    known.filter((word) => word.epoch === epoch && (auditor === undefined || hex(word.auditor) === auditor));
  const byAll = (epoch: number): boolean => [...auditors].every((auditor) => vouch(of(epoch, auditor)));
  if (epochs.every(byAll)) return 'audited';
  const together = (epoch: number): boolean => vouch(of(epoch).filter(({ scope }) => scope.kind !== 'whole'));
  if (epochs.every((epoch) => byAll(epoch) || together(epoch))) return 'audited in parts, each by one of the auditors';
  return 'committed, not audited';
}
