import { answerLength, type Description, type Question } from './description.js';

/** Why an answer does not count, in the order of tallies. */
export const REASONS = [
  ...(['wrong_length', 'unknown_candidate', 'repeated', 'gap', 'too_many_ranks', 'too_many_choices', 'unknown_grade'] as const),
];
export type Reason = (typeof REASONS)[number];

/** A ranking or a choice of candidates, or a grade for each; or why there is none. */
export type Answer = { picked: number[] } | { graded: (number | undefined)[] } | { spoiled: Reason };

/** Whether nobody is ranked, chosen or graded. */
export const isBlank = (answer: Answer): boolean =>
  'picked' in answer ? answer.picked.length === 0 : 'graded' in answer && answer.graded.every((grade) => grade === undefined);

const spoiled = (reason: Reason): Answer => ({ spoiled: reason });

function ranking(bytes: Uint8Array, most: number, candidates: number): Answer {
  const end = bytes.indexOf(0);
  const picked: number[] = [];
  for (const number of end < 0 ? bytes : bytes.subarray(0, end)) {
    if (picked.length === most) return spoiled('too_many_ranks');
    if (number > candidates) return spoiled('unknown_candidate');
    if (picked.includes(number - 1)) return spoiled('repeated');
    picked.push(number - 1);
  }
  const after = end < 0 ? -1 : bytes.findIndex((b, i) => i > end && b !== 0);
  if (after >= 0) return spoiled(after < most ? 'gap' : 'too_many_ranks');
  return { picked };
}

function choices(bytes: Uint8Array, most: number, candidates: number): Answer {
  const width = Math.ceil(candidates / 8);
  const bits = Array.from({ length: 8 * width }, (_, i) => i).filter((i) => (bytes[i >> 3]! >> (i & 7)) & 1);
  if (bits.some((i) => i >= candidates)) return spoiled('unknown_candidate');
  if (bits.length > most) return spoiled('too_many_choices');
  return bytes.subarray(width).some((b) => b !== 0) ? spoiled('too_many_ranks') : { picked: bits };
}

function grades(bytes: Uint8Array, best: number, candidates: number): Answer {
  const own = bytes.subarray(0, candidates);
  if (own.some((b) => b > best + 1)) return spoiled('unknown_grade');
  if (bytes.subarray(candidates).some((b) => b !== 0)) return spoiled('too_many_ranks');
  return { graded: Array.from(own, (b) => (b === 0 ? undefined : b - 1)) };
}

function answer(bytes: Uint8Array, { answered, candidates }: Question): Answer {
  const read = { rankings: ranking, choices, grades }[answered.kind];
  return read(bytes, answered.most, candidates.length);
}

/** The answers of an opened ballot to all questions; without bytes it is no ballot. */
export function readAnswers(bytes: Uint8Array | undefined, { questions }: Description): Answer[] {
  if (bytes === undefined) return questions.map(() => spoiled('wrong_length'));
  let at = 0;
  return questions.map((question, i) => {
    const start = at;
    at += answerLength(question);
    return answer(bytes.subarray(start, i === questions.length - 1 ? bytes.length : at), question);
  });
}
