// Holds this verifier against another one: verdicts about all vectors, and about mutants of them, and the checks that refuse them.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { text } from '../src/bytes.js';
import { verifyMixes, type MixFiles } from '../src/mix.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import { resigned, type Said } from './boards.js';
import { complained, COMPLAINTS } from './complaints.js';
import { ELECTIONS, relogged, TRACES, type SaidLeaf } from './logged.js';
import { mutants } from './mutants.js';
import { aboutOf, pathOf, reanswered, SPOILT, STATED } from './records.js';
import { BUNDLES, bundleOf, directory, flip, mixOf, readFiles, replace, restate, VECTORS, type Files } from './vectors.js';

const [verifier, mixer, pattern = ''] = process.argv.slice(2);
if (verifier === undefined || mixer === undefined) {
  process.stderr.write('usage: node compare.js SUBROSA-VERIFY SUBROSA [PATTERN OF NAMES]\n');
  process.exit(2);
}
execFileSync(verifier, ['--version']);
const scratch = mkdtempSync(join(tmpdir(), 'subrosa-compare-'));
const TABLES = new URL('../../test/tables/', import.meta.url).pathname;

function write(name: string, bytes: Uint8Array): string {
  const path = join(scratch, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

/** An exit code, with what was said and by which check, if something is refused. */
interface Own {
  code: number;
  check?: string | undefined;
  why: string;
}

const fault = (error: unknown): Own => {
  if (!(error instanceof Refusal)) throw error;
  return { code: error.fault === 'claim' ? 1 : 2, check: error.check, why: error.message };
};

async function ours(files: Files): Promise<Own> {
  try {
    const verdict = await verifyBundle(directory(files), here);
    // The other verifier stops at the first claim that is false.
    const wrong = verdict.claims.find(({ status }) => status === 'false') ?? verdict.claims.find(({ status }) => status === 'not checked');
    const { check, what = '' } = wrong?.why ?? {};
    return { code: exitCode(verdict, []), check, why: wrong === undefined ? '' : `${check ?? 'not checked'}: ${what}` };
  } catch (error) {
    return fault(error);
  }
}

let compared = 0;
/** Where the other verifier names another check than the text does, or another one of two that fail: theirs, and ours. */
const DISPUTED = ['TA-14 TA-12', 'TA-16 TA-15', 'CE-1 CE-28', 'CE-14 CE-15', 'EL-6 EL-4', 'BD-5 BD-4', 'EL-4 BD-4', 'CB-12 CB-6', 'TB-4 TB-5'];
/** How often both refused by one check, and how often one when it decoded what the other decodes later, or never. */
let [same, decoded] = [0, 0];
const checks = new Map<string, number>();
const wanted = new RegExp(pattern);
let differences = 0;

/** Says at once what differs. */
function differs(what: string): void {
  differences += 1;
  process.stdout.write(`differs: ${what}\n`);
}

/** The check by which the other verifier refuses, if it says so. */
function theirCheck(stdout: string): string | undefined {
  if (!stdout.startsWith('{')) return undefined;
  const { error } = JSON.parse(stdout) as { error?: { check?: string | null } };
  return error?.check ?? undefined;
}

function judge(name: string, own: Own, command: string, args: string[]): void {
  const { status, stderr, stdout } = spawnSync(command, [...args, '--json'], { encoding: 'utf8' });
  compared += 1;
  const check = own.why === '' ? `exit code ${own.code}` : own.why.split(':')[0]!;
  checks.set(check, (checks.get(check) ?? 0) + 1);
  // What is not checked here may be true or false; nothing that is checked may differ.
  if (check === 'not checked') return;
  const other = theirCheck(stdout);
  if (status !== own.code) differs(`${name}: ${own.code} here (${own.why}), ${status} there (${(stderr || stdout).trim().split('\n')[0]})`);
  else if (own.check !== undefined && other !== undefined && other !== own.check && !DISPUTED.includes(`${other} ${own.check}`)) {
    // A byte that is no encoding also changes what is hashed or proven.
    if (/CV-/.test(other + own.check)) decoded += 1;
    else differs(`${name}: ${own.why} here, ${other} there: ${stdout.trim().slice(0, 300)}`);
  } else if (own.check !== undefined && other === own.check) same += 1;
}

async function compareBundle(name: string, files: Files): Promise<void> {
  if (!wanted.test(name)) return;
  rmSync(join(scratch, 'bundle'), { recursive: true, force: true });
  for (const [path, bytes] of files) write(join('bundle', path), bytes);
  judge(name, await ours(files), verifier!, [join(scratch, 'bundle')]);
}

async function compareMix(name: string, files: MixFiles): Promise<void> {
  if (!wanted.test(name)) return;
  const key = write('mix/key', files.key);
  const list = write('mix/list', files.ciphertexts);
  const mixes = files.mixes.map((mix, i) => write(`mix/${i}.mix`, mix.bytes));
  let own = { code: 0, why: '' };
  try {
    await verifyMixes(files, here, () => {});
  } catch (error) {
    own = fault(error);
  }
  judge(name, own, mixer!, ['mix', 'verify', list, '--key', key, ...mixes]);
}

/** Places spread over a file, the same ones in every run. */
const places = (length: number, count: number): number[] =>
  Array.from({ length: Math.min(count, length) }, (_, i) => Math.floor(((i + 0.37) * length) / Math.min(count, length)));

const TABLE_BUNDLES = ['lookup', 'hist', 'top', 'skew', 'empty'];
/** Bundles of which fewer places are flipped. */
const MORE_BUNDLES = [
  ...['hierarchy', 'hierarchy-region', 'rollup', 'parts', 'rollup-audit', 'matrix', 'part-keys', 'part-users'],
  ...['recorded', 'erased', 'question', 'questions', 'successor'],
  ...['omission', 'alteration', 'withholding', 'two-roots', 'fork', 'fork-uneven', 'two-successors', 'retired-key'],
];
const VERDICTS = new URL('../../test/verdicts/', import.meta.url).pathname;
const VERDICT_BUNDLES = ['income', 'generator', 'bits', 'bristol'];
const SNARK_BUNDLES = ['groth16', 'gm17', 'sonic', 'batch', 'bls12-381'];
/** Whether the Rust program knows the kind of a bundle's claims: an older one does not know all. */
const isKnown = (path: string): boolean => !/no verifier for claims of kind/.test(spawnSync(verifier, [path], { encoding: 'utf8' }).stderr);
const snarks = SNARK_BUNDLES.filter((name) => isKnown(join(VECTORS, 'snark', name)));
const bundles: [string, Files][] = [
  ...BUNDLES.map((name): [string, Files] => [name, bundleOf(name)]),
  ...[...TABLE_BUNDLES, ...MORE_BUNDLES].map((name): [string, Files] => [`tables/${name}`, readFiles(join(TABLES, name))]),
  ...snarks.map((name): [string, Files] => [`snark/${name}`, readFiles(join(VECTORS, 'snark', name))]),
  ...['record', 'phase1'].map((name): [string, Files] => [`ceremony/${name}`, readFiles(join(VECTORS, 'ceremony', name))]),
  ...VERDICT_BUNDLES.map((name): [string, Files] => [`verdicts/${name}`, readFiles(join(VERDICTS, name))]),
];
for (const [name, files] of bundles) {
  await compareBundle(name, files);
  const count = /^(snark|verdicts|ceremony)/.test(name) || MORE_BUNDLES.some((more) => name === `tables/${more}`) ? 3 : 8;
  for (const [path, bytes] of files) {
    if (path.startsWith('objects/')) {
      for (const at of places(bytes.length, count)) await compareBundle(`${name}, ${path}, byte ${at}`, replace(files, path, flip(bytes, at, at % 8)));
      await compareBundle(`${name}, ${path}, cut`, replace(files, path, bytes.slice(0, -1)));
      await compareBundle(`${name}, ${path}, longer`, replace(files, path, new Uint8Array([...bytes, 10])));
    } else {
      for (const at of places(bytes.length, count - 2)) await compareBundle(`${name}, ${path}, byte ${at}`, new Map(files).set(path, flip(bytes, at)));
    }
  }
}
const sum = bundleOf('sum');
for (const [from, to] of [
  ['"count": 4', '"count": 5'],
  ['"count": 4', '"count": 4.0'],
  ['"count": 4', '"count": "4"'],
  ['"version": 1', '"version": 2'],
  ['"version": 1', '"version": 65536'],
  ['"table-answer"', '"nothing"'],
  ['"proof"', '"proos"'],
  ['"unit": "EUR"', '"unit": "EUR",\n    "usage": 1'],
] as const) {
  await compareBundle(`sum, ${from} becomes ${to}`, restate(sum, from, to));
}
await compareBundle('sum, another file', new Map(sum).set('more', text('')));
const lost = new Map(sum);
lost.delete('bundle.json');
await compareBundle('sum, no manifest', lost);

// Elections: a byte of some entries, statements, and entries that say something else and are rightly signed.
const lunch = readFiles(join(VECTORS, 'election/lunch'));
await compareBundle('garden', readFiles(join(VECTORS, 'election/garden')));
await compareBundle('lunch', lunch);
for (const [path, bytes] of lunch) {
  if (!path.startsWith('objects/')) continue;
  for (const at of places(bytes.length, 2)) await compareBundle(`lunch, ${path}, byte ${at}`, replace(lunch, path, flip(bytes, at, at % 8)));
}
for (let i = 1; i < 20; i++) {
  const say = (change: (entry: Said) => void): Files => resigned(lunch, (entries) => change(entries[i]!));
  const { length } = lunch.get(`objects/board/${String(i).padStart(8, '0')}.entry`)!;
  for (const at of places(length - 160, 4)) {
    await compareBundle(`lunch, entry ${i} says another byte ${at}`, say((entry) => (entry.payload = flip(entry.payload, at % entry.payload.length, at % 8))));
  }
  await compareBundle(`lunch, entry ${i} says less`, say((entry) => (entry.payload = entry.payload.slice(0, -1))));
  await compareBundle(`lunch, entry ${i} twice`, resigned(lunch, (entries) => entries.splice(i, 0, { ...entries[i]! })));
  await compareBundle(`lunch, without entry ${i}`, resigned(lunch, (entries) => entries.splice(i, 1)));
}
for (const [from, to] of [['"accepted": 6', '"accepted": 5'], ['"faults": []', '"faults": [\n      "casting: station 1: no (entry 12)"\n    ]'], ['"majority": 3', '"majority": 4']] as const) {
  await compareBundle(`lunch, ${from} becomes ${to}`, restate(lunch, from, to));
}

// The same on logs, of both versions.
for (const [name, files] of [['logged', readFiles(join(VECTORS, 'election/logged'))], ['dated', readFiles(join(ELECTIONS, 'dated'))]] as const) {
  const log = files.get('objects/board/log')!;
  await compareBundle(name, files);
  for (const at of places(log.length, 8)) await compareBundle(`${name}, log, byte ${at}`, replace(files, 'objects/board/log', flip(log, at, at % 8)));
  const placesOfEntries: number[] = [];
  relogged(files, (all) => all.forEach(({ isEntry, payload }, i) => i > 0 && isEntry && payload.length > 0 && placesOfEntries.push(i)));
  for (const i of placesOfEntries.filter((_, k) => k % 3 === 0)) {
    const say = (change: (leaf: SaidLeaf) => void): Files => relogged(files, (leaves) => { leaves[i]!.header = undefined; change(leaves[i]!); });
    await compareBundle(`${name}, entry ${i} says another byte`, say((leaf) => (leaf.payload = flip(leaf.payload, Math.floor(leaf.payload.length / 3), i % 8))));
    await compareBundle(`${name}, entry ${i} in another slot`, say((leaf) => (leaf.subject = text('x'))));
    await compareBundle(`${name}, entry ${i} said again`, relogged(files, (leaves) => leaves.splice(i + 1, 0, { ...leaves[i]!, payload: flip(leaves[i]!.payload, 5), header: undefined })));
  }
}
await compareBundle('supper', readFiles(join(VECTORS, 'election/supper')));

for (const [what, cheat, faults] of COMPLAINTS) await compareBundle(`complaints: ${what}`, complained(cheat, faults));

// Answers about an election: bytes of the records, and records that say something else and are signed again.
const picnic = readFiles(join(TRACES, 'picnic'));
await compareBundle('picnic', picnic);
for (const number of [0, 1]) {
  const record = picnic.get(pathOf(number))!;
  for (const at of places(record.length, 40)) await compareBundle(`picnic, answer ${number}, byte ${at}`, replace(picnic, pathOf(number), flip(record, at, at % 8)));
  for (const [what, change] of SPOILT) await compareBundle(`picnic, answer ${number}: ${what}`, reanswered(picnic, number, change, aboutOf(picnic)));
}
for (const [from, to] of STATED) await compareBundle(`picnic, ${String(from)} becomes ${to}`, restate(picnic, from, to, 'claims/election-trace.json'));

for (const { name, check, files } of mutants()) {
  const own = await ours(files);
  const isAgreed = own.check === check || own.why.startsWith('not checked') || DISPUTED.includes(`${check} ${own.check}`);
  // A byte that is no encoding also changes what is hashed or proven.
  if (!isAgreed && !own.check?.startsWith('CV-')) differs(`mutants.json, ${name}: ${own.why} here, where ${check} is due`);
  await compareBundle(`mutants.json, ${name}`, files);
}

await compareMix('mix', mixOf());
for (const which of [0, 1]) {
  const { bytes } = mixOf().mixes[which]!;
  for (const at of [...places(bytes.length, 40), 8, 16, 20, 40, 66, 70, 82, 85, 89, 93, 97, 101]) {
    const files = mixOf();
    files.mixes[which]!.bytes = flip(bytes, at, at % 8);
    await compareMix(`mix ${which}, byte ${at}`, files);
  }
}
for (const at of [...places(66, 8), ...[40, 50]]) await compareMix(`key, byte ${at}`, { ...mixOf(), key: flip(mixOf().key, at) });
for (const at of places(714, 16)) await compareMix(`ciphertexts, byte ${at}`, { ...mixOf(), ciphertexts: flip(mixOf().ciphertexts, at) });
await compareMix('mixes in another order', { ...mixOf(), mixes: mixOf().mixes.reverse() });
await compareMix('the first mix twice', { ...mixOf(), mixes: [mixOf().mixes[0]!, mixOf().mixes[0]!] });

rmSync(scratch, { recursive: true, force: true });
if (snarks.length < SNARK_BUNDLES.length) process.stdout.write('not compared: claims of succinct proofs, which the Rust program does not know\n');
process.stdout.write(`${compared} compared, ${same} of them refused by one and the same check, ${decoded} by one or the other when they were decoded: ${[...checks].sort().map(([check, count]) => `${check} ${count}`).join(', ')}\n`);
process.exitCode = differences === 0 ? 0 : 1;
