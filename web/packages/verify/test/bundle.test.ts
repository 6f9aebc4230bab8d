import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exitCode, objectsOf, verifyBundle } from '../src/bundle.js';
import { text } from '../src/bytes.js';
import { format, parse, type Json } from '../src/json.js';
import { kinds } from '../src/kinds.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { BUNDLES, bundleOf, directory, flip, replace, restate, type Files } from './vectors.js';

/** The check that refuses a bundle, or what its verdict is. */
async function outcome(files: Files): Promise<string> {
  try {
    const verdict = await verifyBundle(directory(files), here);
    const wrong = verdict.claims.find(({ status }) => status === 'false');
    return wrong?.why?.check ?? `exit ${exitCode(verdict, [])}`;
  } catch (error) {
    if (error instanceof Refusal) return error.check;
    throw error;
  }
}

const changed = (files: Files, path: string, from: string, to: string): Files => {
  const before = new TextDecoder().decode(files.get(path));
  assert.ok(before.includes(from), `${from} in ${path}`);
  return new Map(files).set(path, text(before.replace(from, to)));
};

for (const name of BUNDLES) {
  test(`${name} holds`, async () => {
    assert.equal(await outcome(bundleOf(name)), 'exit 0');
  });

  test(`${name}: no byte of an object can change`, { timeout: 120_000 }, async () => {
    const files = bundleOf(name);
    const until = Date.now() + 1_000;
    for (const [path, bytes] of files) {
      if (!path.startsWith('objects/')) continue;
      // Every byte of small objects; of large ones as many as time allows, spread evenly.
      const step = bytes.length > 1500 ? 29 : 1;
      for (let at = 0; at < bytes.length && Date.now() < until; at += step) {
        const found = await outcome(replace(files, path, flip(bytes, at, at % 8)));
        assert.match(found, /^(CV|TB|TA|TC|CB)-/, `${path}, byte ${at}: ${found}`);
      }
      for (const cut of [0, 1, bytes.length >> 1, bytes.length - 1]) {
        assert.match(await outcome(replace(files, path, bytes.slice(0, cut))), /^(CV|TB|TA|TC)-/);
      }
      const longer = new Uint8Array([...bytes, 0]);
      assert.match(await outcome(replace(files, path, longer)), /^(CV|TB|TA|TC)-/);
    }
  });
}

test('the manifest', async () => {
  const files = bundleOf('lookup');
  const manifest = 'bundle.json';
  assert.equal(await outcome(changed(files, manifest, 'subrosa-bundle', 'subrosa-bundlf')), 'CB-1');
  assert.equal(await outcome(changed(files, manifest, '"version": 1', '"version": 2')), 'CB-1');
  const current = changed(files, manifest, '"version": 1', '"version": 2,\n  "specification": 1');
  assert.equal(await outcome(current), await outcome(files));
  assert.equal(await outcome(changed(current, manifest, '"specification": 1', '"specification": 2')), 'CB-1');
  assert.equal(await outcome(changed(files, manifest, '"version": 1', '"version":  1')), 'CB-1');
  assert.equal(await outcome(changed(files, manifest, '"version": 1', '"version": 1.0')), 'CB-1');
  assert.equal(await outcome(changed(files, manifest, 'objects/table/lookup-0.proof', 'objects/table/lookup/../0.proof')), 'CB-2');
  const twice = changed(files, manifest, '"claims/lookup-0.json"\n', '"claims/lookup-0.json",\n    "claims/lookup-0.json"\n');
  assert.equal(await outcome(twice), 'CB-3');
  assert.equal(await outcome(new Map(files).set('more', text(''))), 'CB-4');
  const lost = new Map(files);
  lost.delete('objects/table/genesis.json');
  assert.equal(await outcome(lost), 'CB-5');
  const other = new Map(files).set('objects/table/genesis.json', flip(files.get('objects/table/genesis.json')!, 40));
  assert.equal(await outcome(other), 'CB-5');
  assert.equal(await outcome(changed(files, manifest, '[\n    "claims/lookup-0.json"\n  ]', '[]')), 'CB-7');
});

test('claims', async () => {
  const files = bundleOf('sum');
  assert.equal(await outcome(restate(files, '"proof"', '"prooh"')), 'CB-9');
  const [digest] = /(?<="checkpoint": \[\n\s+")[0-9a-f]{64}/.exec(new TextDecoder().decode(files.get('claims/answer-0.json')))!;
  assert.equal(await outcome(restate(files, digest, '0'.repeat(64))), 'CB-8');
  assert.equal(await outcome(restate(files, '"count": 4', '"count": 5')), 'CB-12');
  assert.equal(await outcome(restate(files, '1766.60', '1766.61')), 'CB-12');
  assert.equal(await outcome(restate(files, '"assurance": "audited",\n    ', '')), 'CB-12');
  assert.equal(await outcome(restate(files, '"unit": "EUR"', '"unit": "EUR",\n    "usage": 1')), 'CB-12');
  assert.equal(await outcome(restate(files, '"unit": "EUR"', '"unit": "EUR" ')), 'CB-6');
});

test('objects are as large as the chapter of their kind allows', () => {
  const limits: [kind: string, version: number, role: string, limit: number][] = [
    ['election', 2, 'log', 2 ** 31],
    ['election', 3, 'log', 2 ** 31],
    ['election-trace', 3, 'log', 2 ** 31],
    ['ceremony', 1, 'parameters', 2 ** 32],
    ['ceremony', 1, 'circuit', 2 ** 30],
    ['ceremony', 1, 'phase1', 2 ** 32],
    ['ceremony', 1, 'record', 2 ** 26],
    ['snark-proof', 1, 'key', 2 ** 24],
    ['snark-proof', 1, 'proof', 2 ** 12],
    ['snark-proof', 1, 'circuit', 2 ** 30],
  ];
  for (const [kind, version, role, limit] of limits) {
    const { roles } = kinds[kind]!.find(({ versions }) => versions.includes(version))!;
    const named = Object.keys(roles).map((name): [string, string[]] => [name, [name]]);
    // Of a file only its length is looked at: nobody holds so many bytes.
    const outcomeOf = (length: number): string => {
      const files = named.map(([name]): [string, Uint8Array] => [name, (name === role ? { length } : new Uint8Array()) as Uint8Array]);
      try {
        objectsOf({ kind, roles: new Map(named) }, roles, new Map(files));
        return 'read';
      } catch (error) {
        if (error instanceof Refusal) return error.check;
        throw error;
      }
    };
    assert.deepEqual([outcomeOf(limit), outcomeOf(limit + 1)], ['read', 'CB-11'], `${kind}, ${role}`);
  }
});

test('what is not known is not checked, and never passed over', async () => {
  const files = bundleOf('sum');
  assert.equal(await outcome(restate(files, 'table-answer', 'something')), 'exit 4');
  assert.equal(await outcome(restate(files, 'table-answer', 'constructor')), 'exit 4');
  assert.equal(await outcome(restate(files, '"version": 1', '"version": 2')), 'exit 4');
});

/** A claim of an unknown kind whose statement is a list within lists, so many. */
function deepClaim(files: Files, depth: number): Json {
  const claim = parse(files.get('claims/answer-0.json')!, '');
  let statement: Json = [];
  for (let i = 1; i < depth; i++) statement = [statement];
  return new Map([...(claim as Map<string, Json>), ['kind', 'nothing'], ['statement', statement]]);
}

test('JSON: depth and numbers are bounded', async () => {
  const files = bundleOf('sum');
  const deep = text('['.repeat(100_000));
  assert.equal(await outcome(new Map(files).set('bundle.json', deep)), 'CB-1');
  const nested = (depth: number): Files =>
    replace(files, 'claims/answer-0.json', text(format(deepClaim(files, depth)) + '\n'));
  assert.equal(await outcome(nested(126)), 'exit 4');
  assert.equal(await outcome(nested(127)), 'CB-6');
  assert.equal(await outcome(restate(files, '"count": 4', `"count": ${'9'.repeat(100_000)}`)), 'CB-6');
});
