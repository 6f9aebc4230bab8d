import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { concat, le16, le32, le64, text } from '../src/bytes.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { ELECTIONS, keyOf, relogged, type SaidLeaf } from './logged.js';
import { mutants } from './mutants.js';
import { checksOf, directory, flip, readFiles, restate, VECTORS, type Files } from './vectors.js';

const dated = readFiles(join(ELECTIONS, 'dated'));

/** The check that refuses a bundle, or that it holds. */
async function outcome(files: Files): Promise<string> {
  try {
    const { status, why } = (await verifyBundle(directory(files), here)).claims[0]!;
    return status === 'false' ? checksOf(why!) : status;
  } catch (error) {
    if (error instanceof Refusal) return error.check;
    throw error;
  }
}

const place = (leaves: SaidLeaf[], kind: string): number => leaves.findIndex((leaf) => leaf.kind === kind);
type Change = (leaves: SaidLeaf[]) => void;

/** The first entry of a kind says another byte, or something else. */
const says = (kind: string, at: number, subject?: string): Change => (leaves) => {
  const leaf = leaves[place(leaves, kind)]!;
  leaf.payload = flip(leaf.payload, at < 0 ? leaf.payload.length + at : at);
  if (subject !== undefined) leaf.subject = text(subject);
  leaf.header = undefined;
};

/** The operator's word that a party is absent, as the next entry behind the first of a kind. */
const absence = (kind: string, role: number, number: number, name: string, later: bigint): Change => (leaves) => {
  const at = place(leaves, kind) + 1;
  const payload = concat(Uint8Array.of(role), le16(number), le64(at), new Uint8Array(32));
  const time = leaves[at - 1]!.time + later;
  const subject = text(`${at}: ${name}`);
  leaves.splice(at, 0, { time, author: keyOf('operator', true), kind: 'election/absent/2', subject, payload, said: 1n, isEntry: true, header: undefined });
  for (const leaf of leaves.slice(at)) if (leaf.time < time) leaf.time = time;
};

test('elections of version 2 hold, and show whose ballots were accepted', async () => {
  for (const files of [dated, readFiles(join(VECTORS, 'election/supper'))]) {
    const verdict = await verifyBundle(directory(files), here);
    assert.equal(exitCode(verdict, []), 0, JSON.stringify(verdict.claims[0]!.why));
    const { ballots } = verdict.claims[0]!;
    assert.equal(ballots!.length, 5);
    for (const { code } of ballots!) assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}$/);
  }
});

test('entries that are rightly signed and wrong are refused by their checks', async () => {
  const cases: [what: string, change: Change, check: string][] = [
    ['nothing else', () => {}, 'holds'],
    ['the head of no entry', says('election/ready', 40), 'EL-21'],
    ['a head in another slot', says('election/open/2', -40), 'BD-5'],
    ['an opening with a neutral key', (leaves) => { const leaf = leaves[place(leaves, 'election/open/2')]!; leaf.payload = concat(new Uint8Array(32), leaf.payload.slice(32)); leaf.header = undefined; }, 'CV-6'],
    ['an opening that another confirmed', says('election/open/2', 36), 'EL-8'],
    ['an opening after the polls close, in another slot', (leaves) => { const at = place(leaves, 'election/open/2'); const late = leaves[place(leaves, 'election/close/2')]!.time; Object.assign(leaves[at]!, { subject: text('x'), header: undefined }); for (const leaf of leaves.slice(at)) if (leaf.time < late) leaf.time = late; }, 'EL-4'],
    ['a roll with classes, in another slot', (leaves) => void Object.assign(leaves[place(leaves, 'election/roll')]!, { kind: 'election/roll/classes', subject: text('x'), header: undefined }), 'EL-4'],
    ['a closing before the polls close', (leaves) => { const at = place(leaves, 'ballots/revisions'); const before = leaves[at - 1]!.time; for (const leaf of leaves.slice(place(leaves, 'election/close/2'))) leaf.time = before; for (const leaf of leaves.slice(at)) if (leaf.time > before) leaf.time = before; }, 'EL-10'],
    ['other numbers of ballots', says('election/close/2', 0), 'EL-10'],
    ['the digest of other ballots', says('election/close/2', 12), 'EL-10'],
    ['a signature for another closing', says('election/seen', 3), 'EL-23'],
    ['a mix of another turn', says('mix/header', 0, '0'), 'EL-25'],
    ['the digest of another mix', says('mix/header', 14), 'EL-25'],
    ['a part of another index', says('mix/part', 4, '1/1'), 'EL-25'],
    ['a part in another slot', says('mix/part', 4), 'BD-5'],
    ['an outcome that counts otherwise', says('election/outcome', 4 + '{"ballots":'.length), 'EL-13'],
    ['a mixer who has time yet, at no head', absence('election/seen', 3, 1, 'mixer 1', 1n), 'EL-4'],
    ['an absence at the head of no entry', absence('election/roll', 3, 1, 'mixer 1', 1n), 'EL-21'],
    ['an entry of version 1', (leaves) => { const at = place(leaves, 'election/close/2'); leaves.splice(at, 0, { ...leaves[at]!, kind: 'election/close', payload: new Uint8Array(40), header: undefined }); }, 'EL-4'],
    ['no outcome', (leaves) => leaves.pop(), 'EL-14'],
    ['more bytes than a message has', (leaves) => { const leaf = leaves[place(leaves, 'election/seen')]!; leaf.payload = concat(leaf.payload, le32(0)); leaf.header = undefined; }, 'CV-1'],
  ];
  for (const [what, change, check] of cases) assert.equal(await outcome(relogged(dated, change)), check, what);
});

test('trustees who do wrong are named in their order, by the check that each fails', async () => {
  assert.equal(await outcome(readFiles(join(VECTORS, 'election/brunch'))), 'holds');
  const wrong = mutants().filter(({ name }) => /brunch|election\/roll/.test(name));
  assert.equal(wrong.length, 10);
  for (const { name, check, files } of wrong) assert.equal((await outcome(files())).split(' ')[0], check, name);
});

test('each member of the statement is bound', async () => {
  for (const [from, to] of [
    [/"patience": \d+/, '"patience": 1'],
    [/"quorum": \d+/, '"quorum": 1'],
    [/"opens": \d+/, '"opens": 1'],
    [/"closing": "[0-9a-f]{4}/, '"closing": "0000'],
    [/"opening": "[0-9a-f]{4}/, '"opening": "0000'],
    ['"mixer 1"', '"mixer 9"'],
  ] as const) {
    assert.equal(await outcome(restate(dated, from, to)), 'CB-12', to);
  }
  assert.equal(await outcome(restate(dated, '"version": 3', '"version": 2')), 'EL-26');
});
