import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { replayed } from '../src/election/claim.js';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { concat, le32, text } from '../src/bytes.js';
import { decodePoint, ZERO } from '../src/group.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { valueBase } from '../src/trace/blinding.js';
import { writeLizard } from '../src/lizard.js';
import { relogged, TRACES } from './logged.js';
import { aboutOf, blinding, pathOf, reanswered, recordOf, type Parts } from './records.js';
import { checksOf, directory, flip, readFiles, replace, type Files } from './vectors.js';

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

/** Flips a bit of one of several byte strings. */
const flipAt = (list: (parts: Parts) => Uint8Array[], which: number, at: number) => (parts: Parts): void => {
  const items = list(parts);
  const bytes = items[which]!;
  items[which] = flip(bytes, at < 0 ? bytes.length + at : at);
};
const [requests, turns, blindings, shares] = [(p: Parts) => p.requests, (p: Parts) => p.turns, (p: Parts) => p.blindings, (p: Parts) => p.shares] as const;

test('an answer in which something else was said, and signed, is refused by its check', async () => {
  const said = (change: (parts: Parts) => void, number = 1): Promise<string> => outcome(reanswered(picnic, number, (parts) => change(parts), about));
  assert.equal(await said(() => {}), 'holds');
  const cases: [what: string, change: (parts: Parts) => void, check: string][] = [
    ['a request about another session', flipAt(requests, 0, 3), 'TR-13 TR-7'],
    ['a request that its querier did not sign', (parts) => (parts.signatures = { requests: [new Uint8Array(64)] }), 'TR-13 TR-7'],
    ['a request twice', (parts) => parts.requests.push(parts.requests[0]!), 'TR-13 TR-7'],
    ['no request', (parts) => (parts.requests = []), 'TR-13 TR-7'],
    ['a request that is not there', (parts) => (parts.request = 1), 'TR-13 TR-11'],
    ['another nonce, to which no list is bound', flipAt(requests, 0, -1), 'TR-13 TW-11'],
    ['a request that goes another way, of which there are no sums', flipAt(requests, 0, 32), 'TR-13 TR-9'],
    ['a wrong response about a list', flipAt(turns, 0, -32), 'TR-13 TW-12'],
    ['another wrong response', flipAt(turns, 1, -64), 'TR-13 TW-11'],
    ['a turn less', (parts) => parts.turns.pop(), 'TR-13 TR-8'],
    ['two turns in the other order', (parts) => parts.turns.reverse(), 'TR-13 TW-11'],
    ['lists of a row less', (parts) => { parts.turns[0] = concat(le32(0), le32(1), parts.turns[0]!.slice(-160)); }, 'TR-13 TR-8'],
    ['a blinding without its proof', flipAt(blindings, 0, -32), 'TR-13 TR-9'],
    ['a blinding less', (parts) => parts.blindings.pop(), 'TR-13 TR-9'],
    ['a blinding of no sum', (parts) => (parts.blindings[0] = le32(0)), 'TR-13 TR-9'],
    ['a blinding by nothing', (parts) => { parts.blindings[0] = concat(le32(1), new Uint8Array(parts.blindings[0]!.length - 4)); }, 'TR-13 TR-9'],
    ['a signature less', (parts) => (parts.signatures = { agreement: [] }), 'TR-13 TR-10'],
    ['signatures of nobody', (parts) => (parts.signatures = { agreement: Array.from({ length: 5 }, () => new Uint8Array(64)) }), 'TR-13 TR-10'],
    ['a share about another query', flipAt(shares, 0, 2), 'TR-13 TR-11'],
    ['a share of something that was not agreed on', flipAt(shares, 0, 34), 'TR-13 TR-11'],
    ['a share for another request', flipAt(shares, 0, 66), 'TR-13 TR-11'],
    ['a share of a mixer', (parts) => (parts.shares[0]![0] = 1), 'TR-13 TR-11'],
    ['a share in the name of another trustee', (parts) => { parts.shares[0]![0]! ^= 7; }, 'TR-13 TR-11'],
    ['the part of the key of another trustee', (parts) => { parts.shares[0]![70]! ^= 3; }, 'TR-13 TR-11'],
    ['a share that its server did not sign', (parts) => (parts.signatures = { shares: [new Uint8Array(64)] }), 'TR-13 TR-11'],
    ['a share without its proof', flipAt(shares, 0, -32), 'TR-13 TH-7'],
    ['too few shares', (parts) => parts.shares.splice(1), 'TR-13 TR-11'],
    ['one share twice', (parts) => (parts.shares = [parts.shares[0]!, parts.shares[0]!]), 'TR-13 TR-11'],
    ['no share', (parts) => (parts.shares = []), 'TR-13 TR-11'],
  ];
  for (const [what, change, check] of cases) assert.equal(await said(change), check, what);
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
  const stated = (from: string | RegExp, to: string): Promise<string> => {
    const path = 'claims/election-trace.json';
    const before = new TextDecoder().decode(picnic.get(path));
    const after = before.replace(from, to);
    assert.notEqual(after, before, to);
    return outcome(replace(picnic, path, text(after)));
  };
  assert.equal(await stated('Is every ballot of the North counted?', 'Is it so?'), 'holds');
  assert.equal(await stated('"name": "the North"', '"name": "a district"'), 'holds');
  for (const [from, to, check] of [
    ['"last": "Eve"', '"last": "Dan"', 'TR-13'],
    ['"last": "Eve"', '"last": "Ede"', 'TR-13'],
    ['"candidate": "Meadow"', '"candidate": "Lake"', 'TR-13'],
    ['"candidate": "Meadow"', '"candidate": "River"', 'TR-13'],
    ['"candidate": null', '"candidate": "Meadow"', 'TR-13'],
    ['"direction": "in"', '"direction": "out"', 'TR-13'],
    ['"direction": "in"', '"direction": "on"', 'TR-13'],
    [/"district": \{[^}]*\}/, '"district": null', 'TR-13'],
    ['"yes": 4', '"yes": 3', 'CB-12'],
    ['"no": 0', '"no": 1', 'CB-12'],
    ['"asked": 4', '"asked": 5', 'CB-12'],
    ['"ballots": 7', '"ballots": 8', 'CB-12'],
    ['"engine": "routed"', '"engine": "db"', 'CB-12'],
    ['our construction, no published proof yet', 'proven', 'CB-12'],
    [/"outcome": "[0-9a-f]{4}/, '"outcome": "0000', 'CB-12'],
    [/"querier": "[0-9a-f]{4}/, '"querier": "0000', 'CB-12'],
    [/"query": "[0-9a-f]{4}/, '"query": "0000', 'CB-12'],
    ['"leaves": ', '"leaves": 1', 'CB-12'],
  ] as const) {
    assert.equal(await stated(from, to), check, to);
  }
});

test('no byte of a record can change', { timeout: 120_000 }, async () => {
  for (const number of [0, 1]) {
    const bytes = picnic.get(pathOf(number))!;
    for (let at = 0; at < bytes.length; at += 211) {
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
    leaf.payload = flip(leaf.payload, leaf.payload.length - 1, 4);
    leaf.header = undefined;
  });
  const { claims } = await verifyBundle(directory(files), here);
  assert.deepEqual(claims.map(({ why }) => why?.check), ['EL-12', 'EL-12']);
  assert.equal(await outcome(relogged(picnic, () => {})), 'holds');
});
