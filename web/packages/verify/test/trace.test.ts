import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { replayed } from '../src/election/claim.js';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { concat } from '../src/bytes.js';
import { decodePoint, ZERO } from '../src/group.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { valueBase } from '../src/trace/blinding.js';
import { writeLizard } from '../src/lizard.js';
import { relogged, TRACES } from './logged.js';
import { aboutOf, blinding, pathOf, reanswered, recordOf, SPOILT, STATED, type Parts } from './records.js';
import { checksOf, directory, flip, readFiles, replace, restate, type Files } from './vectors.js';

const picnic = readFiles(join(TRACES, 'picnic'));
const about = aboutOf(picnic);

/** The check that refuses a bundle, with its part, or that it holds. */
async function outcome(files: Files): Promise<string> {
  try {
    const { claims } = await verifyBundle(directory(files), here);
    const wrong = claims.find(({ status }) => status !== 'holds');
    return wrong === undefined ? 'holds' : wrong.why?.check === undefined ? wrong.status : checksOf({ ...wrong.why });
  } catch (error) {
    if (error instanceof Refusal) return error.check;
    throw error;
  }
}

test('answers about an election hold, beside the election', async () => {
  const verdict = await verifyBundle(directory(picnic), here);
  assert.equal(exitCode(verdict, []), 0, JSON.stringify(verdict.claims.map(({ why }) => why)));
  const [trace] = verdict.claims.filter(({ kind }) => kind === 'election-trace');
  assert.deepEqual(trace!.checks.map(({ check, count }) => `${count} ${check}`), ['32 BD-3 to BD-5', '1 EL-14', '2 TR-13, TR-7', '4 TR-8, TW-11, TW-12', '1 TR-9', '10 TR-10', '5 TR-11, TR-12, TH-7', '1 CB-12']);
});

test('an answer in which something else was said, and signed, is refused by its check', async () => {
  const said = (change: (parts: Parts) => void, number = 1): Promise<string> => outcome(reanswered(picnic, number, (parts) => change(parts), about));
  assert.equal(await said(() => {}), 'holds');
  for (const [what, change, check] of SPOILT) assert.equal(await said(change), check, what);
});

test('any shares open that are enough', async () => {
  const { shares: all } = recordOf(picnic, 1);
  assert.ok(all.length >= 2);
  for (let left = 2; left <= all.length; left++) {
    assert.equal(await outcome(reanswered(picnic, 1, (parts) => (parts.shares = parts.shares.slice(-left)), about)), 'holds');
  }
});

test('blindings that cancel are refused, and those that do not hold', async () => {
  const { query, turns: passed } = recordOf(picnic, 1);
  const objects = [...picnic].filter(([path]) => path.startsWith('objects/board/'));
  const board = objects.filter(([path]) => path.endsWith('.entry')).map(([, bytes]) => bytes);
  const { election } = await replayed({ board, log: [picnic.get('objects/board/log')!] }, here, () => {});
  // Three voters said Meadow, then Lake.
  const rows = election.rows.flatMap(({ answers: [answer] }, row) => ('picked' in answer! && answer.picked.join() === '0,1' ? [row] : []));
  assert.equal(rows.length, 3);
  const found: string[] = [];
  for (const second of [-5n, 6n]) {
    const files = reanswered(picnic, 1, (parts) => {
      const [c1, c2] = passed.at(-1)!.columns[0]!;
      const total = (points: Uint8Array): Uint8Array => rows.reduce((sum, row) => sum.add(decodePoint(points.subarray(32 * row, 32 * row + 32))), ZERO).toBytes();
      const sum = { c1: total(c1), c2: total(c2), H: valueBase(query.id, 0, VALUE) };
      parts.blindings = [5n, second].map((b, i) => blinding([sum], b, { session: about.session, query: query.id, server: i + 1 }));
    }, about);
    found.push(await outcome(files));
  }
  // What was agreed on is another thing then, which no share of the record is about.
  assert.deepEqual(found, ['TR-13 TR-9', 'TR-13 TR-11']);
});

/** The value of their ballots. */
const VALUE = writeLizard(Uint8Array.of(1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)).toBytes();

test('topics and statements are bound to the board', async () => {
  const stated = (from: string | RegExp, to: string): Promise<string> => outcome(restate(picnic, from, to, 'claims/election-trace.json'));
  for (const [from, to, check] of STATED) {
    assert.equal(await stated(from, to), check, to);
  }
});

test('no byte of a record can change', { timeout: 120_000 }, async () => {
  for (const number of [0, 1]) {
    const bytes = picnic.get(pathOf(number))!;
    for (let at = 0; at < bytes.length; at += 844) {
      assert.match(await outcome(replace(picnic, pathOf(number), flip(bytes, at, at % 8))), /^TR-13 /, `record ${number}, byte ${at}`);
    }
    assert.match(await outcome(replace(picnic, pathOf(number), bytes.slice(0, -1))), /^TR-13 CV-1$/);
    assert.match(await outcome(replace(picnic, pathOf(number), concat(bytes, Uint8Array.of(0)))), /^TR-13 CV-1$/);
  }
  const other = picnic.get(pathOf(0))!;
  assert.equal(await outcome(replace(picnic, pathOf(1), other)), 'TR-13');
});

test('a board that tells another election is refused, once for both claims', async () => {
  const files = relogged(picnic, (leaves) => {
    const leaf = leaves.find(({ kind }) => kind === 'decryption')!;
    leaf.payload = flip(leaf.payload, leaf.payload.length - 30);
    leaf.header = undefined;
  });
  const { claims } = await verifyBundle(directory(files), here);
  assert.deepEqual(claims.map(({ why }) => why?.check), ['EL-12', 'EL-12']);
  assert.equal(await outcome(relogged(picnic, () => {})), 'holds');
});
