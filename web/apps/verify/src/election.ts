import type { Json } from 'subrosa-verify';

const member = (value: Json | undefined, name: string): Json | undefined => (value instanceof Map ? value.get(name) : undefined);
const items = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const word = (value: Json | undefined): string => (typeof value === 'string' ? value : String(value ?? '?'));

const RULES: Record<string, string> = {
  plurality: 'most first preferences',
  irv: 'instant runoff',
  borda: 'Borda’s count',
  schulze: 'Schulze’s method',
  'ranked-pairs': 'ranked pairs',
  'scottish-stv': 'the single transferable vote (Scottish rules)',
  'meek-stv': 'the single transferable vote (Meek’s rules)',
  approval: 'approval',
  'at-large': 'votes at large',
  score: 'score',
  star: 'STAR',
  'majority-judgment': 'majority judgment',
};

/** Candidates, by number, whom a count elects. */
function winners(rule: string, count: Json | undefined): Json[] {
  switch (rule) {
    case 'irv': {
      const elected = member(member(items(member(count, 'rounds')).at(-1), 'outcome'), 'elected');
      return elected === undefined ? [] : [member(elected, 'candidate')!];
    }
    case 'plurality':
    case 'star':
      return items([member(count, 'winner') ?? null]).filter((c) => c !== null);
    case 'schulze':
    case 'ranked-pairs':
      return items(member(count, 'order')).slice(0, 1);
    case 'majority-judgment':
      return items(member(count, 'order')).slice(0, 1).map((first) => member(first, 'candidate')!);
    case 'score':
      return items(member(member(count, 'totals'), 'elected'));
    default:
      return items(member(count, 'elected'));
  }
}

/** One question's result. */
export interface Result {
  question: string;
  elected: string[];
  rule: string;
}

/** Who is elected, question by question, by the rule that decides. */
export function results(statement: Json): Result[] {
  const tally = member(statement, 'tally');
  const result = (about: Json, rule: string, count: Json | undefined): Result => ({
    question: word(member(about, 'question')),
    elected: winners(rule, count).map((c) => word(items(member(about, 'candidates'))[Number(c)])),
    rule: RULES[rule] ?? rule,
  });
  const questions = member(statement, 'questions');
  if (Array.isArray(questions)) {
    return questions.map((about, i) => {
      const rule = word(member(about, 'decides'));
      const counts = items(member(items(member(tally, 'questions'))[i], 'counts'));
      return result(about, rule, counts.find((count) => member(count, 'rule') === rule));
    });
  }
  const rule = member(tally, 'irv') === null ? 'plurality' : 'irv';
  return [result(statement, rule, member(tally, rule))];
}

const several = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

/** What an election's claim says, in a sentence or two. */
export function electionInWords(statement: Json): string {
  const at = (name: string): string => word(member(statement, name));
  const refused = at('refused') === '0' ? '' : ` (${at('refused')} more were refused)`;
  const mixers = several(items(member(statement, 'mixed_by')).length, 'mixer');
  const trustees = several(items(member(statement, 'decrypted_by')).length, 'trustee');
  const faults = items(member(statement, 'faults')).length;
  const noted = faults === 0 ? '' : ` ${several(faults, 'fault')} of its parties stand${faults === 1 ? 's' : ''} in the statement below.`;
  return `“${at('title')}”: ${several(Number(at('accepted')), 'ballot')} of ${several(Number(at('registered')), 'voter')} on the roll${refused}, mixed by ${mixers}, opened by ${trustees}.${noted}${logInWords(member(statement, 'log'))}`;
}

/** Where the board stands, if on a log: what a reader compares with what witnesses saw. */
function logInWords(log: Json | undefined): string {
  if (log === undefined) return '';
  const at = (name: string): string => word(member(log, name));
  const key = at('key').split('+')[0]!;
  return ` The board is on the log “${key.length > 32 ? `${key.slice(0, 26)}…` : key}”, whose keeper signed ${at('size')} leaves with the root ${at('root').slice(0, 12)}…: compare that with what its witnesses saw.`;
}
