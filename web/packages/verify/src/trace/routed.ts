import { hex, join, text } from '../bytes.js';
import { checkPartial, combinePoints, type Partial } from '../election/decryption.js';
import { totals } from '../election/work.js';
import { Equations, type Place } from '../equations.js';
import { G, ZERO } from '../group.js';
import { must } from '../refusal.js';
import { addLists, placeColumns, type Columns, type Passage, type Permutation, type Placed } from '../shuffle.js';
import { agreedOn, checkAgreement, checkShare, readAnswerRecord, shareContext, type AnswerRecord, type Due } from './answer.js';
import { addBlinding, blindedSums, valueBase, type Sum } from './blinding.js';
import { checkQuery, partsOf, type Query, type Question, type Request } from './query.js';
import type { KeySet } from '../election/keygen.js';
import type { Pool } from '../pool.js';
import type { Progress } from '../verdict.js';

/** A mix whose rows can be asked about, and who answers. */
export interface Traced {
  /** `S`, and the digest `X` of the mix. */
  session: Uint8Array;
  mixed: Uint8Array;
  study: Uint8Array;
  mix: string;
  rows: number;
  keys: KeySet;
  threshold: number;
  /** Whom lists pass, in the order of the mix. */
  routers: { key: Uint8Array; permutation: Permutation }[];
  /** Who opens, each with its numbers as a server and as a trustee. */
  openers: { key: Uint8Array; server: number; trustee: number }[];
  /** Keys of all who sign. */
  signers: Uint8Array[];
  /** A name of each output's value, the same for the same one, and the encodings of the value's points. */
  names: string[];
  valueOf: (row: number) => Uint8Array;
}

/** A question of a query, and where it stands. */
interface Asked extends Question {
  /** The number of its list. */
  list: number;
  request: Request;
}

/** What is opened: a row, or all rows of a class as a sum. */
type Opening = { row: number } | { rows: number[]; sum: number };

/** Answers to one question: yes or no for each row that was asked about. */
export interface Answered extends Question {
  answers: Map<number, boolean>;
}

/** What a record bears out. */
export interface Answers {
  query: Query;
  request: Request;
  questions: Answered[];
  turns: number;
  sums: number;
  shares: number;
}

const [ONE, NONE] = [G.toBytes(), ZERO.toBytes()];

/** Outputs by their values; classes are numbered by first occurrence. */
class Classes {
  readonly of: number[] = [];
  readonly members: number[][] = [];

  constructor(names: string[]) {
    const numbers = new Map<string, number>();
    names.forEach((name, row) => {
      const number = numbers.get(name) ?? this.members.push([]) - 1;
      numbers.set(name, number);
      this.of.push(number);
      this.members[number]!.push(row);
    });
  }

  /** The classes that rows meet, by ascending number. */
  meet(rows: number[]): number[][] {
    return [...new Set(rows.map((row) => this.of[row]!))].sort((a, b) => a - b).map((number) => this.members[number]!);
  }
}

/** Verifies the record of an answer: `TR-7` to `TR-12`. */
export async function verifyAnswerRecord(bytes: Uint8Array, traced: Traced, pool: Pool, progress: Progress): Promise<Answers> {
  const record = readAnswerRecord(bytes);
  const { query, blindings, shares } = record;
  checkQuery(query, traced.session, traced.rows);
  const request = query.requests[record.request];
  must(request !== undefined, 'TR-11', 'there is no such request');
  const asked = query.requests.flatMap((request) => request.questions.map((question) => ({ ...question, request }))).map((one, list): Asked => ({ ...one, list }));
  const classes = new Classes(traced.names);
  const openings = openingsOf(asked, classes);

  const equations = new Equations();
  const last = addTurns(equations, record, asked, traced, classes);
  const sums = await sumsOf(query, openings, last, traced, pool);
  must(blindings.length === traced.routers.length, 'TR-9', 'not one blinding of each server');
  blindings.forEach((blinding, i) => addBlinding(equations, blinding.sums, sums, { session: traced.session, query: query.id, server: i + 1 }));
  await equations.verify(pool, progress);
  const blinded = blindedSums(blindings.map((blinding) => blinding.sums), sums);

  const agreed = agreedOn(record, traced.session, traced.mixed);
  checkAgreement(record.agreement, traced.signers, agreed);

  const own = asked.filter((one) => one.request === request);
  const cipher = own.flatMap(({ list }) =>
    openings[list]!.map((opening) => ('sum' in opening ? blinded[opening.sum]! : { c1: rowOf(last[list]![0], opening.row), c2: rowOf(last[list]![1], opening.row) })),
  );
  const found = await open(record, traced, { query: query.id, agreed, request: record.request }, cipher, pool);
  let at = 0;
  const questions = own.map((one): Answered => ({ ...one, answers: answersTo(openings[one.list]!, () => found[at++]!) }));
  return { query, request, questions, turns: record.turns.length, sums: sums.length, shares: shares.length };
}

const rowOf = (points: Uint8Array, row: number): Uint8Array => points.subarray(32 * row, 32 * row + 32);

/** `TR-8`; gives the last lists. */
function addTurns(equations: Equations, { query, turns }: AnswerRecord, asked: Asked[], traced: Traced, classes: Classes): Columns {
  const { routers, rows, keys, mixed, study, mix } = traced;
  const isForward = query.requests[0]!.direction === 'out';
  const purpose = partsOf('trace/purpose', text('query'), mixed, query.id);
  must(turns.length === routers.length, 'TR-8', 'not one turn of each server');
  const pass = isForward ? routers : [...routers].reverse();
  let taken = firstLists(equations, asked, rows, classes);
  turns.forEach((turn, i) => {
    must(turn.rows === rows && turn.columns.length === asked.length, 'TR-8', `turn ${i + 1} has lists of another shape`);
    const where = `turn ${i + 1}`;
    const given = { columns: turn.columns, places: placeColumns(equations, turn.columns, where, 'claim') };
    const passage: Passage = { key: keys.pk.toBytes(), study, mix, position: i + 1, purpose, direction: isForward ? 'F' : 'B', where };
    const [input, output] = isForward ? [taken, given] : [given, taken];
    addLists(equations, passage, pass[i]!.permutation, turn.proof, input, output);
    taken = given;
  });
  return taken.columns;
}

/** The rows that a question marks. */
function marked({ inputs, outputs, request: { direction, by } }: Asked, classes: Classes): number[] {
  if (direction === 'out') return inputs;
  return by === 'position' ? outputs : classes.meet(outputs).flat();
}

/** The lists `D_0`, which everybody computes: `(0, G)` in marked rows, `(0, 0)` in all others. */
function firstLists(equations: Equations, asked: Asked[], rows: number, classes: Classes): Placed {
  const [one, none] = [equations.generator(), equations.encoded(NONE, 'the neutral element')];
  const first = new Uint8Array(32 * rows);
  const placed = asked.map((question): [columns: Columns[number], places: Placed['places'][number]] => {
    const second = new Uint8Array(32 * rows);
    const places: Place[] = new Array<Place>(rows).fill(none);
    for (const row of marked(question, classes)) {
      second.set(ONE, 32 * row);
      places[row] = one;
    }
    return [[first, second], [new Array<Place>(rows).fill(none), places]];
  });
  return { columns: placed.map(([columns]) => columns), places: placed.map(([, places]) => places) };
}

/** What is opened of each question; sums are numbered over the whole query. */
function openingsOf(asked: Asked[], classes: Classes): Opening[][] {
  let sums = 0;
  return asked.map(({ inputs, outputs, request: { direction, by } }): Opening[] => {
    if (direction === 'in') return inputs.map((row) => ({ row }));
    if (by === 'position') return outputs.map((row) => ({ row }));
    return classes.meet(outputs).map((rows) => (rows.length === 1 ? { row: rows[0]! } : { rows, sum: sums++ }));
  });
}

/** The sums of a query, each of the last list's ciphertexts over a class. */
async function sumsOf(query: Query, openings: Opening[][], last: Columns, { valueOf }: Traced, pool: Pool): Promise<Sum[]> {
  const due = openings.flatMap((list, number) => list.flatMap((opening) => ('sum' in opening ? [{ ...opening, number }] : [])));
  const lists = due.flatMap(({ rows, number }) => last[number]!.map((points) => join(rows.map((row) => rowOf(points, row)))));
  const added = await totals(lists, pool);
  return due.map(({ rows, number }, i) => ({ c1: added[2 * i]!, c2: added[2 * i + 1]!, H: valueBase(query.id, number, valueOf(rows[0]!)) }));
}

/** `TR-11`: what the openings of a request hold, by the shares of as many as the threshold. */
async function open({ shares }: AnswerRecord, traced: Traced, about: Omit<Due, 'key' | 'trustee'>, cipher: { c1: Uint8Array; c2: Uint8Array }[], pool: Pool): Promise<Uint8Array[]> {
  const [first, second] = [join(cipher.map(({ c1 }) => c1)), join(cipher.map(({ c2 }) => c2))];
  const partials = new Map<number, Partial>();
  for (const share of shares) {
    const opener = traced.openers.find(({ server }) => server === share.server);
    must(opener !== undefined, 'TR-11', `server ${share.server} has no share`);
    const due = { ...about, ...opener };
    checkShare(share, due);
    await checkPartial(share.partial, first, traced.keys, shareContext(traced.session, due), pool);
    partials.set(opener.trustee, share.partial);
  }
  must(partials.size >= traced.threshold, 'TR-11', 'too few shares');
  return combinePoints([...partials.values()].slice(0, traced.threshold), second, pool);
}

/** `TR-12`. */
function answersTo(openings: Opening[], next: () => Uint8Array): Map<number, boolean> {
  const answers = new Map<number, boolean>();
  for (const opening of openings) {
    const name = hex(next());
    const isNone = name === hex(NONE);
    if ('sum' in opening) for (const row of opening.rows) answers.set(row, !isNone);
    else {
      must(isNone || name === hex(ONE), 'TR-12', `row ${opening.row} opens to neither yes nor no`);
      answers.set(opening.row, !isNone);
    }
  }
  return answers;
}
