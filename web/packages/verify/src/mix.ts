import { equal, openFile, text, type Reader } from './bytes.js';
import { decodePoint, mod, readScalar, readScalars, ZERO } from './group.js';
import { Equations, type Place, type Term } from './equations.js';
import { must, Refusal, type Fault } from './refusal.js';
import { Transcript } from './transcript.js';
import type { Pool } from './pool.js';
import type { Check, Progress } from './verdict.js';

const GROUP = 'ristretto255';
const MAX_ROWS = 2 ** 24;
const MAX_COLUMNS = 16;
const MAX_NAME = 1000;
const H = 'subrosa/tw/H';
const H_I = 'subrosa/tw/H_i';

/** One component of a column: the encodings of its points. */
type Component = Uint8Array;

/** Ciphertexts: for each column its first and its second components. */
type Columns = [Component, Component][];

/** What a mixer published. */
export interface Mix {
  key: Uint8Array;
  study: string;
  mix: string;
  mixer: number;
  position: number;
  rows: number;
  columns: Columns;
  proof: Proof | undefined;
}

interface Proof {
  a: Uint8Array;
  B: Uint8Array;
  T_B: Uint8Array;
  T_t: Uint8Array;
  T_k: Uint8Array;
  T_w: Uint8Array;
  z_e: bigint[];
  z_s: bigint[];
  z_t: bigint;
  z_k: bigint;
  z_w: bigint;
  list: { T_k: Uint8Array; T_l: Uint8Array; z: bigint[]; z_k: bigint; z_u: bigint[] };
}

/** The files of a shuffle by hand: key, ciphertexts, and mixes in the order of their turns. */
export interface MixFiles {
  key: Uint8Array;
  ciphertexts: Uint8Array;
  mixes: { name: string; bytes: Uint8Array }[];
}

/** What a verified chain of mixes says. */
export interface MixVerdict {
  study: string;
  mix: string;
  rows: number;
  columns: number;
  mixers: number[];
  checks: Check[];
}

function open(bytes: Uint8Array, kind: string): Reader {
  const reader = openFile(bytes, kind, 1);
  must(reader.text(64, 'the group') === GROUP, 'TW-1', `the group is not ${GROUP}`);
  return reader;
}

function readColumns(reader: Reader, rows: number, columns: number): Columns {
  return Array.from({ length: columns }, () => [reader.take(32 * rows), reader.take(32 * rows)]);
}

function readSize(reader: Reader): [rows: number, columns: number] {
  const rows = reader.count(MAX_ROWS, 'rows');
  const columns = reader.count(MAX_COLUMNS, 'columns');
  must(columns >= 1, 'TW-6', 'no column');
  return [rows, columns];
}

/** Decodes what a mixer published (`TW-1`); points are decoded when the equations are checked. */
export function decodeMix(bytes: Uint8Array): Mix {
  const reader = open(bytes, 'mix');
  const key = reader.take(32);
  const study = reader.text(MAX_NAME, 'the study');
  const mix = reader.text(MAX_NAME, 'the mix');
  const mixer = reader.u32();
  const position = reader.u32();
  const [rows, width] = readSize(reader);
  const columns = readColumns(reader, rows, width);
  const proof = rows === 0 ? undefined : readProof(reader, rows, width);
  reader.end();
  return { key, study, mix, mixer, position, rows, columns, proof };
}

function readProof(reader: Reader, n: number, width: number): Proof {
  const points = (count: number): Uint8Array => reader.take(32 * count);
  const a = points(n);
  const B = points(n);
  const T_B = points(n);
  const T_t = points(1);
  const T_k = points(1);
  const T_w = points(1);
  // Scalars are refused only where the whole file is there.
  const after = 64 * n + 96 + 32 + 64 * width + 32 * n + 32 + 32 * width;
  must(reader.left === after, 'CV-1', `${after} bytes were expected, and ${reader.left} are left`);
  const z_e = readScalars(reader, n);
  const z_s = readScalars(reader, n);
  const z_t = readScalar(reader);
  const z_k = readScalar(reader);
  const z_w = readScalar(reader);
  const list = {
    T_k: points(1),
    T_l: points(2 * width),
    z: readScalars(reader, n),
    z_k: readScalar(reader),
    z_u: readScalars(reader, width),
  };
  return { a, B, T_B, T_t, T_k, T_w, z_e, z_s, z_t, z_k, z_w, list };
}

/** Whose fault a malformed mix is: the mixer made points, scalars and columns; all else may be another file. */
function readMix(bytes: Uint8Array, name: string): Mix {
  try {
    return decodeMix(bytes);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw error.within(name).blame(error.check === 'CV-6' || error.check === 'TW-6' ? 'claim' : 'input');
  }
}

function input<T>(name: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw error instanceof Refusal ? error.within(name).blame('input') : error;
  }
}

/** Verifies a chain of mixes: `TW-1` to `TW-12`. */
export async function verifyMixes(files: MixFiles, pool: Pool, progress: Progress): Promise<MixVerdict> {
  const key = input('key', () => {
    const reader = open(files.key, 'mixkey');
    const bytes = reader.take(32);
    reader.end();
    must(!decodePoint(bytes).equals(ZERO), 'TW-2', 'the key is the neutral element');
    return bytes;
  });
  const list = input('ciphertexts', () => {
    const reader = open(files.ciphertexts, 'mixlist');
    const of = reader.take(32);
    const [rows, width] = readSize(reader);
    const columns = readColumns(reader, rows, width);
    reader.end();
    must(equal(of, key), 'TW-2', 'another key');
    const neutral = ZERO.toBytes();
    for (const [first] of columns) {
      for (let i = 0; i < rows; i++) {
        const component = first.subarray(32 * i, 32 * i + 32);
        must(!equal(component, neutral), 'TW-3', `ciphertext ${i} has a neutral first component`);
      }
    }
    return { rows, columns };
  });
  const mixes = files.mixes.map(({ name, bytes }) => readMix(bytes, name));
  const [first] = mixes;
  if (first === undefined) throw new Refusal('TW-4', 'there is no mix', 'input');
  mixes.forEach((mix, i) => {
    input(files.mixes[i]!.name, () => {
      must(equal(mix.key, key), 'TW-2', 'another key');
      must(mix.position === i + 1, 'TW-4', `position ${mix.position}, where ${i + 1} is due`);
      must(mix.study === first.study && mix.mix === first.mix, 'TW-5', 'another study, or another mix');
      must(
        mix.rows === list.rows && mix.columns.length === list.columns.length,
        'TW-6',
        `${mix.rows} rows and ${mix.columns.length} columns, where the ciphertexts have ${list.rows} and ${list.columns.length}`,
      );
    });
  });

  const equations = new Equations();
  let before = placeColumns(equations, list.columns, 'ciphertexts', 'input');
  let taken = list.columns;
  mixes.forEach((mix, i) => {
    const after = placeColumns(equations, mix.columns, files.mixes[i]!.name, 'claim');
    if (mix.proof !== undefined) addMix(equations, mix, mix.proof, taken, before, after);
    before = after;
    taken = mix.columns;
  });
  await equations.verify(pool, progress);

  const width = list.columns.length;
  const proven = list.rows === 0 ? 0 : mixes.length;
  return {
    study: first.study,
    mix: first.mix,
    rows: list.rows,
    columns: width,
    mixers: mixes.map((mix) => mix.mixer),
    checks: [
      { check: 'TW-1 to TW-6', count: list.rows * width * (mixes.length + 1), what: 'ciphertexts decoded, every point checked' },
      { check: 'TW-7 to TW-10', count: proven, what: 'commitments proven to be to a permutation' },
      { check: 'TW-11, TW-12', count: proven, what: 'proofs that all columns moved by it and kept their messages' },
    ],
  };
}

/** Places of a column's first and second components. */
type PlacedColumn = [Place, Place];

const placeColumns = (equations: Equations, columns: Columns, name: string, fault: Fault): PlacedColumn[] =>
  columns.map(([first, second], l) => [
    equations.encoded(first, `${name}, column ${l}, first components`, fault),
    equations.encoded(second, `${name}, column ${l}, second components`, fault),
  ]);

function addMix(
  equations: Equations,
  mix: Mix,
  proof: Proof,
  taken: Columns,
  before: PlacedColumn[],
  after: PlacedColumn[],
): void {
  const place = (bytes: Uint8Array, what: string): Place => equations.encoded(bytes, `mix ${mix.position}, ${what}`);
  const a = place(proof.a, 'a');
  const permutation = addPermutation(equations, mix, proof, a, place);
  addLists(equations, mix, proof, permutation, a, place, taken, before, after);
}

function begin(name: string, mix: Mix): Transcript {
  const transcript = new Transcript(name);
  transcript.absorb('group', text(GROUP));
  transcript.absorb('generators', text(H));
  transcript.absorb('study', text(mix.study));
  transcript.absorb('mix', text(mix.mix));
  return transcript;
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** (P1) to (P4); gives the digest of the permutation. */
function addPermutation(
  equations: Equations,
  mix: Mix,
  proof: Proof,
  a: Place,
  place: (bytes: Uint8Array, what: string) => Place,
): Uint8Array {
  const n = mix.rows;
  const transcript = begin('subrosa/shuffle/tw/perm/v1', mix);
  transcript.number('mixer', mix.mixer);
  transcript.number('n', n);
  transcript.absorb('a', proof.a);
  const permutation = transcript.copy().squeeze('statement digest', 64);
  const e = transcript.challenges('e', n);
  transcript.absorb('B', proof.B);
  transcript.absorb('T_t', proof.T_t);
  transcript.absorb('T_k', proof.T_k);
  transcript.absorb('T_B', proof.T_B);
  transcript.absorb('T_w', proof.T_w);
  const c = transcript.challenge('c');

  const base = equations.generator();
  const h = equations.hashed(H);
  const h_i = equations.generators(H_I, 1, n);
  const B = place(proof.B, 'B');
  const T_B = place(proof.T_B, 'T_B');
  const product = e.reduce((x, y) => mod(x * y), 1n);
  const where = (what: string): string => `${what} of mix ${mix.position}`;
  equations.zero('TW-7', where('(P1)'), [
    [place(proof.T_t, 'T_t'), -1n],
    [h, proof.z_t],
    ...range(n).flatMap((i): Term[] => [[a + i, c], [h_i + i, -c]]),
  ]);
  equations.zero('TW-8', where('(P2)'), [
    [place(proof.T_k, 'T_k'), -1n],
    [h, proof.z_k],
    ...range(n).flatMap((i): Term[] => [[a + i, mod(c * e[i]!)], [h_i + i, proof.z_e[i]!]]),
  ]);
  for (let i = 0; i < n; i++) {
    equations.zero('TW-9', where('(P3)'), [
      [T_B + i, -1n],
      [B + i, c],
      [h, proof.z_s[i]!],
      [i === 0 ? base : B + i - 1, proof.z_e[i]!],
    ]);
  }
  equations.zero('TW-10', where('(P4)'), [
    [place(proof.T_w, 'T_w'), -1n],
    [B + n - 1, c],
    [base, -mod(c * product)],
    [h, proof.z_w],
  ]);
  return permutation;
}

/** (L0) and (L1). */
function addLists(
  equations: Equations,
  mix: Mix,
  { list }: Proof,
  permutation: Uint8Array,
  a: Place,
  place: (bytes: Uint8Array, what: string) => Place,
  taken: Columns,
  before: PlacedColumn[],
  after: PlacedColumn[],
): void {
  const n = mix.rows;
  const transcript = begin('subrosa/shuffle/tw/lists/v1', mix);
  transcript.absorb('purpose', text('mix'));
  transcript.number('mixer', mix.mixer);
  transcript.number('position', mix.position);
  transcript.absorb('direction', text('F'));
  transcript.number('n', n);
  transcript.number('columns', mix.columns.length);
  for (const _ of mix.columns) transcript.absorb('pk', mix.key);
  transcript.absorb('permutation', permutation);
  mix.columns.forEach((column, l) => {
    for (const component of [...taken[l]!, ...column]) transcript.absorb('list', component);
  });
  const e = transcript.short('e', n);
  transcript.absorb('T_k', list.T_k);
  transcript.absorb('T_l', list.T_l);
  const c = transcript.challenge('c');

  const h = equations.hashed(H);
  const h_i = equations.generators(H_I, 1, n);
  const bases = [equations.generator(), place(mix.key, 'key')];
  const scaled = e.map((x) => mod(c * x));
  equations.zero('TW-11', `(L0) of mix ${mix.position}`, [
    [place(list.T_k, 'T_k of the lists'), -1n],
    [h, list.z_k],
    ...range(n).flatMap((i): Term[] => [[a + i, scaled[i]!], [h_i + i, list.z[i]!]]),
  ]);
  const T_l = place(list.T_l, 'T_l');
  mix.columns.forEach((_, l) => {
    for (const m of [0, 1]) {
      const input = before[l]![m]!;
      const output = after[l]![m]!;
      equations.zero('TW-12', `(L1) of mix ${mix.position}, column ${l}`, [
        [T_l + 2 * l + m, -1n],
        [bases[m]!, -list.z_u[l]!],
        ...range(n).flatMap((i): Term[] => [[input + i, scaled[i]!], [output + i, list.z[i]!]]),
      ]);
    }
  });
}
