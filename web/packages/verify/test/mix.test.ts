import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyMixes, type MixFiles } from '../src/mix.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { flip, mixOf } from './vectors.js';

/** The check that refuses a chain, with whose fault it is; or that it holds. */
async function outcome(files: MixFiles): Promise<string> {
  try {
    await verifyMixes(files, here, () => {});
    return 'holds';
  } catch (error) {
    if (error instanceof Refusal) return `${error.check} ${error.fault}`;
    throw error;
  }
}

const with1 = (change: (bytes: Uint8Array) => Uint8Array, which = 1): MixFiles => {
  const files = mixOf();
  files.mixes[which]!.bytes = change(files.mixes[which]!.bytes);
  return files;
};

/** Where fields begin in a mix of five rows and two columns: header, group, key, texts, numbers, columns. */
const COLUMNS = 18 + 16 + 32 + 14 + 5 + 16;
const A = COLUMNS + 640;
const N = 160;

test('the chain holds, and so does its beginning', async () => {
  assert.equal(await outcome(mixOf()), 'holds');
  const files = mixOf();
  files.mixes.pop();
  assert.equal(await outcome(files), 'holds');
});

test('each field of a proof is bound, by its own check', async () => {
  const swapped = (at: number, other: number) => (bytes: Uint8Array) => {
    const out = bytes.slice();
    out.set(bytes.subarray(other, other + 32), at);
    out.set(bytes.subarray(at, at + 32), other);
    return out;
  };
  const T = A + 3 * N;
  const Z = T + 96 + 2 * N;
  // A point in place of another, a scalar with its lowest bit flipped.
  assert.equal(await outcome(with1(swapped(T, T + 32))), 'TW-7 claim');
  assert.equal(await outcome(with1((b) => flip(b, Z))), 'TW-7 claim');
  assert.equal(await outcome(with1((b) => flip(b, Z + 32))), 'TW-8 claim');
  assert.equal(await outcome(with1((b) => flip(b, T + 96 + N))), 'TW-9 claim');
  assert.equal(await outcome(with1((b) => flip(b, Z + 64))), 'TW-10 claim');
  const L = Z + 96;
  assert.equal(await outcome(with1((b) => flip(b, L + 32 + 128 + N))), 'TW-11 claim');
  assert.equal(await outcome(with1((b) => flip(b, L + 32 + 128 + N + 32))), 'TW-12 claim');
  // Two ciphertexts change places, in one column.
  assert.match(await outcome(with1(swapped(COLUMNS, COLUMNS + 32))), /^TW-1[12] claim$/);
});

test('no byte of a mix can change', { timeout: 60_000 }, async () => {
  const { bytes } = mixOf().mixes[1]!;
  const until = Date.now() + 1_000;
  for (let at = 0; at < bytes.length && Date.now() < until; at += 11) {
    assert.notEqual(await outcome(with1((b) => flip(b, at, at % 8))), 'holds', `byte ${at}`);
  }
});

test('what is wrong with the input is not the mixer\'s doing', async () => {
  const files = mixOf();
  files.mixes.reverse();
  assert.equal(await outcome(files), 'TW-4 input');
  assert.equal(await outcome(with1((b) => b.slice(0, -1))), 'CV-1 input');
  assert.equal(await outcome(with1((b) => new Uint8Array([...b, 0]))), 'CV-1 input');
  assert.equal(await outcome(with1((b) => flip(b, 16))), 'CV-5 input');
  assert.equal(await outcome({ ...mixOf(), ciphertexts: mixOf().mixes[0]!.bytes }), 'CV-5 input');
  assert.equal(await outcome({ ...mixOf(), mixes: [] }), 'TW-4 input');
});
