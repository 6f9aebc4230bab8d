import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { compare, concat, equal, le64, text } from '../src/bytes.js';
import { digest } from '../src/digest.js';
import { readLizard, writeLizard } from '../src/lizard.js';
import { hashToGroup, ZERO } from '../src/group.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { resigned, type Said } from './boards.js';
import { keyOf, rebundled, relogged, type SaidLeaf } from './logged.js';
import { checksOf, directory, flip, readFiles, replace, restate, VECTORS, type Files } from './vectors.js';

const lunch = readFiles(join(VECTORS, 'election/lunch'));
const garden = readFiles(join(VECTORS, 'election/garden'));

/** The check that refuses a bundle, or that it holds. */
async function outcome(files: Files): Promise<string> {
  try {
    const verdict = await verifyBundle(directory(files), here);
    const { status, why } = verdict.claims[0]!;
    return status === 'false' ? checksOf(why!) : status;
  } catch (error) {
    if (error instanceof Refusal) return error.check;
    throw error;
  }
}

/** The lunch after some entries were changed, and everything from there on was signed again. */
const said = (change: (entries: Said[]) => void): Promise<string> => outcome(resigned(lunch, change));

const flipped = (index: number, at: number) => (entries: Said[]) => {
  const { payload } = entries[index]!;
  entries[index]!.payload = flip(payload, at < 0 ? payload.length + at : at);
};

test('both elections hold, and show whose ballots were accepted', async () => {
  for (const [files, voters] of [[lunch, 6], [garden, 5]] as const) {
    const verdict = await verifyBundle(directory(files), here);
    assert.equal(exitCode(verdict, []), 0, JSON.stringify(verdict.claims[0]!.why));
    const { ballots } = verdict.claims[0]!;
    assert.equal(ballots!.length, voters);
    for (const { code } of ballots!) assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}$/);
  }
});

test('a board signed again as it was is the same board', async () => assert.equal(await said(() => {}), 'holds'));

test('entries that are rightly signed and wrong are refused by their checks', async () => {
  // Entries of the lunch: setup, roll, three rounds by three trustees, opening, ballots, closing, two mixes, three
  // decryptions, outcome.
  const cases: [what: string, change: (entries: Said[]) => void, check: string][] = [
    ['a commitment without its proof', flipped(2, -1), 'EL-6 TH-2'],
    ['shares without their proof', flipped(5, -30), 'EL-6 TH-3'],
    ['a verdict about other shares', flipped(8, 3), 'EL-6 TH-4'],
    ['the message of another trustee', flipped(2, 0), 'EL-6'],
    ['other numbers of ballots', flipped(13, 0), 'EL-10'],
    ['the digest of other ballots', flipped(13, 12), 'EL-10'],
    ['a wrong response of a mix', flipped(14, -32), 'EL-11 TW-12'],
    ['a wrong partial decryption', flipped(16, -30), 'EL-12 TH-7'],
    ['another trustee in a decryption', flipped(16, 0), 'EL-12'],
    ['another count', (entries) => entries.at(-1)!.payload.set(text('7'), 4 + '{"ballots":'.length), 'EL-13'],
    ['a fault that is none', (entries) => { const last = entries.at(-1)!; last.payload = concat(last.payload.slice(0, -4), Uint8Array.of(1, 0, 0, 0), le64(3)); }, 'EL-13'],
    ['the mixes in another order', (entries) => entries.splice(14, 2, entries[15]!, entries[14]!), 'EL-4'],
    ['one mix where two are due', (entries) => entries.splice(15, 1), 'EL-4'],
    ['an entry behind the outcome', (entries) => entries.push({ ...entries[16]! }), 'EL-4'],
    ['no outcome', (entries) => entries.pop(), 'EL-14'],
    ['a mixer that is absent behind its turn', (entries) => entries.splice(16, 0, { ...entries[1]!, kind: 'election/absent', payload: Uint8Array.of(3, 1, 0) }), 'EL-4'],
    ['a voter whose key is of small order', (entries) => { const roll = entries[1]!; roll.payload = concat(Uint8Array.of(7), roll.payload.slice(1), Uint8Array.of(1, 0, 0, 0, 0x7a), new Uint8Array(32)); }, 'CV-6'],
    ['a voter of two names', (entries) => { const { payload } = entries[1]!; payload.set(payload.subarray(8, 11), 47); }, 'EL-5'],
  ];
  for (const [what, change, check] of cases) assert.equal(await said(change), check, what);
});

test('faults that the last entry lists are in the statement, in whatever words', async () => {
  // A message is cut, listed as a fault, and said again.
  const again = (at: number) => (entries: Said[]): void => {
    entries.splice(at, 0, { ...entries[at]!, payload: entries[at]!.payload.slice(0, -1) });
    const last = entries.at(-1)!;
    last.payload = concat(last.payload.slice(0, -4), Uint8Array.of(1, 0, 0, 0), le64(at));
  };
  const listed = (at: number, party: string): Files => restate(resigned(lunch, again(at)), '"faults": []', `"faults": [\n      "${party}: cut (entry ${at})"\n    ]`);
  assert.equal(await outcome(listed(16, 'decryption: trustee 3')), 'holds');
  assert.equal(await outcome(listed(14, 'mixing: mixer 1')), 'holds');
  assert.equal(await outcome(listed(14, 'mixing: mixer 2')), 'CB-12');
  assert.equal(await outcome(resigned(lunch, again(16))), 'CB-12');
});

test('a trustee who is silent in a round is a fault of it, and one whom the operator names', async () => {
  const trustee = lunch.get('objects/board/00000010.entry')!.at(-64 - 38)!;
  const files = resigned(lunch, (entries) => {
    entries[10] = { ...entries[1]!, kind: 'election/absent', payload: Uint8Array.of(2, trustee, 0) };
    const last = entries.at(-1)!;
    last.payload = concat(last.payload.slice(0, -4), Uint8Array.of(1, 0, 0, 0), le64(10));
  });
  const fault = `"key generation: trustee ${trustee}: silent (entry 10)"`;
  assert.equal(await outcome(restate(files, '"faults": []', `"faults": [\n      ${fault},\n      ${fault}\n    ]`)), 'holds');
  assert.equal(await outcome(restate(files, '"faults": []', `"faults": [\n      ${fault}\n    ]`)), 'CB-12');
});

test('the chain and its signatures are bound', async () => {
  const path = (i: number): string => `objects/board/${String(i).padStart(8, '0')}.entry`;
  const with1 = (i: number, at: number): Promise<string> => outcome(replace(lunch, path(i), flip(lunch.get(path(i))!, at)));
  assert.equal(await with1(3, 1), 'BD-1');
  assert.equal(await with1(3, 20), 'BD-1');
  assert.equal(await with1(19, lunch.get(path(19))!.length - 1), 'BD-2');
  assert.equal(await with1(3, lunch.get(path(3))!.length - 1), 'BD-2');
});

test('each member of the statement is bound', async () => {
  for (const [from, to] of [
    ['"accepted": 6', '"accepted": 7'],
    ['"Soup"', '"Soap"'],
    ['"refused": 0', '"refused": 1'],
    ['"registered": 6', '"registered": 7'],
    ['"threshold": 2', '"threshold": 1'],
    ['"title": "Lunch"', '"title": "Launch"'],
    ['"faults": []', '"faults": [\n      "mixing: mixer 1: absent (entry 14)"\n    ]'],
    ['"majority": 3', '"majority": 2'],
    ['"winner": 0', '"winner": 1'],
  ] as const) {
    assert.equal(await outcome(restate(lunch, from, to)), 'CB-12', to);
  }
  assert.equal(await outcome(restate(lunch, '"version": 1', '"version": 2')), 'CB-9');
  assert.equal(await outcome(restate(lunch, '"version": 1', '"version": 3')), 'CB-9');
  assert.equal(await outcome(restate(lunch, '"version": 1', '"version": 4')), 'not checked');
});

test('no byte of an entry can change', { timeout: 60_000 }, async () => {
  const until = Date.now() + 1_000;
  const places = [...garden].filter(([path]) => path.startsWith('objects/')).flatMap(([path, bytes]) => [3, 90, bytes.length - 100].map((at) => ({ path, bytes, at })));
  for (const { path, bytes, at } of places) {
    if (Date.now() > until) break;
    assert.notEqual(await outcome(replace(garden, path, flip(bytes, at))), 'holds', `${path}, byte ${at}`);
  }
});

test('a point carries the message that Lizard wrote, and others carry none', () => {
  for (let i = 0; i < 24; i++) {
    const message = Uint8Array.from({ length: 16 }, (_, j) => (i === 0 ? 0 : (31 * i + 7 * j * j) & 255));
    assert.deepEqual(readLizard(writeLizard(message)), message);
    assert.equal(readLizard(hashToGroup(message)), undefined);
  }
  assert.equal(readLizard(ZERO), undefined);
});


const logged = readFiles(join(VECTORS, 'election/logged'));
/** The outcome for a log in which keeper and parties said something else. */
const inLog = (change: (leaves: SaidLeaf[]) => void): Promise<string> => outcome(relogged(logged, change));
const place = (leaves: SaidLeaf[], kind: string): number => leaves.findIndex((leaf) => leaf.kind === kind);
/** Its author says something else. */
const says = (kind: string, what: Partial<SaidLeaf>) => (leaves: SaidLeaf[]) => void Object.assign(leaves[place(leaves, kind)]!, { header: undefined, ...what });
/** The last entry lists another fault, and is in the slot of so many. */
const listing = (entry: number) => (leaves: SaidLeaf[]): void => {
  const last = leaves.at(-1)!;
  Object.assign(last, { header: undefined, subject: text('1'), payload: concat(last.payload.slice(0, -4), Uint8Array.of(1, 0, 0, 0), le64(entry)) });
};

test('an election on a log holds, and nothing of the log can be left out, added or moved', async () => {
  assert.equal(await inLog(() => {}), 'holds');
  const cases: [what: string, change: (leaves: SaidLeaf[]) => void, check: string][] = [
    ['a heartbeat between', (leaves) => leaves.splice(4, 0, { ...leaves[4]!, author: keyOf('keeper'), kind: 'log/tick', subject: text('1'), payload: new Uint8Array(0), isEntry: false, header: undefined }), 'holds'],
    ['a heartbeat of somebody else', (leaves) => leaves.splice(4, 0, { ...leaves[4]!, author: keyOf('mixer-1'), kind: 'log/tick', subject: text('1'), payload: new Uint8Array(0), isEntry: false, header: undefined }), 'BD-4'],
    ['an entry that the bundle leaves out', (leaves) => (leaves[place(leaves, 'mix')]!.isEntry = false), 'BD-4'],
    ['a leaf that is there again', (leaves) => leaves.splice(-1, 0, { ...leaves[place(leaves, 'mix')]!, time: leaves.at(-1)!.time, isEntry: false }), 'holds'],
    ['an entry that is no leaf of its own', (leaves) => (leaves[place(leaves, 'party/run')]!.isEntry = true), 'BD-4'],
    ['times that fall', (leaves) => (leaves[3]!.time = 0n), 'LG-8'],
    ['another payload than the one that was signed', (leaves) => { const leaf = leaves[place(leaves, 'election/close')]!; leaf.payload = flip(leaf.payload, 0); }, 'LG-2'],
    ['a signature of somebody else', (leaves) => { const leaf = leaves[place(leaves, 'mix')]!; leaf.header = flip(leaf.header!, leaf.header!.length - 5); }, 'LG-1'],
    ['two mixes in the other order', (leaves) => { const at = leaves.map(({ kind }, i) => (kind === 'mix' ? i : -1)).filter((i) => i >= 0); [leaves[at[0]!], leaves[at[1]!]] = [{ ...leaves[at[1]!]!, time: leaves[at[0]!]!.time }, { ...leaves[at[0]!]!, time: leaves[at[1]!]!.time }]; }, 'EL-4'],
    ['ballots in the slot of others', says('ballots', { subject: new Uint8Array(32) }), 'BD-5'],
    ['a closing that counts others', says('election/close', { subject: text('9') }), 'BD-5'],
    ['an outcome in the slot of another', says('election/outcome', { subject: text('3') }), 'BD-5'],
    ['a mix with a subject', says('mix', { subject: text('1') }), 'BD-5'],
    ['an absence of another round', (leaves) => leaves.splice(place(leaves, 'mix'), 0, { ...leaves[place(leaves, 'mix')]!, author: keyOf('operator'), kind: 'election/absent', subject: text('mixing, round 1: mixer 1'), payload: Uint8Array.of(3, 1, 0), header: undefined }), 'BD-5'],
    ['the same of this one', (leaves) => leaves.splice(place(leaves, 'mix'), 0, { ...leaves[place(leaves, 'mix')]!, author: keyOf('operator'), kind: 'election/absent', subject: text('mixing, round 0: mixer 1'), payload: Uint8Array.of(3, 1, 0), header: undefined }), 'EL-7'],
  ];
  for (const [what, change, check] of cases) assert.equal(await inLog(change), check, what);
});

test('an author who says two things in one slot is named, and the second has no effect', async () => {
  const twice = (leaves: SaidLeaf[]): void => {
    const at = place(leaves, 'ballots');
    const subject = leaves[at]!.subject;
    assert.ok(equal(subject, digest('subrosa/election/batch/v1', leaves[at]!.payload)));
    leaves.splice(at + 1, 0, { ...leaves[at]!, subject, payload: flip(leaves[at]!.payload, 9), header: undefined });
  };
  assert.equal(await inLog(twice), 'BD-4');
  // Where the outcome lists it, only the statement has to name it, too.
  assert.equal(await inLog((leaves) => { twice(leaves); listing(place(leaves, 'ballots') + 1)(leaves); }), 'CB-12');
});

test('a log is that of its keeper, at the size that was signed', async () => {
  const log = logged.get('objects/board/log')!;
  const entries = [...logged].filter(([path]) => path.endsWith('.entry')).sort(([a], [b]) => compare(text(a), text(b)));
  const changed = (change: (bytes: Uint8Array) => Uint8Array, list = entries): Promise<string> => outcome(rebundled(logged, list, change(log.slice())));
  const note = 18 + 4 + log[18]! + 4;
  assert.equal(await changed((bytes) => bytes), 'holds');
  assert.equal(await changed((bytes) => flip(bytes, 18 + 4 + 20)), 'LG-5');
  assert.equal(await changed((bytes) => flip(bytes, note + 100)), 'LG-5');
  assert.equal(await changed((bytes) => flip(bytes, bytes.length - 100)), 'BD-3');
  assert.equal(await changed((bytes) => bytes.slice(0, -1)), 'CV-1');
  assert.equal(await changed((bytes) => bytes, entries.slice(0, -1)), 'BD-4');
  assert.equal(await changed((bytes) => bytes, [...entries.slice(1), entries[0]!]), 'BD-4');
  assert.equal(await changed((bytes) => bytes, [...entries, entries.at(-1)!]), 'BD-4');
});
