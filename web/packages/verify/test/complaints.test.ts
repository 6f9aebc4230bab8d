import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyBundle } from '../src/bundle.js';
import { here } from '../src/pool.js';
import { complained, COMPLAINTS } from './complaints.js';
import { checksOf, directory, type Files } from './vectors.js';

async function outcome(files: Files): Promise<string> {
  const { status, why } = (await verifyBundle(directory(files), here)).claims[0]!;
  return status === 'false' ? checksOf({ ...why! }) : status;
}

test('a complaint disqualifies a dealer whose share is wrong, and is else the fault of its author', async () => {
  for (const [what, cheat, faults, expected] of COMPLAINTS) {
    assert.equal(await outcome(complained(cheat, faults)), expected, what);
    // What the last entry does not list, and what the statement does not say.
    if (expected !== 'holds' || faults.length === 0) continue;
    assert.equal(await outcome(complained(cheat, [])), `EL-6${faults[0]![1].includes('no message') ? '' : ' TH-4'}`, what);
    assert.equal(await outcome(complained(cheat, [...faults, faults.at(-1)!])), 'CB-12', what);
  }
});

test('keys are those of the dealers who are left', async () => {
  const [, cheat, faults] = COMPLAINTS[1]!;
  assert.equal(await outcome(complained({ ...cheat, qualified: [1, 2, 3] }, faults)), 'EL-8');
  assert.equal(await outcome(complained({ ...cheat, qualified: [1, 2] }, faults)), 'EL-8');
});
