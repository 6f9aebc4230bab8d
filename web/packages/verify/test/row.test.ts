import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { codeOf, offsetOf, readUserKeys } from '../src/table/own.js';
import { checkOwnRow, openLog, readLookup } from '../src/table/row.js';
import { directory, readFiles, restate } from './vectors.js';

/** Bundles of a table without auditors, and a user's keys. */
const TABLES = new URL('../../test/tables/', import.meta.url).pathname;

test('answers that rest on a premise: top shares, histograms, skewness, no rows', async () => {
  for (const name of ['hist', 'top', 'skew', 'empty']) {
    const files = readFiles(join(TABLES, name));
    const verdict = await verifyBundle(directory(files), here);
    assert.deepEqual(verdict.claims.map(({ status, premises }) => [status, premises]), [['holds', ['unaudited']]], name);
    assert.equal(exitCode(verdict, []), 4);
    assert.equal(exitCode(verdict, ['unaudited']), 0);
  }
  const files = restate(readFiles(join(TABLES, 'top')), '"threshold": "443.25"', '"threshold": "443.26"');
  assert.equal((await verifyBundle(directory(files), here)).claims[0]!.why!.check, 'CB-12');
});

test('a user finds her row, and notices another', () => {
  const files = readFiles(join(TABLES, 'lookup', 'objects', 'table'));
  const log = openLog({ genesis: [files.get('genesis.json')!], checkpoint: [files.get('checkpoint.txt')!] });
  const row = readLookup(files.get('lookup-0.proof')!, log.genesis);
  const keys = readUserKeys(readFileSync(join(TABLES, 'ada.keys'), 'utf8'));
  const { types, values } = log.genesis;
  const check = (role: string, wage: string, user = 'ada'): void =>
    checkOwnRow(
      log.genesis,
      row,
      { ...keys, user },
      [codeOf(types[0]!, role), codeOf(types[1]!, 'false')],
      [offsetOf(values[0]!, wage), offsetOf(values[1]!, '38')],
    );
  check('engineer', '512.50');
  check('engineer', '512,5');
  const refused = (what: RegExp) => (error: unknown): boolean => error instanceof Refusal && error.check === 'TB-13' && what.test(error.what);
  assert.throws(() => check('engineer', '512.49'), refused(/other values/));
  assert.throws(() => check('nurse', '512.50'), refused(/another group/));
  assert.throws(() => check('engineer', '512.50', 'bob'), refused(/pseudonym/));
  assert.throws(() => check('surgeon', '512.50'), refused(/no value/));
  assert.throws(() => check('engineer', '512.505'), refused(/digits/));
  assert.throws(() => check('engineer', '-5.01'), refused(/bounds/));
});
