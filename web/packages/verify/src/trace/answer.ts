import { concat, equal, le64, openFile, text, type Reader } from '../bytes.js';
import { readPartialFrom, type Partial } from '../election/decryption.js';
import { isGenuine, isGenuineIn } from '../ed25519.js';
import { must } from '../refusal.js';
import { readColumns, readListProof, readSize, type Columns, type ListProof } from '../shuffle.js';
import { readBlinded, type Blinded } from './blinding.js';
import { partsOf, readQuery, type Query } from './query.js';

const MAX_SERVERS = 255;
const MAX_SUMS = 2 ** 24;
const SHARE = 'subrosa/trace/share/v1';

/** Lists that passed a server, with the proof that they moved by its permutation. */
export interface ListTurn {
  rows: number;
  columns: Columns;
  proof: ListProof;
  bytes: Uint8Array;
}

/** What a server made of every sum. */
export interface Blinding {
  sums: Blinded[];
  bytes: Uint8Array;
}

/** A server's part in opening what a request asks for. */
export interface Share {
  server: number;
  query: Uint8Array;
  agreed: Uint8Array;
  request: number;
  partial: Partial;
  bytes: Uint8Array;
  signature: Uint8Array;
}

/** The record of an answer. */
export interface AnswerRecord {
  query: Query;
  turns: ListTurn[];
  blindings: Blinding[];
  agreement: Uint8Array[];
  request: number;
  shares: Share[];
}

function readTurn(reader: Reader): ListTurn {
  const start = reader.position;
  const [rows, width] = readSize(reader);
  const columns = readColumns(reader, rows, width);
  const proof = readListProof(reader, rows, width);
  return { rows, columns, proof, bytes: reader.since(start) };
}

function readBlinding(reader: Reader): Blinding {
  const start = reader.position;
  const count = reader.count(MAX_SUMS, 'sums');
  const sums: Blinded[] = [];
  while (sums.length < count) sums.push(readBlinded(reader));
  return { sums, bytes: reader.since(start) };
}

function readShare(reader: Reader): Share {
  const start = reader.position;
  const [server, query, agreed, request] = [reader.u16(), reader.take(32), reader.take(32), reader.u32()];
  const partial = readPartialFrom(reader);
  return { server, query, agreed, request, partial, bytes: reader.since(start), signature: reader.take(64) };
}

const listOf = <T>(reader: Reader, what: string, read: (reader: Reader) => T): T[] =>
  Array.from({ length: reader.count(MAX_SERVERS, what) }, () => read(reader));

/** Reads the record of an answer; points of lists are decoded when their equations are checked. */
export function readAnswerRecord(bytes: Uint8Array): AnswerRecord {
  const reader = openFile(bytes, 'trc-answ', 2);
  const record = {
    query: readQuery(reader),
    turns: listOf(reader, 'turns', readTurn),
    blindings: listOf(reader, 'blindings', readBlinding),
    agreement: Array.from({ length: reader.limited(reader.u16(), MAX_SERVERS, 'signatures') }, () => reader.take(64)),
    request: reader.u32(),
    shares: listOf(reader, 'shares', readShare),
  };
  reader.end();
  return record;
}

/** What all servers sign: everything that was said before any share. */
export const agreedOn = ({ query, turns, blindings }: AnswerRecord, session: Uint8Array, mixed: Uint8Array): Uint8Array =>
  partsOf('trace/agreed', session, mixed, query.bytes, ...turns.map(({ bytes }) => bytes), ...blindings.map(({ bytes }) => bytes));

/** `TR-10`: all servers signed what was said. */
export function checkAgreement(signatures: Uint8Array[], servers: Uint8Array[], agreed: Uint8Array): void {
  must(signatures.length === servers.length, 'TR-10', 'not one signature of each server');
  const message = concat(text('subrosa/trace/agreement/query/v1'), agreed);
  servers.forEach((key, i) => must(isGenuine(key, message, signatures[i]!), 'TR-10', `the signature of server ${i + 1} is not its own`));
}

/** What a share has to be about, and whose. */
export interface Due {
  key: Uint8Array;
  trustee: number;
  query: Uint8Array;
  agreed: Uint8Array;
  request: number;
}

/** `TR-11`, but for the decryption. */
export function checkShare({ server, query, agreed, request, partial, bytes, signature }: Share, due: Due): void {
  must(equal(query, due.query) && equal(agreed, due.agreed) && request === due.request, 'TR-11', `the share of server ${server} is about something else`);
  must(partial.trustee === due.trustee, 'TR-11', `the share of server ${server} is another trustee's`);
  must(isGenuineIn(SHARE, due.key, bytes, signature), 'TR-11', `the share of server ${server} is not signed by it`);
}

/** What decryptions of a request's openings are bound to. */
export const shareContext = (session: Uint8Array, { query, agreed, request }: Omit<Due, 'key' | 'trustee'>): Uint8Array =>
  concat(text('trace/share'), session, query, agreed, le64(request));
