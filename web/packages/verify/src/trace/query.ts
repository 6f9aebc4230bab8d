import { concat, equal, hex, le64, type Reader } from '../bytes.js';
import { digest } from '../digest.js';
import { isGenuineIn, readKey } from '../ed25519.js';
import { decodePoint, ZERO } from '../group.js';
import { must } from '../refusal.js';

const MAX_REQUESTS = 16;
const MAX_QUESTIONS = 16;
const MAX_ROWS = 2 ** 24;
const REQUEST = 'subrosa/trace/request/v1';

/** Rows of inputs and of outputs, from 0, ascending. */
export interface Question {
  inputs: number[];
  outputs: number[];
}

/** What one querier asks. */
export interface Request {
  session: Uint8Array;
  direction: 'in' | 'out';
  by: 'value' | 'position';
  questions: Question[];
  querier: Uint8Array;
  nonce: Uint8Array;
  bytes: Uint8Array;
  signature: Uint8Array;
}

/** What is asked at once, and the digest that names it. */
export interface Query {
  requests: Request[];
  bytes: Uint8Array;
  id: Uint8Array;
}

/** The digest in a domain of parts, each with its length in front. */
export const partsOf = (domain: string, ...parts: Uint8Array[]): Uint8Array =>
  digest(domain, concat(...parts.flatMap((part) => [le64(part.length), part])));

function readRows(reader: Reader): number[] {
  const count = reader.count(MAX_ROWS, 'rows');
  must(reader.left >= 4 * count, 'CV-1', 'the list of rows is cut');
  const rows = Array.from({ length: count }, () => reader.u32());
  must(rows.every((row, i) => i === 0 || row > rows[i - 1]!), 'CV-4', 'rows are not ascending');
  return rows;
}

function readRequest(reader: Reader): Request {
  const start = reader.position;
  const session = reader.take(32);
  const [direction, by] = [(['in', 'out'] as const)[reader.u8()], (['value', 'position'] as const)[reader.u8()]];
  must(direction !== undefined && by !== undefined, 'CV-4', 'another way, or another manner, of asking');
  const questions = Array.from({ length: reader.count(MAX_QUESTIONS, 'questions') }, () => ({ inputs: readRows(reader), outputs: readRows(reader) }));
  must(!decodePoint(reader.take(32)).equals(ZERO), 'CV-6', "the querier's key is neutral");
  const querier = readKey(reader);
  const nonce = reader.take(32);
  return { session, direction, by, questions, querier, nonce, bytes: reader.since(start), signature: reader.take(64) };
}

/** Reads a query. */
export function readQuery(reader: Reader): Query {
  const start = reader.position;
  const requests = Array.from({ length: reader.count(MAX_REQUESTS, 'requests') }, () => readRequest(reader));
  const bytes = reader.since(start);
  return { requests, bytes, id: digest('subrosa/trace/query/v1', bytes) };
}

/** `TR-7`, about a session of so many rows. */
export function checkQuery({ requests }: Query, session: Uint8Array, rows: number): void {
  const [first] = requests;
  must(first !== undefined, 'TR-7', 'there is no request');
  must(requests.every(({ direction }) => direction === first.direction), 'TR-7', 'requests go both ways');
  must(new Set(requests.map(({ nonce }) => hex(nonce))).size === requests.length, 'TR-7', 'a nonce is there twice');
  const sizes = requests.map(({ questions }) => questions.length);
  must(sizes.every((size) => size > 0) && sizes.reduce((sum, size) => sum + size) <= MAX_QUESTIONS, 'TR-7', 'a request without questions, or too many');
  for (const { session: about, questions, querier, bytes, signature } of requests) {
    must(equal(about, session), 'TR-7', 'a request about another session');
    must(questions.every(({ inputs, outputs }) => [inputs, outputs].every((set) => (set.at(-1) ?? -1) < rows)), 'TR-7', 'a row that is not there');
    must(isGenuineIn(REQUEST, querier, bytes, signature), 'TR-7', "a request is not signed by its querier");
  }
}
