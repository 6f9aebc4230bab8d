import type { Json } from 'subrosa-verify';

const member = (value: Json | undefined, name: string): Json | undefined => (value instanceof Map ? value.get(name) : undefined);
const items = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const word = (value: Json | undefined): string => (typeof value === 'string' ? value : String(value ?? '?'));

/** What was found out about one question. */
export interface Reply {
  /** The question as its querier put it. */
  title: string;
  /** What it is about, by the board. */
  about: string;
  said: string;
}

function aboutOf(topic: Json | undefined): string {
  const [district, candidate] = [member(topic, 'district'), member(topic, 'candidate')];
  const at = (name: string): string => word(member(district, name));
  const ballots = district instanceof Map ? `the ballots of “${at('name')}”, from ${at('first')} to ${at('last')} on the roll` : 'the ballots';
  const results = typeof candidate === 'string' ? `the results that rank ${candidate} first` : 'all results';
  return member(topic, 'direction') === 'in' ? `For each of ${ballots}: is it among ${results}?` : `For each of ${results}: did one of ${ballots} say just this?`;
}

function saidOf(answer: Json): string {
  const [asked, yes, no] = ['asked', 'yes', 'no'].map((name) => word(member(answer, name))) as [string, string, string];
  if (no === '0') return asked === '1' ? 'Yes, for the one' : `Yes, for all ${asked}`;
  return `Yes for ${yes} of ${asked}, no for ${no}`;
}

/** The questions of a claim, each with its answer. */
export const replies = (statement: Json): Reply[] =>
  items(member(statement, 'answers')).map((answer) => {
    const topic = member(answer, 'topic');
    return { title: word(member(topic, 'title')), about: aboutOf(topic), said: saidOf(answer) };
  });

const several = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

/** What answers about an election say, in a sentence or two. */
export function inquiryInWords(statement: Json): string {
  const count = (name: string): number => items(member(statement, name)).length;
  const questions = several(count('answers'), 'question');
  return `${questions} about the mix of ${word(member(statement, 'ballots'))} ballots, answered after the count by its ${several(count('routed_by'), 'mixer')} and ${several(count('decrypted_by'), 'trustee')}. The method is “${word(member(statement, 'engine'))}”: ${word(member(statement, 'notice'))}.`;
}
