import { concat, hex } from '../bytes.js';
import { explained, replayed, type Replayed } from '../election/claim.js';
import { digest } from '../digest.js';
import { object, type Json, type JsonObject } from '../json.js';
import { writeLizard } from '../lizard.js';
import { asPartOf, must, within } from '../refusal.js';
import { verifyAnswerRecord, type Answers, type Traced } from './routed.js';
import type { Election, OpenedRow } from '../election/election.js';
import type { Role } from '../election/messages.js';
import type { Kind } from '../kinds.js';

/** The standing of the engine's security, as the program says it. */
const NOTICE = 'our construction, no published proof yet';

/** A stretch of the roll. */
interface District {
  name: string;
  first: string;
  last: string;
}

/** What an answer says that it is about. */
interface Topic {
  direction: 'in' | 'out';
  district: District | undefined;
  candidate: string | undefined;
  json: Json;
}

/** A claim `election-trace`: `TR-13`, and `EL-14` of its board. */
export const verifyInquiry: Kind['verify'] = async (objects, pool, progress, statement) => {
  const board = await replayed(objects, pool, progress);
  const { election } = board;
  const traced = tracedOf(board);
  const records = objects['answer']!;
  const topics = readTopics(statement, records.length);
  const verified: Answers[] = [];
  for (const [i, record] of records.entries()) {
    const answer = await asPartOf('TR-13', /^(CV|TR|TW|TH)-/, () => verifyAnswerRecord(record, traced, pool, progress));
    within(`answer ${i}`, () => checkTopic(answer, topics[i]!, election));
    verified.push(answer);
  }
  const answers = verified.map(({ query, request, questions }, i): Json => {
    const said = [...questions[0]!.answers.values()];
    const yes = said.filter((one) => one).length;
    return object({ topic: topics[i]!.json, query: hex(query.id), querier: hex(request.querier), asked: BigInt(said.length), yes: BigInt(yes), no: BigInt(said.length - yes) });
  });
  const count = (of: (answer: Answers) => number): number => verified.reduce((sum, answer) => sum + of(answer), 0);
  return {
    statement: object({
      election: hex(election.name),
      outcome: hex(traced.mixed),
      engine: 'routed',
      notice: NOTICE,
      ballots: BigInt(traced.rows),
      routed_by: election.mixedBy.map(BigInt),
      decrypted_by: election.decryptedBy.map(BigInt),
      answers,
      ...(board.log === undefined ? {} : { log: board.log }),
    }),
    premises: [],
    checks: [
      ...explained(board),
      { check: 'EL-14', count: 1, what: 'election on the board, up to its outcome' },
      { check: 'TR-13, TR-7', count: verified.length, what: 'answers, whose requests are about the rows of their topics' },
      { check: 'TR-8, TW-11, TW-12', count: count(({ turns }) => turns), what: 'turns of marked lists, by the permutations of the mixes' },
      { check: 'TR-9', count: count(({ sums }) => sums), what: 'sums of equal results, blinded by every mixer' },
      { check: 'TR-10', count: verified.length * traced.signers.length, what: 'signatures of what was said before any share' },
      { check: 'TR-11, TR-12, TH-7', count: count(({ shares }) => shares), what: 'shares of answers' },
    ].filter(({ count }) => count > 0),
  };
};

/** The election's mix as questions see it; `TR-13` if there is none. */
function tracedOf({ election, outcome }: Replayed): Traced {
  const [stream] = election.streams;
  must(election.description.classes.length === 0 && stream !== undefined, 'TR-13', 'classes of voters have mixes of their own');
  must(stream.permutations.length === election.mixedBy.length && election.rows.length > 0, 'TR-13', 'nobody voted');
  const keyOf = (role: Role, number: number): Uint8Array => {
    const [key] = [...election.parties].find(([, party]) => party.role === role && party.number === number)!;
    return Uint8Array.from(key.match(/../g)!, (digits) => parseInt(digits, 16));
  };
  const routers = stream.permutations.map((permutation) => ({ key: keyOf('mixer', permutation.mixer), permutation }));
  const openers = election.decryptedBy.map((trustee, i) => ({ key: keyOf('trustee', trustee), server: routers.length + i + 1, trustee }));
  return {
    session: digest('subrosa/inquiry/v1', outcome),
    mixed: outcome,
    study: election.context,
    mix: stream.mix,
    rows: election.rows.length,
    keys: election.keys!,
    threshold: election.description.threshold,
    routers,
    openers,
    signers: [...routers, ...openers].map(({ key }) => key),
    names: election.rows.map(({ cells }) => cells.map((cell) => ('message' in cell ? hex(cell.message) : hex(cell.point))).join(' ')),
    valueOf: (row) => pointsOf(election.rows[row]!),
  };
}

/** The points that a row opened to. */
const pointsOf = ({ cells }: OpenedRow): Uint8Array => concat(...cells.map((cell) => ('message' in cell ? writeLizard(cell.message).toBytes() : cell.point)));

/** The topics that the statement names, one for each record. */
function readTopics(statement: Json, records: number): Topic[] {
  const stated = statement instanceof Map ? statement.get('answers') : undefined;
  must(Array.isArray(stated) && stated.length === records && records > 0, 'TR-13', 'not one record for every answer');
  return stated.map((answer) => readTopic(answer instanceof Map ? answer.get('topic') : undefined));
}

/** The texts of an object that has these members, and no others that are not optional. */
function textsOf(value: Json | undefined, names: string[]): value is JsonObject {
  return value instanceof Map && value.size === names.length && names.every((name) => typeof value.get(name) === 'string');
}

function readTopic(json: Json | undefined): Topic {
  must(json instanceof Map, 'TR-13', 'an answer without a topic');
  const { district = null, candidate = null, title, direction, ...others } = Object.fromEntries(json);
  must(Object.keys(others).length === 0 && typeof title === 'string', 'TR-13', 'a topic of another form');
  must(direction === 'in' || direction === 'out', 'TR-13', 'a topic that goes neither in nor out');
  must(candidate === null || typeof candidate === 'string', 'TR-13', 'a candidate who has no name');
  must(district === null || textsOf(district, ['name', 'first', 'last']), 'TR-13', 'a district of another form');
  const stretch = district === null ? undefined : (Object.fromEntries(district) as unknown as District);
  return { direction, district: stretch, candidate: candidate ?? undefined, json: object({ title, direction, district, candidate }) };
}

const all = (rows: number): number[] => Array.from({ length: rows }, (_, i) => i);

/** The rows that a topic is about: everybody computes the same from the board. */
function rowsOf({ direction, district, candidate }: Topic, election: Election): { inputs: number[]; outputs: number[] } {
  must(direction === 'out' || candidate === undefined, 'TR-13', 'it would tell how voters voted');
  must(direction === 'in' || district === undefined, 'TR-13', 'it would tell how a district voted');
  const every = all(election.rows.length);
  return {
    inputs: district === undefined ? every : inDistrict(district, election),
    outputs: candidate === undefined ? every : every.filter((row) => firstOf(election.rows[row]!) === numberOf(candidate, election)),
  };
}

/** Rows of the ballots of a stretch of the roll, both ends included. */
function inDistrict({ first, last }: District, { roll, accepted }: Election): number[] {
  const places = new Map(roll.map((voter, place) => [voter, place]));
  const [from, to] = [first, last].map((name) => roll.findIndex((voter) => voter.name === name)) as [number, number];
  must(from >= 0 && to >= 0, 'TR-13', 'a voter who is not on the roll');
  return all(accepted.length).filter((row) => {
    const place = places.get(accepted[row]!.voter)!;
    return place >= from && place <= to;
  });
}

/** The place of a candidate of the first question, where voters rank. */
function numberOf(candidate: string, { description }: Election): number {
  const [question] = description.questions;
  const number = question!.answered.kind === 'rankings' ? question!.candidates.indexOf(candidate) : -1;
  must(number >= 0, 'TR-13', 'no such candidate');
  return number;
}

/** The candidate whom a row ranks first in the first question. */
const firstOf = ({ answers: [answer] }: OpenedRow): number | undefined => (answer !== undefined && 'picked' in answer ? answer.picked[0] : undefined);

const isSame = (one: number[], other: number[]): boolean => one.length === other.length && one.every((row, i) => row === other[i]);

/** The request is about the rows of its topic, by value, and about nothing else. */
function checkTopic({ request, questions }: Answers, topic: Topic, election: Election): void {
  const due = rowsOf(topic, election);
  must(due.inputs.length > 0 && due.outputs.length > 0, 'TR-13', 'there are no such ballots or results');
  must(request.direction === topic.direction && request.by === 'value', 'TR-13', 'it was asked another way');
  const [question] = questions;
  must(questions.length === 1 && isSame(question!.inputs, due.inputs) && isSame(question!.outputs, due.outputs), 'TR-13', 'it was asked about other ballots or results');
}
