import { equal, Reader } from '../bytes.js';
import { object } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import { GrowingTree } from '../log/growing.js';
import { asPartOf, must } from '../refusal.js';
import type { Genesis } from './genesis.js';
import { checkRecords, epochDigest, inclusionRoot, readHeader, readRecords, type Log } from './log.js';
import { aboutLog, checkLoggedRecords, onlyRecord, readHashes, readLoggedRecords, recordChecks, TAG } from './records.js';
import { logChecks, openLog } from './row.js';

const MAX_QUESTION = 2 ** 16;
const MAX_ASKER = 2 ** 8;
const MAX_REFUSAL = 2 ** 6;
const MAX_ENTRY = MAX_QUESTION + MAX_ASKER + MAX_REFUSAL + 24;
const MAX_EPOCHS = 2 ** 20;
const MAX_QUESTIONS = 2 ** 22;
const DAY = 86_400n;

/** An entry of the log of queries. */
interface Entry {
  bytes: Uint8Array;
  /** Seconds since 1970. */
  time: bigint;
  question: string;
  asker: string | null;
  answers: number;
  refused: string | null;
}

/** Reads an entry, which has one spelling. */
function readEntry(reader: Reader): Entry {
  const bytes = reader.bytesOf(MAX_ENTRY, 'an entry');
  const inner = new Reader(bytes);
  const time = inner.u64();
  const question = inner.text(MAX_QUESTION, 'a question');
  const plain = { bytes, time, question, answers: 1, refused: null };
  if (inner.left === 0) return { ...plain, asker: null };
  const asker = inner.text(MAX_ASKER, 'an asker');
  if (inner.left === 0) return { ...plain, asker };
  const answers = inner.u32();
  const refused = inner.text(MAX_REFUSAL, 'a refusal');
  inner.end();
  must(answers !== 1 || refused !== '', 'CV-4', 'an entry in another spelling');
  return { bytes, time, question, asker: asker || null, answers, refused: refused || null };
}

/** A claim that a question is in the log of queries. */
export function verifyQuestion(objects: Objects): Promise<Found> {
  const log = openLog(objects);
  const reader = new Reader(objects['proof']![0]!);
  const recorded = readLoggedRecords(reader, log);
  const count = reader.u64();
  const number = reader.u64();
  const entry = readEntry(reader);
  const proof = readHashes(reader);
  reader.end();

  asPartOf('TB-22', /^TB-(4|20)$/, () => checkLoggedRecords(recorded, log));
  const root = onlyRecord(recorded, TAG.questions, 'TB-22');
  must(number < count, 'TB-22', 'the question is past the end of the list');
  const led = inclusionRoot(entry.bytes, number, count, proof);
  must(led !== undefined && equal(led, root), 'TB-22', 'the question is not in the list');
  return Promise.resolve({
    statement: object({
      ...aboutLog(log),
      recorded_by: BigInt(recorded.epoch.header.epoch),
      time: entry.time,
      question: entry.question,
      asker: entry.asker,
      answers: BigInt(entry.answers),
      refused: entry.refused,
    }),
    checks: [...recordChecks(log), { check: 'TB-22', count: 1, what: 'question in the list that the epoch records' }],
    premises: [],
  });
}

/** `TB-23`, 1 to 3, of epochs that `reader` is in front of, and of the questions behind them. */
function readQuestions(reader: Reader, log: Log): { epochs: number; entries: Entry[] } {
  const { genesis, checkpoint } = log;
  const epochs = Array.from({ length: reader.count(MAX_EPOCHS, 'epochs') }, () => {
    const header = readHeader(reader, genesis);
    return { header, records: readRecords(reader), questions: reader.u64() };
  });
  const entries = Array.from({ length: reader.count(MAX_QUESTIONS, 'questions') }, () => readEntry(reader));
  reader.end();

  const [digests, asked] = [new GrowingTree(), new GrowingTree()];
  epochs.forEach(({ header, records, questions }, i) => {
    must(header.epoch === genesis.firstEpoch + i, 'TB-23', 'an epoch is missing');
    digests.push(epochDigest(genesis, header));
    checkRecords(records, header, 'TB-20');
    must(questions >= asked.size && questions <= entries.length, 'TB-23', 'the number of questions falls, or is past the list');
    while (BigInt(asked.size) < questions) asked.push(entries[asked.size]!.bytes);
    const roots = records.filter((record) => record[0] === TAG.questions);
    const isRecorded = roots.length === 1 && equal(roots[0]!.subarray(1), asked.root());
    must(isRecorded || (roots.length === 0 && questions === 0n), 'TB-23', `epoch ${header.epoch} records other questions`);
  });
  const isWhole = BigInt(digests.size) === checkpoint.size && equal(digests.root(), checkpoint.root);
  must(isWhole, 'TB-23', 'these are not all epochs of the log');
  must(asked.size === entries.length, 'TB-23', 'questions that no epoch records');
  return { epochs: epochs.length, entries };
}

/** The most answers in a day, `(t - DAY, t]` for any `t`. */
function mostInADay(entries: Entry[]): number {
  const given = [...entries].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  let [most, within, oldest] = [0, 0, 0];
  for (const { time, answers } of given) {
    within += answers;
    for (; given[oldest]!.time + DAY <= time; oldest++) within -= given[oldest]!.answers;
    most = Math.max(most, within);
  }
  return most;
}

/** `TB-23`, 4. */
function checkBudgets({ policy }: Genesis, entries: Entry[]): void {
  const { maxPerDay = Infinity, maxPerAsker = Infinity } = policy;
  must(mostInADay(entries) <= maxPerDay, 'TB-23', 'more answers in a day than the policy allows');
  const byAsker = new Map<string | null, Entry[]>();
  for (const entry of entries) {
    const own = byAsker.get(entry.asker);
    if (own === undefined) byAsker.set(entry.asker, [entry]);
    else own.push(entry);
  }
  const isKept = [...byAsker.values()].every((own) => mostInADay(own) <= maxPerAsker);
  must(isKept, 'TB-23', 'more answers for an asker in a day than the policy allows');
}

/** A claim about all questions, and that budgets were kept. */
export function verifyQuestions(objects: Objects): Promise<Found> {
  const log = openLog(objects);
  const { epochs, entries } = asPartOf('TB-23', /^TB-(4|20)$/, () => readQuestions(new Reader(objects['proof']![0]!), log));
  checkBudgets(log.genesis, entries);
  const { maxPerDay, maxPerAsker } = log.genesis.policy;
  const budget = (most: number | undefined): bigint | null => (most === undefined ? null : BigInt(most));
  return Promise.resolve({
    statement: object({
      ...aboutLog(log),
      questions: BigInt(entries.length),
      answers: entries.reduce((sum, { answers }) => sum + BigInt(answers), 0n),
      refused: BigInt(entries.filter(({ refused }) => refused !== null).length),
      max_queries_per_day: budget(maxPerDay),
      max_queries_per_asker: budget(maxPerAsker),
      budgets_kept: true,
    }),
    checks: [
      ...logChecks(log),
      { check: 'TB-20', count: epochs, what: 'epochs, all of the log, with all their records' },
      { check: 'TB-23', count: entries.length, what: 'questions, within the budgets of each day' },
    ],
    premises: [],
  });
}
