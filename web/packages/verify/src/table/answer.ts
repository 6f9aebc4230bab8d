import { hex, join, le64, Reader, text } from '../bytes.js';
import { Equations } from '../equations.js';
import { hashToGroup, invert, multiply, ZERO, type Point } from '../group.js';
import { object, type Json } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import type { Pool } from '../pool.js';
import { asPartOf, must } from '../refusal.js';
import { Transcript } from '../transcript.js';
import type { Progress } from '../verdict.js';
import { assurance, readAttestation } from './attestation.js';
import type { KeyRoot } from './cover.js';
import { decimal, mean, momentsStatement, shown, total } from './decimal.js';
import { greatest, rangeWidth, type Genesis, type Value } from './genesis.js';
import { readOutcome, readProof, sumsOf, type Cut, type Moments, type Outcome, type OutcomeProof, type Reason, type Shown } from './outcome.js';
import { checkPolicy, checkRegion, keysStatement, quantileRank, readQuery, statisticText, treeOf, type Query } from './query.js';
import { readRows } from './region.js';
import { addRangeProof, BLINDING_BASE, statement, VALUE_BASE, type Statement } from './range.js';
import { logChecks, openLog } from './row.js';
import { behind, climb, isSame } from './tree.js';

const MAX_ATTESTATIONS = 65536;
const RANGE_CHUNK = 16;

const VALUES = hashToGroup(text(VALUE_BASE));

/** An answer whose keys are those of its region. */
interface Answer {
  genesis: Genesis;
  query: Query;
  value: Value;
  /** The slots of the column in the leaves of its tree. */
  slots: number[];
  keys: KeyRoot[];
  rows: number;
  /** Why a hierarchy withholds the outcome. */
  withheld: Reason | undefined;
  outcome: Outcome;
  proof: OutcomeProof;
}

/** A claim that an outcome is what a question's rows bear out. */
export async function verifyAnswer(objects: Objects, pool: Pool, progress: Progress): Promise<Found> {
  const log = openLog(objects);
  const { genesis } = log;
  const reader = new Reader(objects['proof']![0]!);
  const query = readQuery(reader);
  checkRegion(genesis, query, log.checkpoint.size);
  checkPolicy(genesis, query);
  const tree = treeOf(genesis, query.column);
  const region = readRows(reader, log, query, tree);
  const { keys, rows, digests } = region;

  const start = reader.position;
  const outcome = readOutcome(reader);
  const encoding = reader.since(start);
  const proof = readProof(reader, outcome, keys, tree.width);
  const words = Array.from({ length: reader.count(MAX_ATTESTATIONS, 'attestations') }, () =>
    readAttestation(reader, genesis, digests),
  );
  reader.end();

  const transcript = new Transcript('subrosa/table/v1/query');
  transcript.absorb('table', genesis.name);
  transcript.number('log size', log.checkpoint.size);
  transcript.absorb('log root', log.checkpoint.root);
  transcript.absorb('query', query.encoding);
  transcript.number('keys', keys.length);
  for (const { epoch, key, record } of keys) {
    transcript.number('epoch', epoch);
    transcript.absorb('key', key);
    transcript.absorb('record', record);
  }
  const cuts = [...(proof.order === undefined ? [] : [proof.order.low, proof.order.high]), ...proof.cuts];
  transcript.number('cuts', cuts.length);
  for (const { ranks } of cuts) transcript.absorb('ranks', join(ranks.map(le64)));
  transcript.absorb('outcome', encoding);

  const value = genesis.values[query.column]!;
  const answer = { genesis, query, value, slots: tree.slots, keys, rows, withheld: region.withheld, outcome, proof };
  const equations = new Equations();
  checkOutcome(equations, transcript, answer);
  checkRows(answer);
  await asPartOf('TA-10', /^(CV-6|TC-5)$/, () => equations.verify(pool, progress));

  const vouched = assurance(genesis, [...digests.keys()], words);
  return {
    statement: object({
      table: hex(genesis.name),
      name: genesis.table,
      log: log.statement(),
      column: value.name,
      unit: value.unit,
      epochs: [BigInt(query.from), BigInt(query.to)],
      keys: keysStatement(genesis, query.boxes),
      digests: [...digests.values()].map(hex),
      rolled_up: region.holder === undefined ? null : BigInt(region.holder),
      statistic: statisticText(query.statistic),
      outcome: outcomeStatement(answer),
      assurance: vouched,
      witnessed: log.witnessed,
    }),
    checks: [
      ...logChecks(log),
      ...region.checks,
      { check: 'TA-9', count: shownLeaves(cuts), what: 'rows shown beside a rank' },
      { check: 'TA-7, TA-8', count: proof.s.length, what: 'sums opened' },
      { check: 'TA-10', count: proof.ranges.length, what: 'range proofs' },
      { check: 'TA-18, TA-19', count: genesis.policy.hierarchy === undefined ? 0 : 1, what: "group of the table's hierarchy, shown or withheld by its rule" },
      { check: 'TA-17', count: 1, what: "outcome, within the table's policy" },
      { check: 'TA-21', count: words.length, what: "auditors' signatures" },
    ].filter(({ count }) => count > 0),
    premises: vouched === 'committed, not audited' ? ['unaudited'] : [],
  };
}

const shownLeaves = (cuts: Cut[]): number =>
  cuts.flatMap(({ lower, upper }) => [...lower, ...upper]).filter((leaf) => leaf !== undefined).length;

/** `TA-7` to `TA-16`: what must hold of the outcome, as equations where points are multiplied. */
function checkOutcome(equations: Equations, transcript: Transcript, answer: Answer): void {
  const { outcome, rows, genesis, query, proof } = answer;
  const { kind } = query.statistic;
  must((outcome.kind === 'withheld' ? outcome.reason : undefined) === answer.withheld, 'TA-19', 'the outcome is withheld, or is not, against the rule of the hierarchy');
  if (outcome.kind === 'withheld') return;
  must((outcome.kind === 'empty') === (rows === 0), 'TA-11', 'an empty outcome is about no rows, and no other is');
  switch (outcome.kind) {
    case 'empty':
      return;
    case 'moments':
      must(kind === 'moments' && genesis.policy.rounding === undefined, 'TA-12', 'not the outcome that was asked for');
      must(outcome.moments.rows === rows, 'TA-12', 'another number of rows');
      checkMoments(answer, outcome.moments);
      addOpenings(equations, transcript, answer, totals(answer));
      return;
    case 'rounded':
      return addRounded(equations, transcript, answer, outcome);
    case 'order': {
      must(kind === 'min' || kind === 'max' || kind === 'quantile', 'TA-14', 'not the outcome that was asked for');
      must(outcome.rows === rows, 'TA-14', 'another number of rows');
      const statements = checkOrder(answer, outcome.value, rankOf(query, rows), 'TA-14');
      addRanges(equations, transcript, statements, rangeWidth(answer.value), proof.ranges);
      return;
    }
    case 'top':
      return addTop(equations, transcript, answer, outcome);
    case 'histogram':
      return addHistogram(equations, transcript, answer, outcome);
  }
}

function rankOf({ statistic }: Query, rows: number): number {
  if ('fraction' in statistic) return quantileRank(rows, statistic.fraction.part, statistic.fraction.whole);
  return statistic.kind === 'min' ? 1 : rows;
}

const sum = (points: Point[]): Point => points.reduce((a, b) => a.add(b), ZERO);

/** `D`: the doubled commitments of all rows, by the column's slots. */
const totals = ({ keys, slots }: Answer): Point[] => slots.map((slot) => sum(keys.map(({ root }) => root.points[slot]!.point)));

/** `TA-8`. */
function checkMoments({ slots, value }: Answer, { rows, sums }: Moments): void {
  must(sums.length === slots.length, 'TA-8', 'another number of sums');
  const max = greatest(value);
  sums.forEach((V, i) => must(V <= BigInt(rows) * max ** BigInt(i + 1), 'TA-8', 'a sum is greater than its rows can have'));
}

/** `TA-7`: the sums of the outcome, in order, open these doubled commitments. */
function addOpenings(equations: Equations, transcript: Transcript, { outcome, proof }: Answer, doubled: Point[]): void {
  transcript.absorb('R', join(proof.R));
  const c = transcript.challenge('c');
  const values = equations.hashed(VALUE_BASE);
  const blindings = equations.hashed(BLINDING_BASE);
  sumsOf(outcome).forEach((V, i) => {
    equations.zero('TA-7', `the opening of sum ${i}`, [
      [blindings, proof.s[i]!],
      [values, 2n * c * V],
      [equations.encoded(doubled[i]!.toBytes(), 'a sum'), -c],
      [equations.encoded(proof.R[i]!, 'R of an opening'), -1n],
    ]);
  });
}

/** `TA-10`: statements in chunks, each with one range proof. */
function addRanges(equations: Equations, transcript: Transcript, statements: Statement[], b: number, ranges: Uint8Array[]): void {
  must(ranges.length === Math.ceil(statements.length / RANGE_CHUNK), 'TA-10', 'another number of range proofs');
  ranges.forEach((bytes, i) => {
    const copy = transcript.copy();
    copy.number('b', b);
    copy.number('chunk', i);
    asPartOf('TA-10', /^(CV|TC)-/, () => addRangeProof(equations, copy, statements.slice(i * RANGE_CHUNK, (i + 1) * RANGE_CHUNK), b, bytes));
  });
}

/** `TA-9`: the leaves of a cut stand where its ranks say; gives the statements that bounds on them make. */
function checkCut({ keys }: Answer, cut: Cut, below: bigint | undefined, above: bigint | undefined): Statement[] {
  const statements: Statement[] = [];
  keys.forEach(({ root }, i) => {
    const rank = cut.ranks[i]!;
    const check = (shownLeaf: Shown, index: number): Point => {
      const { leaf, path } = shownLeaf;
      must(path.index === index && path.rows === root.rows, 'TA-9', 'a leaf does not stand at its rank');
      must(isSame(climb(leaf, path), root), 'TA-9', "a leaf's path does not lead to its key's root");
      return leaf.points[0]!.point;
    };
    const lower = cut.lower[i];
    const upper = cut.upper[i];
    if (lower !== undefined) {
      const C = check(lower, rank - 1);
      if (below !== undefined) statements.push(statement(multiply(VALUES, below).subtract(C)));
    }
    if (upper !== undefined) {
      const C = check(upper, rank);
      if (above !== undefined) statements.push(statement(C.subtract(multiply(VALUES, above))));
    }
  });
  return statements;
}

const totalOf = (ranks: number[]): number => ranks.reduce((a, b) => a + b, 0);

/** A value has this rank: `TA-14`, or a part of `TA-15`. */
function checkOrder(answer: Answer, value: bigint, rank: number, name: string): Statement[] {
  const { low, high } = answer.proof.order!;
  must(value <= greatest(answer.value), name, 'the value is out of its bounds');
  const statements = [...checkCut(answer, low, value, undefined), ...checkCut(answer, high, undefined, value)];
  must(totalOf(low.ranks) >= rank, name, 'too few rows are at most the value');
  must(answer.rows - totalOf(high.ranks) >= answer.rows - rank + 1, name, 'too few rows are at least the value');
  return statements;
}

/** The doubled commitments of the rows above a cut, by the column's slots. */
function above({ keys, slots }: Answer, cut: Cut): Point[] {
  return slots.map((slot) =>
    sum(
      keys.flatMap(({ root }, i) => {
        if (cut.ranks[i] === 0) return [root.points[slot]!.point];
        return behind(cut.lower[i]!.path).map(({ points }) => points[slot]!.point);
      }),
    ),
  );
}

/** `TA-15`. */
function addTop(equations: Equations, transcript: Transcript, answer: Answer, outcome: Outcome & { kind: 'top' }): void {
  const { statistic } = answer.query;
  must(statistic.kind === 'top' && 'fraction' in statistic, 'TA-15', 'not the outcome that was asked for');
  must(outcome.rows === answer.rows, 'TA-15', 'another number of rows');
  const { part, whole } = statistic.fraction;
  const rank = quantileRank(answer.rows, whole - part, whole);
  const order = checkOrder(answer, outcome.threshold, rank, 'TA-15');
  const cut = answer.proof.cuts[0]!;
  must(totalOf(cut.ranks) === rank && outcome.moments.rows === answer.rows - rank, 'TA-15', 'the cut is not at the rank of the share');
  const beside = checkCut(answer, cut, outcome.threshold, outcome.threshold);
  checkMoments(answer, outcome.moments);
  addOpenings(equations, transcript, answer, above(answer, cut));
  addRanges(equations, transcript, [...order, ...beside], rangeWidth(answer.value), answer.proof.ranges);
}

/** `TA-16`. */
function addHistogram(equations: Equations, transcript: Transcript, answer: Answer, outcome: Outcome & { kind: 'histogram' }): void {
  const { value, rows, proof } = answer;
  must(answer.query.statistic.kind === 'histogram', 'TA-16', 'not the outcome that was asked for');
  must(outcome.parts.length === value.cuts.length + 1, 'TA-16', 'not one part more than cuts');
  const nothing = answer.slots.map(() => ZERO);
  const statements: Statement[] = [];
  let used = 0;
  // What is above the upper edge of each part.
  let before = { rows, points: totals(answer) };
  const doubled = outcome.parts.flatMap((part, i) => {
    let after = { rows: 0, points: nothing };
    const edge = i < value.cuts.length ? value.cuts[i]! - value.min : undefined;
    if (edge !== undefined && edge <= 0n) after = { rows, points: totals(answer) };
    else if (edge !== undefined && edge <= greatest(value)) {
      const cut = proof.cuts[used++];
      must(cut !== undefined, 'TA-16', 'a cut is missing');
      statements.push(...checkCut(answer, cut, edge - 1n, edge));
      after = { rows: rows - totalOf(cut.ranks), points: above(answer, cut) };
    }
    must(part.rows === before.rows - after.rows, 'TA-16', 'a part has another number of rows');
    checkMoments(answer, part);
    const own = before.points.map((point, slot) => point.subtract(after.points[slot]!));
    before = after;
    return own;
  });
  must(used === proof.cuts.length, 'TA-16', 'a cut is left over');
  addOpenings(equations, transcript, answer, doubled);
  addRanges(equations, transcript, statements, rangeWidth(value), proof.ranges);
}

/** `TA-13`. */
function addRounded(equations: Equations, transcript: Transcript, answer: Answer, outcome: Outcome & { kind: 'rounded' }): void {
  const { rounding } = answer.genesis.policy;
  must(rounding !== undefined && answer.query.statistic.kind === 'moments', 'TA-13', 'not the outcome that was asked for');
  must(outcome.rows === answer.rows, 'TA-13', 'another number of rows');
  must(outcome.sum <= BigInt(outcome.rows) * greatest(answer.value), 'TA-13', 'the sum is greater than its rows can have');
  must(outcome.sum % 2n ** BigInt(rounding) === 0n, 'TA-13', 'the sum is not rounded');
  const half = multiply(totals(answer)[0]!, invert(2n));
  const rest = statement(half.subtract(multiply(VALUES, outcome.sum)));
  addRanges(equations, transcript, [rest], rounding, answer.proof.ranges);
}

/** `TA-17`: no outcome is about few rows, none that shows their order about small keys, and ranks that can be asked for are far enough apart. */
function checkRows({ genesis, query, outcome, keys, rows }: Answer): void {
  const { minCount, allow, extremes, quantiles, rankGap } = genesis.policy;
  const counts =
    outcome.kind === 'moments'
      ? [outcome.moments.rows]
      : outcome.kind === 'order' || outcome.kind === 'rounded'
        ? [outcome.rows]
        : outcome.kind === 'top'
          ? [outcome.rows, outcome.moments.rows]
          : outcome.kind === 'histogram'
            ? outcome.parts.map((part) => part.rows)
            : [];
  must(counts.every((n) => n === 0 || BigInt(n) >= minCount), 'TA-17', 'the outcome is about too few rows');
  if (rows === 0 || outcome.kind === 'withheld' || query.statistic.kind === 'moments') return;
  must(keys.every(({ root }) => BigInt(root.rows) >= minCount), 'TA-17', 'a key of the region has too few rows for this');
  if (query.statistic.kind === 'histogram') return;
  const ranks = [
    ...(allow.includes('order') ? quantiles.map(({ part, whole }) => quantileRank(rows, part, whole)) : []),
    ...(allow.includes('top') ? quantiles.map(({ part, whole }) => quantileRank(rows, whole - part, whole)) : []),
    ...(extremes ? [1, rows] : [0, rows + 1]),
  ].sort((a, b) => a - b);
  const isFar = ranks.every((rank, i) => i === 0 || rank === ranks[i - 1] || BigInt(rank - ranks[i - 1]!) >= rankGap);
  must(isFar, 'TA-17', 'ranks that can be asked for are too near to each other');
}

/** The member `outcome` of the statement. */
function outcomeStatement({ outcome, value, genesis }: Answer): Json {
  const n = (rows: number): bigint => BigInt(rows);
  switch (outcome.kind) {
    case 'empty':
      return object({ count: 0n });
    case 'moments':
      return momentsStatement(value, outcome.moments.rows, outcome.moments.sums);
    case 'order':
      return object({ count: n(outcome.rows), value: shown(value, outcome.value) });
    case 'top':
      return object({
        count: n(outcome.rows),
        threshold: shown(value, outcome.threshold),
        top: momentsStatement(value, outcome.moments.rows, outcome.moments.sums),
      });
    case 'histogram':
      return object({
        cuts: value.cuts.map((cut) => decimal(cut, 10n ** BigInt(value.scale), value.scale)),
        parts: outcome.parts.map(({ rows, sums }) => momentsStatement(value, rows, sums)),
      });
    case 'rounded': {
      const rows = n(outcome.rows);
      const most = outcome.sum + 2n ** BigInt(genesis.policy.rounding!) - 1n;
      return object({
        count: rows,
        sum: [total(value, rows, outcome.sum), total(value, rows, most)],
        mean: [mean(value, rows, outcome.sum), mean(value, rows, most)],
      });
    }
    case 'withheld':
      return object({ withheld: outcome.reason });
  }
}
