import { hex } from '../bytes.js';
import { object, type Json } from '../json.js';
import { must, Refusal } from '../refusal.js';
import { weightText } from '../count/tally.js';
import { readBoard, type Board } from './board.js';
import { DatedElection } from './dated.js';
import { decides, saysAsFirst } from './description.js';
import { readOutcome } from './messages.js';
import type { Election, Fault } from './election.js';
import { readLoggedBoard } from './logged.js';
import { setUp } from './setup.js';
import type { Kind, Objects } from '../kinds.js';
import type { Pool } from '../pool.js';
import type { Check, Progress } from '../verdict.js';

/** An election that its board tells, to the end, and what is stated of the board's log. */
export interface Replayed {
  board: Board;
  election: Election;
  log: Json | undefined;
  /** The digest of the last entry. */
  outcome: Uint8Array;
}

/** Replays that claims about the same objects share, by the first of them. */
const replays = new WeakMap<Uint8Array, { files: Uint8Array[]; outcome: Promise<Replayed> }>();

/** The election of a claim's board, replayed once for all claims of a bundle: `EL-14`. */
export function replayed({ board, log = [] }: Objects, pool: Pool, progress: Progress): Promise<Replayed> {
  const files = [...board!, ...log];
  const known = replays.get(files[0]!);
  if (known !== undefined && known.files.length === files.length && known.files.every((file, i) => file === files[i])) return known.outcome;
  const outcome = replay(board!, log[0], pool, progress);
  replays.set(files[0]!, { files, outcome });
  return outcome;
}

async function replay(files: Uint8Array[], record: Uint8Array | undefined, pool: Pool, progress: Progress): Promise<Replayed> {
  const logged = record === undefined ? undefined : await readLoggedBoard(files, record, pool);
  const board = logged ?? (await readBoard(files, pool));
  const election = setUp(board, pool, progress);
  for (const entry of board.entries.slice(1)) await election.take(entry);
  mustEnd(election, board);
  return { board, election, log: logged?.log, outcome: board.entries.at(-1)!.digest };
}

/** What was checked of a board by itself. */
export const explained = ({ board: { entries }, log }: Replayed): Check[] => [
  log === undefined
    ? { check: 'BD-1, BD-2', count: entries.length, what: 'entries in one chain, signed by their authors' }
    : { check: 'BD-3 to BD-5', count: entries.length, what: 'entries in one log, none left out, signed by their authors' },
];

/** A claim `election`, about an election of version 2 or not: `EL-14`. */
export const verifyElection =
  (isDated: boolean): Kind['verify'] =>
  async (objects, pool, progress, statement) => {
    const board = await replayed(objects, pool, progress);
    const { election, log } = board;
    must(election instanceof DatedElection === isDated, 'EL-26', 'the claim is about elections of another version');
    const { accepted, description, mixedBy, decryptedBy } = election;
    const opened = new Set(election.streams.map((stream) => stream.class));
    return {
      statement: statementOf(election, statement, log),
      premises: [],
      ballots: accepted.map(({ voter, code }) => ({ code, voter: voter.name, opened: opened.has(voter.class) })),
      checks: [
        ...explained(board),
        { check: 'EL-6, TH-2 to TH-4', count: description.trustees, what: 'trustees who made the keys together' },
        { check: isDated ? 'EL-9, VO-1 to VO-3, TH-5, TH-6' : 'EL-9, TH-5, TH-6', count: accepted.length, what: 'ballots of voters on the roll, each with its proof' },
        ...(election instanceof DatedElection ? [{ check: 'EL-10, EL-23', count: election.certifiers, what: 'parties that signed the closing of the polls' }] : []),
        { check: 'EL-11, TW-6 to TW-12', count: mixedBy.length, what: 'mixes proven to keep every ballot' },
        { check: 'EL-12, TH-7', count: decryptedBy.length, what: 'decryptions proven right' },
        { check: 'EL-13', count: 1, what: 'tally, equal to what the opened ballots give' },
      ],
    };
  };

/** `EL-14`; a board that does not end with an outcome that holds is refused by the first fault that its last entry hides. */
function mustEnd({ phase, faults }: Election, { entries }: Board): void {
  const last = entries.at(-1)!;
  const isWhole = phase === 'end' && faults.every(({ entry }) => entry < last.place);
  if (isWhole) return;
  const listed = listedFaults(last);
  const hidden = faults.find(({ entry }) => !listed.has(entry));
  must(hidden !== undefined, 'EL-14', 'the board does not end with an outcome that holds');
  throw new Refusal(hidden.check, `entry ${hidden.entry}: ${hidden.what}`);
}

function listedFaults({ kind, payload }: Board['entries'][number]): Set<number> {
  try {
    return new Set(kind === 'election/outcome' ? readOutcome(payload).faults.map(Number) : []);
  } catch (error) {
    if (error instanceof Refusal) return new Set();
    throw error;
  }
}

/** What a fault's text says before and behind its reason, for which every program has its own words. */
function faultText({ entry, phase, party, what }: Fault, claimed: Json | undefined): string {
  const who = party === undefined ? '' : ` ${party.role}${party.role === 'operator' ? '' : ` ${party.number}`}:`;
  const [before, behind] = [`${phase}:${who} `, ` (entry ${entry})`];
  const isSame = typeof claimed === 'string' && claimed.length > before.length + behind.length && claimed.startsWith(before) && claimed.endsWith(behind);
  return isSame ? claimed : `${before}${what}${behind}`;
}

const integers = (list: number[]): Json => list.map(BigInt);

/** The statement that an election bears out. */
function statementOf(election: Election, claimed: Json, log: Json | undefined): Json {
  const { description, faults, roll, accepted } = election;
  const { questions } = description;
  const said = claimed instanceof Map ? claimed.get('faults') : undefined;
  const questionsOf: Record<string, Json> =
    saysAsFirst(description)
      ? { question: questions[0]!.question, candidates: questions[0]!.candidates }
      : {
          questions: questions.map((question) =>
            object({ question: question.question, candidates: question.candidates, seats: BigInt(question.seats), decides: decides(question) }),
          ),
        };
  const opened = new Set(election.streams.map((stream) => stream.class));
  const classes = description.classes.map(({ name, weight, minBallots }, i) =>
    object({
      name,
      weight: weightText(weight),
      min_ballots: BigInt(minBallots),
      registered: BigInt(roll.filter((voter) => voter.class === i).length),
      ballots: BigInt(accepted.filter(({ voter }) => voter.class === i).length),
      opened: opened.has(i),
    }),
  );
  return object({
    election: hex(election.name),
    title: description.title,
    threshold: BigInt(description.threshold),
    ...questionsOf,
    ...(classes.length > 0 ? { classes } : {}),
    registered: BigInt(roll.length),
    accepted: BigInt(accepted.length),
    refused: BigInt(election.refused),
    mixed_by: integers(election.mixedBy),
    decrypted_by: integers(election.decryptedBy),
    faults: faults.map((fault, i) => faultText(fault, Array.isArray(said) ? said[i] : undefined)),
    tally: sortedMembers(election.tally),
    ...(election instanceof DatedElection ? { course: election.course } : {}),
    ...(log === undefined ? {} : { log }),
  });
}

/** The same value with the members of all objects sorted. */
function sortedMembers(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortedMembers);
  if (!(value instanceof Map)) return value;
  return object(Object.fromEntries([...value].map(([name, item]) => [name, sortedMembers(item)])));
}
