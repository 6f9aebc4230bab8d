import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { concat, hex, join as glue, le32, le64, littleEndian } from '../src/bytes.js';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { Container } from '../src/ceremony/container.js';
import { firstChallenge } from '../src/ceremony/first.js';
import { groupsOf, readPoint, widthOf } from '../src/ceremony/points.js';
import { squareRoot } from '../src/ceremony/sample.js';
import { combination, runCurve, type CurveJob } from '../src/ceremony/work.js';
import { here } from '../src/pool.js';
import { BN254, CURVES } from '../src/snark/curve.js';
import { directory, readFiles, replace, restate, VECTORS, type Files } from './vectors.js';

const CEREMONY = join(VECTORS, 'ceremony');
const bundle = (name: string): Files => readFiles(join(CEREMONY, name));
const file = (role: string): string => `objects/ceremony/${role}`;

/** The check that refuses the claim, or that it holds. */
async function outcome(files: Files): Promise<string> {
  const { claims } = await verifyBundle(directory(files), here);
  const claim = claims.find(({ kind }) => kind === 'ceremony')!;
  return claim.status === 'holds' ? 'holds' : (claim.why?.check ?? claim.status);
}

/** A container with one section changed, or with other sections. */
function edited(files: Files, role: string, change: (sections: [number, Uint8Array][]) => void): Files {
  const bytes = files.get(file(role))!;
  const container = Container.read(bytes, new TextDecoder().decode(bytes.subarray(0, 4)));
  const sections = container.ids.map((id): [number, Uint8Array] => [id, container.section(id).slice()]);
  change(sections);
  const written = sections.map(([id, content]) => concat(le32(id), le64(content.length), content));
  return replace(files, file(role), glue([bytes.subarray(0, 8), le32(sections.length), ...written]));
}

const section = (sections: [number, Uint8Array][], id: number): Uint8Array => sections.find(([own]) => own === id)![1];

/** Two of a section's points change places. */
const swapped = (id: number, width: number, first = 1) => (sections: [number, Uint8Array][]): void => {
  const content = section(sections, id);
  const [a, b] = [content.slice(first * width, (first + 1) * width), content.slice((first + 1) * width, (first + 2) * width)];
  assert.notDeepEqual(a, b);
  content.set(b, first * width);
  content.set(a, (first + 1) * width);
};

const flipped = (id: number, at: number) => (sections: [number, Uint8Array][]): void => {
  const content = section(sections, id);
  content[at < 0 ? content.length + at : at]! ^= 1;
};

const ONE = widthOf(groupsOf(BN254).G1);
const TWO = widthOf(groupsOf(BN254).G2);

test('ceremonies hold, in both forms and on both curves', async () => {
  for (const [name, keys] of [['phase1', 0], ['proof', 1], ['record', 1], ['snarkjs', 1], ['bls12-381', 1]] as const) {
    const verdict = await verifyBundle(directory(bundle(name)), here);
    const claim = verdict.claims.find(({ kind }) => kind === 'ceremony')!;
    assert.equal(claim.status, 'holds', `${name}: ${claim.why?.check} ${claim.why?.what}`);
    assert.equal(claim.shows.length, keys);
    // The proof's premise is shown; that of the ceremony is the reader's.
    assert.equal(exitCode(verdict, []), 4);
    assert.equal(exitCode(verdict, claim.premises), 0, name);
  }
});

test('no section of a record can change', async () => {
  const record = bundle('record');
  const attempts: [string, (sections: [number, Uint8Array][]) => void][] = [
    ['CE-28', (sections) => void sections.reverse()],
    ['CE-28', (sections) => void sections.push([8, new Uint8Array(64)])],
    // Without the transcript it is a record of snarkjs, to which nobody contributed.
    ['CE-11', (sections) => void sections.pop()],
    ['CE-28', flipped(1, 0)],
    ['CE-28', flipped(2, 10)],
    ['CE-1', flipped(2, -1)],
    // IC of other wires: another key.
    ['CB-12', swapped(3, ONE, 0)],
    // The circuit hash begins the chain.
    ['CE-15', flipped(10, 0)],
    ['CV-1', (sections) => (sections[4]![1] = section(sections, 100).slice(0, -1))],
    // A beacon's bytes: the end of the transcript.
    ['CE-15', flipped(100, -1)],
    // A participant's name, of three letters.
    ['CE-15', flipped(100, 18 + 4 + 4)],
  ];
  for (const [check, change] of attempts) assert.equal(await outcome(edited(record, 'record', change)), check, String(change));
});

test('a record without a contributor, or with a δ that nobody made, proves everything', async () => {
  const record = bundle('record');
  const none = (sections: [number, Uint8Array][]): void => {
    const at = sections.findIndex(([id]) => id === 100);
    sections[at]![1] = concat(section(sections, 100).slice(0, 18), le32(0));
  };
  assert.equal(await outcome(edited(record, 'record', none)), 'CE-11');
  // δ of the contribution before: [γ]₂ stands before δ₁, at the end of the header.
  const points = 3 * (ONE + TWO);
  const header = section([[2, Container.read(record.get(file('record'))!, 'zkey').section(2)]], 2);
  const from = header.length - points;
  const G1 = (sections: [number, Uint8Array][], to: number, source: number): void => void section(sections, 2).set(section(sections, 2).slice(source, source + ONE), to);
  assert.equal(await outcome(edited(record, 'record', (s) => G1(s, from + 2 * ONE + 2 * TWO, from))), 'CE-11');
  assert.equal(await outcome(edited(record, 'record', (s) => G1(s, from + ONE, from))), 'CE-26');
  assert.ok(!readPoint(groupsOf(BN254).G1, header.subarray(from, from + ONE)).is0());
});

/** One section of each file, of each form; the others' are in vectors/mutants.json, which compare.ts takes. */
test('no section of a key, nor of the phase 1 below it, can change', async () => {
  const attempts: [string, string, string, (sections: [number, Uint8Array][]) => void][] = [
    ['CE-10', 'proof', 'parameters', swapped(5, ONE)],
    ['CE-12', 'snarkjs', 'parameters', swapped(9, ONE)],
    ['CE-7', 'proof', 'phase1', swapped(15, ONE, 20)],
    // The hash of the next challenge stands before who it was; a beacon's parameters have 12 bytes more.
    ['CE-6', 'snarkjs', 'phase1', flipped(7, -(8 + 2 + 1 + 2 + 3))],
    ['CE-9', 'proof', 'phase1', flipped(100, -1)],
  ];
  for (const [check, name, role, change] of attempts) {
    assert.equal(await outcome(edited(bundle(name), role, change)), check, `${name}, ${role}, ${check}`);
  }
});

test('sums with buckets are those of multiples, and no point outside a subgroup is among them', () => {
  const { G1, G2 } = groupsOf(BN254);
  for (const [count, bits] of [[0, 128], [1, 5], [3, 14], [40, 128], [100, 254]] as const) {
    const scalars = Array.from({ length: count }, (_, i) => (BigInt(i * i + 7) ** 40n + 1n) % 2n ** BigInt(bits));
    const points = scalars.map((_, i) => (i === 2 ? G1.Point.ZERO : G1.Point.BASE.multiplyUnsafe(BigInt(i + 1))));
    const one = scalars.reduce((sum, scalar, i) => sum + (i === 2 ? 0n : scalar * BigInt(i + 1)), 0n) % BN254.noble.fields.Fr.ORDER;
    assert.ok(combination(G1, points, scalars).equals(G1.Point.BASE.multiplyUnsafe(one)), `${count} points`);
  }
  // The first point of the curve of G2 with x = n: its order is not that of the subgroup.
  const { Fp2 } = BN254.noble.fields;
  const encode = (values: bigint[]): Uint8Array => glue(values.map((x) => littleEndian((x * 2n ** 256n) % BN254.noble.fields.Fp.ORDER, 32)));
  const outside = (() => {
    for (let n = 1n; ; n++) {
      const x = Fp2.fromBigTuple([n, 0n]);
      const y = squareRoot(Fp2, Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.Point.CURVE().b));
      if (y !== undefined) return encode([n, 0n, y.c0, y.c1]);
    }
  })();
  const { x, y } = G2.Point.BASE.toAffine();
  const inside = encode([x.c0, x.c1, y.c0, y.c1]);
  for (const count of [1, 100]) {
    const list = Array.from({ length: count }, () => inside);
    const job = (points: Uint8Array[]): CurveJob => ({ sums: { curve: 'BN254', group: 'G2', points: glue(points), neutral: false }, weights: [new Uint8Array(16 * count).fill(1)] });
    assert.ok('points' in runCurve(job(list)));
    const outcome = runCurve(job([...list.slice(1), outside]));
    assert.ok('refused' in outcome && outcome.refused.check === 'CE-1', `${count} points`);
  }
});

test('statements say what files bear out, and roles go together', async () => {
  const record = bundle('record');
  for (const [from, to, check] of [
    ['"rows": 8', '"rows": 16', 'CB-12'],
    ['"Ben"', '"Bea"', 'CB-12'],
    ['"hashes_checked": false', '"hashes_checked": true', 'CB-12'],
    ['"iterations_exp": 10', '"iterations_exp": 11', 'CB-12'],
    ['"location": "https', '"location": "two words https', 'CE-27'],
    [/"location": "[^"]*"/, '"location": null', 'holds'],
    [/"parameters": "[0-9a-f]{8}/, '"parameters": "00000000', 'holds'],
    [/"parameters": "[0-9a-f]{8}/, '"parameters": "ABCDEF00', 'CE-27'],
    ['"record": [', '"parameters": [', 'CE-28'],
    ['"record": [', '"circuit": [', 'CE-23'],
  ] as const) {
    assert.equal(await outcome(restate(record, from, to)), check, `${from} becomes ${to}`);
  }
});

test('first challenges are those of the vectors', () => {
  const known = JSON.parse(readFileSync(join(CEREMONY, 'first-challenges.json'), 'utf8')) as Record<string, string[]>;
  for (const curve of CURVES) {
    for (let power = 1; power <= 28; power++) {
      if (power > 6 && power < 15) continue;
      assert.equal(hex(firstChallenge(curve, power)), known[curve.name]![power - 1], `${curve.name}, ${power}`);
    }
  }
});
