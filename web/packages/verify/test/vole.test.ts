import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { text } from '../src/bytes.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { readCircuit } from '../src/vole/circuit.js';
import { directory, flip, readFiles, replace, restate, type Files } from './vectors.js';

const VERDICTS = new URL('../../test/verdicts/', import.meta.url).pathname;
const bundle = (name: string): Files => readFiles(join(VERDICTS, name));

async function outcome(files: Files): Promise<string> {
  try {
    const { claims } = await verifyBundle(directory(files), here);
    return claims[0]!.status === 'holds' ? 'holds' : (claims[0]!.why?.check ?? claims[0]!.status);
  } catch (error) {
    if (error instanceof Refusal) return error.check;
    throw error;
  }
}

const object = (files: Files, role: string): string => [...files.keys()].find((path) => path.endsWith(`/${role}`))!;
const edited = (files: Files, role: string, from: string, to: string): Files => {
  const path = object(files, role);
  const before = new TextDecoder().decode(files.get(path));
  const after = before.replace(from, to);
  assert.notEqual(before, after);
  return replace(files, path, text(after));
};

test('verdicts hold on the word of whoever signed them', async () => {
  for (const name of ['income', 'generator', 'bits', 'bristol']) {
    const verdict = await verifyBundle(directory(bundle(name)), here);
    const [claim] = verdict.claims;
    assert.equal(claim!.status, 'holds', name);
    assert.match(claim!.premises.join(), /^word:[0-9a-f]{64}$/);
    assert.equal(exitCode(verdict, []), 4);
    assert.equal(exitCode(verdict, claim!.premises), 0);
  }
});

test('nothing of a verdict can change', async () => {
  const files = bundle('income');
  for (const [from, to, check] of [
    ['"ok": 1', '"ok": 0', 'VV-3'],
    ['"total": 135000', '"total": 135001', 'VV-5'],
    ['"low": "0x18"', '"low": "0x018"', 'VV-4'],
    ['"gates": 5', '"gates": 6', 'VV-4'],
    ['"soundness_bits": 56', '"soundness_bits": 57', 'VV-4'],
    ['"soundness": "57"', '"soundness": "80"', 'VV-4'],
    ['"publicly_verifiable": false', '"publicly_verifiable": true', 'VV-4'],
    ['"converter": "edabits"', '"converter": "cheddabits-v2-tspa"', 'VV-4'],
    ['"nonce": "aabbcc"', '"nonce": "aabbcd"', 'VV-5'],
    ['"nonce": "aabbcc"', '"nonce": "aabbc"', 'VV-4'],
    ['owner of account 7', 'owner of account 8', 'VV-5'],
    ['"time": 1', '"time": 2', 'VV-5'],
    ['"version": 2', '"version": 1', 'not checked'],
  ] as const) {
    assert.equal(await outcome(restate(files, from, to)), check, to);
  }
  assert.equal(await outcome(edited(files, 'circuit', 'int 24', 'int 25')), 'VV-5');
  assert.equal(await outcome(edited(files, 'circuit', 'relu d', 'relu t')), 'VV-5');
  assert.equal(await outcome(edited(files, 'circuit', 'relu d', 'relu q')), 'VV-1');
  assert.equal(await outcome(edited(files, 'public', '30000', '30001')), 'VV-5');
  assert.equal(await outcome(edited(files, 'public', 'limit', 'limits')), 'VV-2');
  assert.equal(await outcome(edited(files, 'public', '30000', '8388608')), 'VV-2');
  const signature = object(files, 'signature');
  for (const at of [0, 31, 32, 63]) assert.equal(await outcome(replace(files, signature, flip(files.get(signature)!, at))), 'VV-5');
});

test('circuits: gates, bounds, and what is none', () => {
  const read = (source: string): number | string => {
    try {
      return readCircuit(text(source)).gates;
    } catch (error) {
      if (error instanceof Refusal) return error.check;
      throw error;
    }
  };
  const own = (...lines: string[]): number | string => read(['subrosa-circuit 1', ...lines, ''].join('\n'));
  assert.equal(own('input a bits 2', 'b = or a[0] a[1]', 'output o b'), 3);
  assert.equal(own('input a int 5', 'input b int 5', 'c = less a b', 'output o c'), 3);
  assert.equal(own('input a int 5 3', 'input b int 5 3', 'assert_equal a b', 'assert_zero a'), 9);
  assert.equal(own('input a int 58', 'b = add a a'), 1);
  assert.equal(own('input a int 59', 'b = add a a'), 'VV-1');
  assert.equal(own('input a int 58 2', 'm p = largest a'), 1);
  assert.equal(own('input a int 59 2', 'm p = largest a'), 'VV-1');
  assert.equal(own('input a int 40', 'b = dot 40 a : a'), 'VV-1');
  assert.equal(own('a = int 576460752303423485', 'b = int 1', 'c = less a b'), 5);
  assert.equal(own('a = int 576460752303423486', 'b = int 1', 'c = less a b'), 'VV-1');
  assert.equal(own('input a int 5', 'output o a[1]'), 'VV-1');
  assert.equal(own('input a int 5', 'input a int 5'), 'VV-1');
  assert.equal(read('1 6\n1 4\n1 2\n\n4 2 0 1 2 3 4 5 MAND\n'), 2);
  assert.equal(read('3 5\n1 2\n1 1\n\n1 1 0 2 EQW\n1 1 1 3 EQ\n2 1 2 3 4 XOR\n'), 2);
  assert.equal(read('1 3\n1 2\n1 1\n2 1 0 3 2 XOR\n'), 'VV-1');
  assert.equal(read('2 3\n1 2\n1 1\n2 1 0 1 2 XOR\n2 1 0 1 2 AND\n'), 'VV-1');
  assert.equal(read(''), 'VV-1');
});
