import { must } from '../refusal.js';
import { openFile, Reader, fileKind, integer } from '../bytes.js';
import { hex } from '../bytes.js';

/** Rules by their numbers, from 1. */
export const RULES = [
  ...(['plurality', 'irv', 'borda', 'schulze', 'ranked-pairs', 'scottish-stv', 'meek-stv'] as const),
  ...(['approval', 'at-large', 'score', 'star', 'majority-judgment'] as const),
];
export type Rule = (typeof RULES)[number];

const SEVERAL_SEATS: Rule[] = ['borda', 'scottish-stv', 'meek-stv', 'approval', 'at-large', 'score'];
const ANSWERED_BY: Record<Answered['kind'], Rule[]> = {
  rankings: RULES.slice(0, 7),
  choices: RULES.slice(7, 9),
  grades: RULES.slice(9),
};
const CELL = 16;
const CELL_TFLSZ = 2;
const MAX_CELLS = 16;

/** How a question is answered, with the most ranks or choices, or the best grade. */
export interface Answered {
  kind: 'rankings' | 'choices' | 'grades';
  most: number;
  grades: string[];
}

export interface Question {
  question: string;
  candidates: string[];
  seats: number;
  answered: Answered;
  rules: Rule[];
}

/** A class of voters. */
export interface VoterClass {
  name: string;
  weight: [numerator: number, denominator: number];
  minBallots: number;
  /** What a ballot counts. */
  votes: bigint;
}

/** When polls are open, how long a party may be silent, and how many sign a closing. */
export interface Schedule {
  /** Seconds since 1970. */
  opens: bigint;
  closes: bigint;
  /** Seconds. */
  patience: bigint;
  quorum: number;
}

export interface Description {
  version: number;
  title: string;
  questions: Question[];
  trustees: number;
  threshold: number;
  mixers: number;
  minMixers: number;
  /** The digest of tFLSZ's parameters, if that is the shuffle. */
  parameters: string | undefined;
  classes: VoterClass[];
  /** Only of an election of version 2. */
  schedule: Schedule | undefined;
  notes: string;
  link: string;
}

/** Bytes of a question's answer. */
export function answerLength({ answered, candidates }: Question): number {
  if (answered.kind === 'rankings') return answered.most;
  return answered.kind === 'choices' ? Math.ceil(candidates.length / 8) : candidates.length;
}

/** Cells of a ballot. */
export const cells = ({ questions, parameters }: Description): number =>
  Math.ceil(questions.reduce((sum, question) => sum + answerLength(question), 0) / (parameters === undefined ? CELL : CELL_TFLSZ));

/** The rule that decides a question. */
export const decides = ({ rules }: Question): Rule => rules.find((rule) => rule !== 'plurality') ?? 'plurality';

function readQuestion(reader: Reader, version: number): Question {
  const question = reader.text(1000, 'the question');
  const texts = (count: number): string[] => Array.from({ length: count }, () => reader.text(120, 'a name'));
  const candidates = texts(reader.count(64, 'candidates'));
  must(candidates.length >= 1, 'CV-2', 'a question without candidates');
  const [seats, tag] = version >= 3 ? [reader.u8(), reader.u8()] : [1, 1];
  const kind = (['rankings', 'choices', 'grades'] as const)[tag - 1];
  must(kind !== undefined, 'CV-4', 'an unknown kind of ballot');
  const most = reader.u8();
  const grades = kind === 'grades' ? texts(reader.count(256, 'names of grades')) : [];
  const rules = Array.from({ length: reader.count(12, 'rules') }, () => {
    const rule = RULES[reader.u8() - 1];
    must(rule !== undefined, 'CV-4', 'an unknown rule');
    return rule;
  });
  must(rules.length >= 1, 'CV-2', 'a question without rules');
  return { question, candidates, seats, answered: { kind, most, grades }, rules };
}

function readShuffle(reader: Reader, version: number): string | undefined {
  if (version === 1) return undefined;
  const tag = reader.u8();
  must(tag === 2 || (tag === 1 && version >= 3), 'CV-4', 'an unknown shuffle');
  return tag === 2 ? hex(reader.take(32)) : undefined;
}

function readClasses(reader: Reader, least: number): VoterClass[] {
  const count = reader.count(32, 'classes');
  must(count >= least, 'CV-2', 'no class');
  return Array.from({ length: count }, () => {
    const name = reader.text(120, "a class's name");
    const weight: [number, number] = [reader.u32(), reader.u32()];
    return { name, weight, minBallots: reader.u32(), votes: 0n };
  });
}

const readSchedule = (reader: Reader): Schedule => ({
  opens: reader.u64(),
  closes: reader.u64(),
  patience: BigInt(reader.u32()),
  quorum: reader.u16(),
});

/** Reads a description, and checks `EL-1` and `EL-15`. */
export function readDescription(reader: Reader): Description {
  const header = reader.take(18);
  const version = Number(integer(header.subarray(16)));
  must(fileKind(header) === 'election' && version >= 1 && version <= 5, 'CV-5', 'not a description of an election, version 1 to 5');
  openFile(header, 'election', version).end();
  const title = reader.text(200, 'the title');
  const count = version >= 3 ? reader.count(16, 'questions') : 1;
  must(count >= 1, 'CV-2', 'no question');
  const questions = Array.from({ length: count }, () => readQuestion(reader, version));
  const [trustees, threshold, mixers, minMixers] = [reader.u16(), reader.u16(), reader.u16(), reader.u16()];
  const parameters = readShuffle(reader, version);
  const classes = version >= 4 ? readClasses(reader, version === 4 ? 1 : 0) : [];
  const schedule = version === 5 ? readSchedule(reader) : undefined;
  const notes = reader.text(4000, 'the notes');
  const link = reader.text(500, 'the link');
  const description = { version, title, questions, trustees, threshold, mixers, minMixers, parameters, classes, schedule, notes, link };
  check(description);
  if (classes.length > 0) weigh(classes);
  return description;
}

const INVISIBLE = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
const isLine = (s: string): boolean => !INVISIBLE.test(s) && /^\P{White_Space}+(\p{White_Space}\P{White_Space}+)*$/u.test(s);
const differ = (names: string[]): boolean => new Set(names.map((name) => name.toLowerCase())).size === names.length;

function check(about: Description): void {
  const need = (condition: boolean, what: string): void => must(condition, 'EL-1', what);
  const { version, questions, parameters, classes, schedule } = about;
  need(about.trustees >= 1 && about.trustees <= 64 && about.threshold >= 1 && about.threshold <= about.trustees, 'the numbers of trustees');
  need(about.mixers >= 1 && about.mixers <= 64 && about.minMixers >= 1 && about.minMixers <= about.mixers, 'the numbers of mixers');
  need(isLine(about.title), 'the title is not a line');
  need(!INVISIBLE.test(about.notes.replaceAll('\n', '')), 'the notes have characters that nobody sees');
  need(about.link === '' || /^https?:\/\/[\x21-\x7e]+$/.test(about.link), 'the link is none');
  need(!/["'<>`]/.test(about.link), 'the link has quotes or brackets');
  questions.forEach((question, i) => checkQuestion(question, (condition, what) => need(condition, `question ${i}: ${what}`)));
  need(questions.reduce((sum, { candidates }) => sum + candidates.length, 0) <= 128, 'more than 128 candidates');
  need(cells(about) <= MAX_CELLS, 'a ballot needs too many cells');
  if (schedule !== undefined) checkSchedule(schedule, about, need);
  const due = schedule !== undefined ? 5 : classes.length > 0 ? 4 : !isSimple(about) ? 3 : parameters === undefined ? 1 : 2;
  need(version === due, `what it says belongs into version ${due}`);
}

/** Whether a description has one question about rankings, for one seat, that version 1 can say. */
function isSimple({ questions: [only, ...more] }: Description): boolean {
  return more.length === 0 && only!.answered.kind === 'rankings' && only!.seats === 1 && only!.rules.every((rule) => rule === 'plurality' || rule === 'irv');
}

/** Whether tally and statement speak of one question, as those of version 1 do. */
export const saysAsFirst = (description: Description): boolean => isSimple(description) && description.classes.length === 0;

const LAST_SECOND = 253_402_300_799n;

function checkSchedule({ opens, closes, patience, quorum }: Schedule, about: Description, need: (condition: boolean, what: string) => void): void {
  const { trustees, threshold, mixers, minMixers } = about;
  need(opens < closes && closes <= LAST_SECOND, 'the times of the polls');
  need(patience >= 1n, 'the patience');
  need(2 * threshold > trustees, 'two halves of the trustees could decrypt');
  need(2 * quorum > trustees + mixers && quorum <= threshold + minMixers, 'the quorum');
}

function checkQuestion({ question, candidates, seats, answered, rules }: Question, need: (condition: boolean, what: string) => void): void {
  const { kind, most, grades } = answered;
  need(isLine(question), 'it is not a line');
  need(candidates.every(isLine) && differ(candidates), 'candidates are not lines, or do not differ');
  need(!candidates.some((name) => name.includes('=')), 'a candidate has `=` in its name');
  need(seats >= 1 && seats <= candidates.length, 'the number of seats');
  need(most >= 1 && most <= (kind === 'grades' ? 100 : candidates.length), 'the most ranks or choices, or the best grade');
  need(grades.length === 0 || grades.length === most + 1, 'the number of names of grades');
  need(grades.every(isLine) && differ(grades), 'names of grades are not lines, or do not differ');
  need(new Set(rules).size === rules.length, 'a rule is there twice');
  need(rules.every((rule) => ANSWERED_BY[kind].includes(rule)), 'a rule counts other ballots');
  const fills = (rule: Rule): boolean => SEVERAL_SEATS.includes(rule) || (rule === 'plurality' && rules.length > 1);
  need(seats === 1 || rules.every(fills), 'a rule fills one seat, where there are several');
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

/** `EL-15`; computes what a ballot of each class counts. */
function weigh(classes: VoterClass[]): void {
  const need = (condition: boolean, what: string): void => must(condition, 'EL-15', what);
  need(classes.every(({ name }) => isLine(name)) && differ(classes.map(({ name }) => name)), 'names of classes are not lines, or do not differ');
  let unit = 1n;
  for (const { weight: [a, b], minBallots } of classes) {
    need(a >= 1 && b >= 1 && gcd(BigInt(a), BigInt(b)) === 1n, 'a weight is not positive and in lowest terms');
    need(minBallots >= 2, '`min_ballots` is below 2');
    unit = (unit / gcd(unit, BigInt(b))) * BigInt(b);
    need(unit < 2n ** 52n, 'the denominators have too large a multiple');
  }
  for (const item of classes) {
    item.votes = (unit / BigInt(item.weight[1])) * BigInt(item.weight[0]);
    need(item.votes <= 2n ** 20n, 'a ballot counts too much');
  }
}
