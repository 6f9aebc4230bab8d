import { join } from 'node:path';
import { text } from '../src/bytes.js';
import type { MixFiles } from '../src/mix.js';
import { resigned, type Said } from './boards.js';
import { complained, COMPLAINTS } from './complaints.js';
import { ELECTIONS, relogged, TRACES, type SaidLeaf } from './logged.js';
import { mutants } from './mutants.js';
import { aboutOf, pathOf, reanswered, SPOILT, STATED } from './records.js';
import { BUNDLES, bundleOf, flip, mixOf, readFiles, replace, restate, VECTORS, type Files } from './vectors.js';

/** Something about which both verifiers must say the same, made when its turn comes; `due` is the check that must refuse it. */
export type Case = { name: string; due?: string } & ({ files: () => Files } | { mix: () => MixFiles });

const TABLES = new URL('../../test/tables/', import.meta.url).pathname;
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

/** Of places that are flipped, every so many is taken if not all are. */
const STEP = 8;

class Cases {
  readonly list: Case[] = [];
  private turns = 0;

  constructor(private readonly takesAll: boolean) {}

  bundle(name: string, files: () => Files, due?: string): void {
    this.list.push({ name, files, ...(due === undefined ? {} : { due }) });
  }

  mix(name: string, mix: () => MixFiles): void {
    this.list.push({ name, mix });
  }

  /** Places spread over a file, the same ones in every run. */
  places(length: number, most: number): number[] {
    const count = Math.min(most, length);
    const all = Array.from({ length: count }, (_, i) => Math.floor(((i + 0.37) * length) / count));
    return this.takesAll ? all : all.filter((_, i) => i % STEP === 0);
  }

  /** All changes of a thing, or one of them, another for each thing. */
  inTurn<T>(changes: T[]): T[] {
    const turn = this.turns++ % changes.length;
    return this.takesAll ? changes : changes.slice(turn, turn + 1);
  }
}

/** All cases; if not all are asked for, an eighth of the bytes that are merely flipped, and one change for each object, entry and answer. */
export function casesOf(takesAll: boolean): Case[] {
  const cases = new Cases(takesAll);
  for (const add of [ofMutants, ofLogs, ofBoards, ofComplaints, ofAnswers, ofBundles, ofStatements, ofMixes]) add(cases);
  return cases.list;
}

function ofBundles(cases: Cases): void {
  const bundles: [string, Files][] = [
    ...BUNDLES.map((name): [string, Files] => [name, bundleOf(name)]),
    ...[...TABLE_BUNDLES, ...MORE_BUNDLES].map((name): [string, Files] => [`tables/${name}`, readFiles(join(TABLES, name))]),
    ...SNARK_BUNDLES.map((name): [string, Files] => [`snark/${name}`, readFiles(join(VECTORS, 'snark', name))]),
    ...['record', 'phase1'].map((name): [string, Files] => [`ceremony/${name}`, readFiles(join(VECTORS, 'ceremony', name))]),
    ...VERDICT_BUNDLES.map((name): [string, Files] => [`verdicts/${name}`, readFiles(join(VERDICTS, name))]),
  ];
  for (const [name, files] of bundles) {
    cases.bundle(name, () => files);
    const isLong = /^(snark|verdicts|ceremony)/.test(name) || MORE_BUNDLES.some((more) => name === `tables/${more}`);
    for (const path of files.keys()) ofFile(cases, [name, files], path, isLong ? 3 : 8);
  }
}

/** Bytes of a file, with digests that fit if it is an object. */
function ofFile(cases: Cases, [name, files]: [string, Files], path: string, count: number): void {
  const bytes = files.get(path)!;
  if (!path.startsWith('objects/')) {
    for (const at of cases.places(bytes.length, count - 2)) cases.bundle(`${name}, ${path}, byte ${at}`, () => new Map(files).set(path, flip(bytes, at)));
    return;
  }
  const changes: [what: string, changed: () => Uint8Array][] = [
    ['cut', () => bytes.slice(0, -1)],
    ['longer', () => new Uint8Array([...bytes, 10])],
    ...cases.places(bytes.length, count).map((at): [string, () => Uint8Array] => [`byte ${at}`, () => flip(bytes, at, at % 8)]),
  ];
  for (const [what, changed] of cases.inTurn(changes)) cases.bundle(`${name}, ${path}, ${what}`, () => replace(files, path, changed()));
}

function ofStatements(cases: Cases): void {
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
    cases.bundle(`sum, ${from} becomes ${to}`, () => restate(sum, from, to));
  }
  cases.bundle('sum, another file', () => new Map(sum).set('more', text('')));
  cases.bundle('sum, no manifest', () => new Map([...sum].filter(([path]) => path !== 'bundle.json')));
}

/** Elections on chains: a byte of some entries, statements, and entries that say something else and are rightly signed. */
function ofBoards(cases: Cases): void {
  const lunch = readFiles(join(VECTORS, 'election/lunch'));
  cases.bundle('garden', () => readFiles(join(VECTORS, 'election/garden')));
  cases.bundle('lunch', () => lunch);
  for (const [path, bytes] of lunch) {
    if (!path.startsWith('objects/')) continue;
    for (const at of cases.places(bytes.length, 2)) cases.bundle(`lunch, ${path}, byte ${at}`, () => replace(lunch, path, flip(bytes, at, at % 8)));
  }
  for (let i = 1; i < 20; i++) {
    const say = (change: (entry: Said) => void) => (): Files => resigned(lunch, (entries) => change(entries[i]!));
    const { length } = lunch.get(`objects/board/${String(i).padStart(8, '0')}.entry`)!;
    for (const at of cases.places(length - 160, 4)) {
      cases.bundle(`lunch, entry ${i} says another byte ${at}`, say((entry) => (entry.payload = flip(entry.payload, at % entry.payload.length, at % 8))));
    }
    const changes: [string, () => Files][] = [
      ['says less', say((entry) => (entry.payload = entry.payload.slice(0, -1)))],
      ['twice', () => resigned(lunch, (entries) => entries.splice(i, 0, { ...entries[i]! }))],
      ['left out', () => resigned(lunch, (entries) => entries.splice(i, 1))],
    ];
    for (const [what, files] of cases.inTurn(changes)) cases.bundle(`lunch, entry ${i} ${what}`, files);
  }
  for (const [from, to] of [['"accepted": 6', '"accepted": 5'], ['"faults": []', '"faults": [\n      "casting: station 1: no (entry 12)"\n    ]'], ['"majority": 3', '"majority": 4']] as const) {
    cases.bundle(`lunch, ${from} becomes ${to}`, () => restate(lunch, from, to));
  }
}

/** The same on logs, of both versions. */
function ofLogs(cases: Cases): void {
  for (const [name, files] of [['logged', readFiles(join(VECTORS, 'election/logged'))], ['dated', readFiles(join(ELECTIONS, 'dated'))]] as const) {
    const log = files.get('objects/board/log')!;
    cases.bundle(name, () => files);
    for (const at of cases.places(log.length, 8)) cases.bundle(`${name}, log, byte ${at}`, () => replace(files, 'objects/board/log', flip(log, at, at % 8)));
    const placesOfEntries: number[] = [];
    relogged(files, (all) => all.forEach(({ isEntry, payload }, i) => i > 0 && isEntry && payload.length > 0 && placesOfEntries.push(i)));
    for (const i of placesOfEntries.filter((_, k) => k % 3 === 0)) {
      const say = (change: (leaf: SaidLeaf) => void) => (): Files => relogged(files, (leaves) => { leaves[i]!.header = undefined; change(leaves[i]!); });
      const changes: [string, () => Files][] = [
        ['says another byte', say((leaf) => (leaf.payload = flip(leaf.payload, Math.floor(leaf.payload.length / 3), i % 8)))],
        ['in another slot', say((leaf) => (leaf.subject = text('x')))],
        ['said again', () => relogged(files, (leaves) => leaves.splice(i + 1, 0, { ...leaves[i]!, payload: flip(leaves[i]!.payload, 5), header: undefined }))],
      ];
      for (const [what, changed] of cases.inTurn(changes)) cases.bundle(`${name}, entry ${i} ${what}`, changed);
    }
  }
  for (const name of ['supper', 'brunch']) cases.bundle(name, () => readFiles(join(VECTORS, 'election', name)));
}

function ofComplaints(cases: Cases): void {
  for (const [what, cheat, faults] of COMPLAINTS) cases.bundle(`complaints: ${what}`, () => complained(cheat, faults));
}

/** Answers about an election: bytes of the records, and records that say something else and are signed again. */
function ofAnswers(cases: Cases): void {
  const picnic = readFiles(join(TRACES, 'picnic'));
  cases.bundle('picnic', () => picnic);
  for (const number of [0, 1]) {
    const record = picnic.get(pathOf(number))!;
    for (const at of cases.places(record.length, 40)) cases.bundle(`picnic, answer ${number}, byte ${at}`, () => replace(picnic, pathOf(number), flip(record, at, at % 8)));
  }
  for (const [what, change] of SPOILT) {
    for (const number of cases.inTurn([0, 1])) cases.bundle(`picnic, answer ${number}: ${what}`, () => reanswered(picnic, number, change, aboutOf(picnic)));
  }
  for (const [from, to] of STATED) cases.bundle(`picnic, ${String(from)} becomes ${to}`, () => restate(picnic, from, to, 'claims/election-trace.json'));
}

function ofMutants(cases: Cases): void {
  for (const { name, check, files } of mutants()) cases.bundle(`mutants.json, ${name}`, files, check);
}

function ofMixes(cases: Cases): void {
  cases.mix('mix', mixOf);
  for (const which of [0, 1]) {
    const { bytes } = mixOf().mixes[which]!;
    for (const at of [...cases.places(bytes.length, 40), 8, 16, 20, 40, 66, 70, 82, 85, 89, 93, 97, 101]) {
      const mixes = (): MixFiles['mixes'] => mixOf().mixes.map((mix, i) => (i === which ? { ...mix, bytes: flip(bytes, at, at % 8) } : mix));
      cases.mix(`mix ${which}, byte ${at}`, () => ({ ...mixOf(), mixes: mixes() }));
    }
  }
  for (const at of [...cases.places(66, 8), 40, 50]) cases.mix(`key, byte ${at}`, () => ({ ...mixOf(), key: flip(mixOf().key, at) }));
  for (const at of cases.places(714, 16)) cases.mix(`ciphertexts, byte ${at}`, () => ({ ...mixOf(), ciphertexts: flip(mixOf().ciphertexts, at) }));
  cases.mix('mixes in another order', () => ({ ...mixOf(), mixes: mixOf().mixes.reverse() }));
  cases.mix('the first mix twice', () => ({ ...mixOf(), mixes: [mixOf().mixes[0]!, mixOf().mixes[0]!] }));
}
