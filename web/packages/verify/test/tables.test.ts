import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { concat } from '../src/bytes.js';
import { digest } from '../src/digest.js';
import { verifyBundle } from '../src/bundle.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { hash } from '../src/table/hash.js';
import { checksOf, directory, flip, readFiles, replace, restate, type Files } from './vectors.js';

const TABLES = new URL('../../test/tables/', import.meta.url).pathname;
const bundle = (name: string): Files => readFiles(join(TABLES, name));

/** The check that refuses the first claim that does not hold, or that all hold. */
async function outcome(files: Files): Promise<string> {
  try {
    const { claims } = await verifyBundle(directory(files), here);
    const wrong = claims.find(({ status }) => status !== 'holds');
    return wrong === undefined ? 'holds' : (wrong.why === undefined ? wrong.status : checksOf(wrong.why));
  } catch (error) {
    if (error instanceof Refusal) return error.check;
    throw error;
  }
}

const object = (files: Files, end: string): string => [...files.keys()].find((path) => path.startsWith('objects/') && path.endsWith(end))!;

test('groups of a hierarchy, shown or withheld', async () => {
  const said = new Set();
  for (const name of ['hierarchy', 'hierarchy-region']) {
    const files = bundle(name);
    assert.equal(await outcome(files), 'holds', name);
    const { claims } = await verifyBundle(directory(files), here);
    for (const { statement } of claims) {
      const found = statement instanceof Map ? statement.get('outcome') : undefined;
      said.add(found instanceof Map ? (found.get('withheld') ?? 'shown') : undefined);
    }
  }
  assert.deepEqual(said, new Set(['shown', 'small', 'small parts', 'to protect another']));
  const files = bundle('hierarchy');
  // The byte that says why is the last but the number of attestations.
  const [, withheld] = [...files].find(([path]) => path.endsWith('answer-0.proof'))!;
  for (const reason of [0, 1, 2, 3]) {
    const forged = withheld.slice();
    const at = forged.length - 5;
    if (forged[at - 1] !== 6 || forged[at] === reason) continue;
    forged[at] = reason;
    assert.equal(await outcome(replace(files, object(files, 'answer-0.proof'), forged)), reason === 3 ? 'CV-4' : 'TA-19');
  }
});

test('answers from roll-ups', async () => {
  const files = bundle('rollup');
  assert.equal(await outcome(files), 'holds');
  assert.equal(await outcome(restate(files, '"rolled_up": 3', '"rolled_up": null')), 'CB-12');
});

test('words of auditors who shared the work', async () => {
  const files = bundle('parts');
  assert.equal(await outcome(files), 'holds');
  assert.equal(await outcome(restate(files, 'audited in parts, each by one of the auditors', 'audited')), 'CB-12');
  for (const name of ['part-keys', 'part-users']) assert.equal(await outcome(bundle(name)), 'holds', name);
});

/** The bundle with other bytes of its audit, and a header that names them: what a cheating operator would publish. */
function reaudited(files: Files, change: (audit: Uint8Array) => Uint8Array): Files {
  const [audit, header] = [object(files, '.audit'), object(files, '.header')];
  const bytes = change(files.get(audit)!);
  const named = hash('audit bundle', digest('subrosa/table/audit', bytes));
  const before = files.get(header)!;
  return replace(replace(files, audit, bytes), header, concat(before.subarray(0, -32), named));
}

test('an audit with roll-ups: every part of it is bound', async () => {
  const files = bundle('rollup-audit');
  assert.equal(await outcome(files), 'holds');
  const { length } = files.get(object(files, '.audit'))!;
  const found = new Set<string>();
  for (let at = 5; at < length; at += Math.ceil(length / 16)) found.add(await outcome(reaudited(files, (bytes) => flip(bytes, at, at % 7))));
  assert.ok(!found.has('holds'), [...found].join());
  for (const check of ['CV-6', 'TC-4 TC-5']) assert.ok(found.has(check), `${check} of ${[...found].join()}`);
});

test('the bit matrix: every message of it is bound', { timeout: 120_000 }, async () => {
  const files = bundle('matrix');
  assert.equal(await outcome(files), 'holds');
  // The proof of one shard of 1,028 statements of width 16 ends the bundle: 128 rows, 15 variables, σ = 8.
  const { length } = files.get(object(files, '.audit'))!;
  const found = new Set<string>();
  const fields: [string, number][] = [
    ['f1', 32],
    ['f', 64],
    ['s2', 32 * (2 + 1 + 16 + 1)],
    ['s', 32 * (2 + 1 + 16 + 3)],
  ];
  for (const [name, from] of fields) {
    const check = await outcome(reaudited(files, (bytes) => flip(bytes, length - from)));
    assert.equal(check, 'TC-4 TC-7', name);
    found.add(check);
  }
  // Two rows of the matrix change places.
  const T = length - 32 * (2 + 1 + 16 + 3 + 3 + 45 + 65);
  assert.equal(
    await outcome(
      reaudited(files, (bytes) => {
        const out = bytes.slice();
        out.set(bytes.subarray(T, T + 32), T + 32);
        out.set(bytes.subarray(T + 32, T + 64), T);
        return out;
      }),
    ),
    'TC-4 TC-7',
  );
  assert.equal(await outcome(reaudited(files, (bytes) => bytes.slice(0, -32))), 'CV-1');
});

test('an operator is convicted by what it signed, and by nothing else', async () => {
  for (const offence of ['omission', 'alteration', 'withholding', 'two-roots', 'fork', 'fork-uneven', 'two-successors', 'retired-key']) {
    const files = bundle(offence);
    assert.equal(await outcome(files), 'holds', offence);
    const path = [...files.keys()].find((name) => name.startsWith('objects/') && !name.endsWith('.json'))!;
    const bytes = files.get(path)!;
    for (let at = 4; at < bytes.length; at += Math.ceil(bytes.length / 12)) {
      assert.notEqual(await outcome(replace(files, path, flip(bytes, at, at % 8))), 'holds', `${offence}, byte ${at}`);
    }
    assert.equal(await outcome(replace(files, path, concat(bytes, Uint8Array.of(0)))), 'CV-1', offence);
  }
});

test('what epochs record: every byte of it is bound', async () => {
  for (const name of ['recorded', 'erased', 'question', 'questions', 'successor']) {
    const files = bundle(name);
    assert.equal(await outcome(files), 'holds', name);
    const path = object(files, name === 'recorded' ? '.records' : '.proof');
    const bytes = files.get(path)!;
    for (let at = 4; at < bytes.length; at += Math.ceil(bytes.length / 24)) {
      assert.notEqual(await outcome(replace(files, path, flip(bytes, at, at % 8))), 'holds', `${name}, byte ${at}`);
    }
    assert.equal(await outcome(replace(files, path, concat(bytes, Uint8Array.of(0)))), 'CV-1', name);
  }
  assert.equal(await outcome(restate(bundle('questions'), '"answers": 4', '"answers": 3')), 'CB-12');
});
