import type { Json } from './json.js';
import type { Pool } from './pool.js';
import type { CastBallot, Check, Progress } from './verdict.js';
import { verifyCeremony } from './ceremony/claim.js';
import { verifyElection } from './election/claim.js';
import { verifySnarkProof } from './snark/claim.js';
import { verifyInquiry } from './trace/inquiry.js';
import { verifyAbsence, verifyLookup } from './table/row.js';
import { verifyAnswer } from './table/answer.js';
import { verifyAudit } from './table/audit.js';
import { verifyVerdict } from './vole/verdict.js';
import { verifyEvidence } from './table/evidence.js';
import { verifyAuditPart } from './table/part.js';
import { verifyQuestion, verifyQuestions } from './table/questions.js';
import { verifyErased, verifyRecords, verifySuccessor } from './table/records.js';

/** The objects of a claim, by role. */
export type Objects = Record<string, Uint8Array[]>;

/** Least and greatest number of objects in a role, and the most bytes of one where the kind's chapter gives a limit. */
export type Arity = [least: number, most: number, bytes?: number];

/** What the objects of a claim bear out. */
export interface Found {
  statement: Json;
  checks: Check[];
  premises: string[];
  /** Premises of other claims that this one shows. */
  shows?: string[];
  /** Ballots that were accepted, for those who look for their own. */
  ballots?: CastBallot[];
}

/** How claims of some versions of a kind are checked. */
export interface Kind {
  versions: number[];
  roles: Record<string, Arity>;
  verify(objects: Objects, pool: Pool, progress: Progress, statement: Json): Promise<Found>;
}

const one: Arity = [1, 1];
const optional: Arity = [0, 1];
const some: Arity = [1, Infinity];
const any: Arity = [0, Infinity];
const within = (bytes: number, [least, most]: Arity): Arity => [least, most, bytes];
const log = within(2 ** 31, one);
const ceremony = {
  parameters: within(2 ** 32, optional),
  circuit: within(2 ** 30, optional),
  phase1: within(2 ** 32, optional),
  record: within(2 ** 26, optional),
};
const proven = { key: within(2 ** 24, one), proof: within(2 ** 12, some), circuit: within(2 ** 30, optional) };
const answered = { checkpoint: one, genesis: one, proof: one, rotations: any };

/** Kinds that are checked; of all others the verdict says that they are not. */
export const kinds: Record<string, Kind[]> = {
  election: [
    { versions: [1], roles: { board: some }, verify: verifyElection(false) },
    { versions: [2], roles: { board: some, log }, verify: verifyElection(false) },
    { versions: [3], roles: { board: some, log }, verify: verifyElection(true) },
  ],
  'election-trace': [
    { versions: [2], roles: { board: some, answer: some }, verify: verifyInquiry },
    { versions: [3], roles: { board: some, log, answer: some }, verify: verifyInquiry },
  ],
  'table-lookup': [{ versions: [1], roles: answered, verify: verifyLookup }],
  'table-absence': [{ versions: [1], roles: answered, verify: verifyAbsence }],
  'table-answer': [{ versions: [1], roles: answered, verify: verifyAnswer }],
  'table-audit': [{ versions: [1], roles: { audit: one, genesis: one, header: one }, verify: verifyAudit }],
  'table-audit-part': [{ versions: [1], roles: { genesis: one, header: one, part: one }, verify: verifyAuditPart }],
  'table-evidence': [{ versions: [1], roles: { evidence: one, genesis: one }, verify: verifyEvidence }],
  'table-records': [{ versions: [1], roles: { genesis: one, header: one, records: one }, verify: verifyRecords }],
  'table-erased': [{ versions: [1], roles: answered, verify: verifyErased }],
  'table-question': [{ versions: [1], roles: answered, verify: verifyQuestion }],
  'table-questions': [{ versions: [1], roles: answered, verify: verifyQuestions }],
  'table-successor': [{ versions: [1], roles: { ...answered, successor: one }, verify: verifySuccessor }],
  'vole-verdict': [{ versions: [2], roles: { circuit: one, public: one, signature: one }, verify: verifyVerdict }],
  ceremony: [{ versions: [1], roles: ceremony, verify: verifyCeremony }],
  'snark-proof': [{ versions: [1], roles: proven, verify: verifySnarkProof }],
};
