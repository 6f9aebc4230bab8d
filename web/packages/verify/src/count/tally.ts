import { isBlank, REASONS, type Answer, type Reason } from '../election/answers.js';
import { saysAsFirst, type Description, type Question, type Rule } from '../election/description.js';
import type { Json, JsonObject } from '../json.js';
import { members, type Count, type Counted } from './count.js';
import { atLarge, borda, plurality, score } from './adding.js';
import { rankedPairs, schulze } from './pairs.js';
import { runoff } from './runoff.js';
import { meek } from './meek.js';
import { scottish } from './scottish.js';
import { majorityJudgment, star } from './grades.js';

/** An opened ballot of a class. */
export interface Opened {
  class: number;
  answers: Answer[];
}

/** A weight as tallies write it. */
export const weightText = ([a, b]: [number, number]): string => (b === 1 ? `${a}` : `${a}/${b}`);

const COUNTS: Record<Rule, (count: Count) => JsonObject> = {
  plurality,
  irv: runoff,
  borda,
  schulze,
  'ranked-pairs': rankedPairs,
  'scottish-stv': scottish,
  'meek-stv': meek,
  approval: atLarge,
  'at-large': atLarge,
  score,
  star,
  'majority-judgment': majorityJudgment,
};

function spoiledOf(reasons: Reason[]): Json {
  const found = REASONS.map((reason) => ({ reason, ballots: BigInt(reasons.filter((own) => own === reason).length) }));
  return found.filter(({ ballots }) => ballots > 0n).map((one) => members(one));
}

const reasonsOf = (opened: Opened[], question: number): Reason[] =>
  opened.flatMap(({ answers }) => {
    const answer = answers[question]!;
    return 'spoiled' in answer ? [answer.spoiled] : [];
  });

/** Equal ballots together, in the order in which they first come. */
function countOf({ candidates, seats, answered }: Question, opened: Opened[], index: number, votes: (of: Opened) => bigint): Count {
  const ballots = new Map<string, Counted>();
  for (const ballot of opened) {
    const answer = ballot.answers[index]!;
    if ('spoiled' in answer) continue;
    const [picked, graded] = 'picked' in answer ? [answer.picked, []] : [[], answer.graded];
    const name = 'picked' in answer ? picked.join() : graded.join();
    const same = ballots.get(name);
    if (same === undefined) ballots.set(name, { picked, graded, votes: votes(ballot) });
    else same.votes += votes(ballot);
  }
  return { candidates: candidates.length, seats, best: answered.most, ballots: [...ballots.values()] };
}

/** The tally of opened ballots; `accepted` ballots of each class, and the classes that were opened. */
export function tallyOf(description: Description, opened: Opened[], accepted: number[], streams: number[]): Json {
  const { questions, classes } = description;
  const isPlain = saysAsFirst(description);
  const votes = ({ class: place }: Opened): bigint => classes[place]?.votes ?? 1n;
  const isWhollyBlank = ({ answers }: Opened): boolean => answers.every(isBlank);
  const blankAbout = (i: number): bigint => BigInt(opened.filter(({ answers }) => isBlank(answers[i]!)).length);
  const counts = questions.map((question, i) => countOf(question, opened, i, votes));
  const byRule = (rule: Rule): Json => (isPlain && questions[0]!.rules.includes(rule) ? COUNTS[rule](counts[0]!) : null);
  const noBallots = opened.filter(({ answers }) => answers.every((answer) => 'spoiled' in answer && answer.spoiled === 'wrong_length'));
  return members({
    ballots: BigInt(opened.length),
    blank: BigInt(opened.filter(isWhollyBlank).length),
    spoiled: isPlain ? spoiledOf(reasonsOf(opened, 0)) : spoiledOf(noBallots.map(() => 'wrong_length')),
    plurality: byRule('plurality'),
    irv: byRule('irv'),
    ...(isPlain
      ? {}
      : {
          questions: questions.map(({ rules }, i) =>
            members({
              blank: blankAbout(i),
              spoiled: spoiledOf(reasonsOf(opened, i)),
              counts: rules.map((rule) => new Map([['rule', rule as Json], ...COUNTS[rule](counts[i]!)])),
            }),
          ),
        }),
    ...(classes.length === 0
      ? {}
      : {
          classes: classes.map(({ weight, votes }, i) =>
            members({
              weight: weightText(weight),
              votes,
              ballots: BigInt(accepted[i]!),
              opened: streams.includes(i),
              blank: BigInt(opened.filter((ballot) => ballot.class === i && isWhollyBlank(ballot)).length),
            }),
          ),
        }),
  });
}

