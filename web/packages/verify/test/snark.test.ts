import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { text } from '../src/bytes.js';
import { must, Refusal } from '../src/refusal.js';
import { BN254, generators, isZeroSum } from '../src/snark/curve.js';
import { numberOf, readGm17Key, readGm17Proof, readGroth16Key, readGroth16Proof } from '../src/snark/files.js';
import { checkGm17Key, checkGroth16Key, checkInputs, checkProof, gm17Equations, groth16Equation } from '../src/snark/groth16.js';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { here } from '../src/pool.js';
import { directory, flip, readFiles, replace, restate, VECTORS, type Files } from './vectors.js';

const read = (name: string): Uint8Array => new Uint8Array(readFileSync(join(VECTORS, 'snark', name)));
const edit = (bytes: Uint8Array, from: string | RegExp, to: string): Uint8Array => {
  const before = new TextDecoder().decode(bytes);
  const after = before.replace(from, to);
  assert.notEqual(before, after);
  return text(after);
};

/** Public inputs as snarkjs writes them. */
const readInputs = (bytes: Uint8Array): bigint[] => (JSON.parse(new TextDecoder().decode(bytes)) as string[]).map((x) => numberOf(x, 'SN-1'));

interface Parts {
  key: Uint8Array;
  proof: Uint8Array;
  inputs: Uint8Array;
}

const groth16 = (): Parts => ({ key: read('vk.json'), proof: read('proof.json'), inputs: read('public.json') });
const gm17 = (): Parts => ({ key: read('gm17.vk'), proof: read('gm17.proof'), inputs: read('public.json') });

/** The check that refuses, or that all is well. */
function outcome(check: () => void): string {
  try {
    check();
    return 'holds';
  } catch (error) {
    if (error instanceof Refusal) return error.check;
    throw error;
  }
}

const groth16Outcome = (files: Parts): string =>
  outcome(() => {
    const { curve, key } = readGroth16Key(files.key);
    checkGroth16Key(curve, key);
    const [inputs, proof] = [readInputs(files.inputs), readGroth16Proof(files.proof, curve)];
    checkInputs(curve, key.IC.length - 1, inputs);
    checkProof(proof, 'SN-3');
    must(isZeroSum(curve, groth16Equation(curve, key, [{ proof, inputs, weights: [1n, 1n] }])), 'SN-4', 'the equation');
  });

const gm17Outcome = (files: Parts): string =>
  outcome(() => {
    const { curve, key } = readGm17Key(files.key);
    checkGm17Key(curve, key);
    const [inputs, proof] = [readInputs(files.inputs), readGm17Proof(files.proof, curve)];
    checkInputs(curve, key.IC.length - 1, inputs);
    checkProof(proof, 'SN-6');
    must(isZeroSum(curve, gm17Equations(curve, key, [{ proof, inputs, weights: [2n ** 127n + 1n, 3n] }])), 'SN-6', 'the equations');
  });

test('a proof of Groth16 holds, and nothing of it can change', () => {
  const files = groth16();
  assert.equal(groth16Outcome(files), 'holds');
  const inputs = JSON.parse(new TextDecoder().decode(files.inputs)) as string[];
  const restated = (list: string[]): string => groth16Outcome({ ...files, inputs: text(JSON.stringify(list)) });
  assert.equal(restated(inputs.map((x) => String(BigInt(x) + 1n))), 'SN-4');
  assert.equal(restated(inputs.slice(1)), 'SN-1');
  assert.equal(restated([...inputs, '0']), 'SN-1');
  // The same number modulo the order is another encoding.
  assert.equal(restated(inputs.map((x) => String(BigInt(x) + 21888242871839275222246405745257275088548364400416034343698204186575808495617n))), 'SN-1');
  assert.equal(restated(inputs.map((x) => `0${x}`)), 'SN-1');

  const proof = (from: string | RegExp, to: string): string => groth16Outcome({ ...files, proof: edit(files.proof, from, to) });
  assert.equal(proof('"groth16"', '"plonk"'), 'SN-3');
  assert.equal(proof('"bn128"', '"bls12381"'), 'SN-3');
  assert.equal(proof('"pi_a"', '"more": "",\n "pi_a"'), 'SN-3');
  assert.equal(proof(/"pi_a": \[\s*"/, '"pi_a": [ "1'), 'CV-6');
  const { pi_a } = JSON.parse(new TextDecoder().decode(files.proof)) as { pi_a: string[] };
  const negated = 21888242871839275222246405745257275088696311157297823662689037894645226208583n - BigInt(pi_a[1]!);
  assert.equal(proof(pi_a[1]!, negated.toString()), 'SN-4');

  const key = (from: string | RegExp, to: string): string => groth16Outcome({ ...files, key: edit(files.key, from, to) });
  assert.equal(key('"nPublic": 2', '"nPublic": 3'), 'SN-2');
  assert.equal(key('"bn128"', '"secp256k1"'), 'SN-2');
  const { vk_alphabeta_12 } = JSON.parse(new TextDecoder().decode(files.key)) as { vk_alphabeta_12: string[][][] };
  const coefficient = vk_alphabeta_12[0]![0]![0]!;
  assert.equal(key(coefficient, (BigInt(coefficient) - 1n).toString()), 'SN-2');
});

test('keys under which everything is proven are refused', () => {
  const { curve, key } = readGroth16Key(read('vk.json'));
  const [G, H] = generators(BN254);
  const attempt = (change: object): string => outcome(() => checkGroth16Key(curve, { ...key, ...change }));
  assert.equal(attempt({}), 'holds');
  for (const delta of [key.gamma, key.gamma.negate(), H, H.negate()]) assert.equal(attempt({ delta }), 'SN-2');
  assert.equal(attempt({ IC: [] }), 'SN-2');
  assert.equal(attempt({ IC: [G, G.subtract(G)] }), 'SN-2');
});

test('a proof of GM17 holds, and none of its bytes can change', () => {
  assert.equal(gm17Outcome(gm17()), 'holds');
  const { proof, key } = gm17();
  for (let at = 0; at < proof.length; at += 18) {
    assert.notEqual(gm17Outcome({ ...gm17(), proof: flip(proof, at, at % 8) }), 'holds', `byte ${at} of the proof`);
  }
  for (let at = 3; at < key.length; at += 46) {
    assert.notEqual(gm17Outcome({ ...gm17(), key: flip(key, at, at % 8) }), 'holds', `byte ${at} of the key`);
  }
  assert.equal(gm17Outcome({ ...gm17(), proof: proof.slice(0, -1) }), 'CV-1');
  assert.equal(gm17Outcome({ ...gm17(), inputs: text('["1", "2"]') }), 'SN-6');
});

async function claimOutcome(files: Files): Promise<string> {
  try {
    const { claims } = await verifyBundle(directory(files), here);
    return claims[0]!.status === 'holds' ? 'holds' : (claims[0]!.why?.check ?? claims[0]!.status);
  } catch (error) {
    if (error instanceof Refusal) return error.check;
    throw error;
  }
}

test('claims about proofs', async () => {
  for (const [system, equation] of [['groth16', 'SN-4'], ['gm17', 'SN-6'], ['sonic', 'SN-8']] as const) {
    const files = readFiles(join(VECTORS, 'snark', system));
    const verdict = await verifyBundle(directory(files), here);
    assert.equal(verdict.claims[0]!.status, 'holds', system);
    const { premises } = verdict.claims[0]!;
    assert.match(premises.join(), /^key:[0-9a-f]{64}$/);
    assert.equal(exitCode(verdict, []), 4);
    assert.equal(exitCode(verdict, premises), 0);
    // Another claim of the bundle may show where the key comes from; only one that holds, and not the claim itself.
    const [claim] = verdict.claims;
    const shows = (status: 'holds' | 'false'): number => exitCode({ ...verdict, claims: [claim!, { ...claim!, premises: [], shows: premises, status }] }, []);
    assert.deepEqual([shows('holds'), shows('false')], [0, 1]);
    assert.equal(exitCode({ ...verdict, claims: [{ ...claim!, shows: premises }] }, []), 4);
    for (const [from, to, check] of [
      ['"2685"', '"2686"', equation],
      ['"2685"', '"02685"', 'SN-9'],
      ['"names": null', '"names": [\n      "hash"\n    ]', 'SN-9'],
      ['"names": null', '"names": [\n      "a",\n      "a"\n    ]', 'SN-9'],
      ['"names": null', '"names": [\n      "hash",\n      "bound"\n    ]', 'holds'],
      ['"curve": "BN254"', '"curve": "BLS12-381"', 'CB-12'],
      [/"key": "[0-9a-f]/, '"key": "x', 'CB-12'],
    ] as const) {
      assert.equal(await claimOutcome(restate(files, from, to)), check, `${system}, ${to}`);
    }
    const path = [...files.keys()].find((name) => name.includes('proof-1'))!;
    const bytes = files.get(path)!;
    // White space at the end of JSON changes nothing, but for the length.
    const longer = (of: string, length: number): Files => {
      const long = new Uint8Array(length).fill(0x20);
      long.set(files.get(of)!);
      return replace(files, of, long);
    };
    assert.equal(await claimOutcome(longer(path, 2 ** 12 + 1)), 'CB-11', `${system}, a long proof`);
    const key = [...files.keys()].find((name) => name.endsWith('/key'))!;
    assert.equal(await claimOutcome(longer(key, 2 ** 24 + 1)), 'CB-11', `${system}, a long key`);
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 3)) {
      assert.notEqual(await claimOutcome(replace(files, path, flip(bytes, at))), 'holds', `${system}, byte ${at}`);
    }
  }
});

test('many proofs under one key: the false one is named', async () => {
  const { curve, key } = readGroth16Key(read('vk.json'));
  const [proof, inputs] = [readGroth16Proof(read('proof.json'), curve), readInputs(read('public.json'))];
  const weights = (i: number): [bigint, bigint] => [BigInt(i) * 0x9e3779b97f4a7c15f39cc0605cedc835n, 1n];
  const many = Array.from({ length: 6 }, (_, i) => ({ proof, inputs, weights: weights(i + 1) }));
  assert.ok(isZeroSum(curve, groth16Equation(curve, key, many)));
  // Errors that cancel without weights.
  const shifted = (by: typeof proof.C, i: number): void => void (many[i] = { ...many[i]!, proof: { ...proof, C: proof.C.add(by) } });
  shifted(key.IC[0]!, 1);
  shifted(key.IC[0]!.negate(), 4);
  assert.ok(isZeroSum(curve, groth16Equation(curve, key, many.map((one) => ({ ...one, weights: [1n, 1n] as [bigint, bigint] })))));
  assert.ok(!isZeroSum(curve, groth16Equation(curve, key, many)));
});
