import { text, type Reader } from './bytes.js';
import { GROUP, mod, readScalar, readScalars } from './group.js';
import { type Equations, type Place, type Term } from './equations.js';
import { must, type Fault } from './refusal.js';
import { Transcript } from './transcript.js';

const MAX_ROWS = 2 ** 24;
const MAX_COLUMNS = 16;
const H = 'subrosa/tw/H';
const H_I = 'subrosa/tw/H_i';

/** One component of a column: the encodings of its points. */
type Component = Uint8Array;

/** Ciphertexts: for each column its first and its second components. */
export type Columns = [Component, Component][];

/** Whose turn it is, in which chain of mixes. */
export interface Turn {
  key: Uint8Array;
  study: Uint8Array;
  mix: string;
  mixer: number;
  position: number;
}

/** The columns that a mixer published, with the proof that they are a shuffle; without rows there is none. */
export interface MixBody {
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
  list: ListProof;
}

/** A proof that columns moved by a permutation. */
export interface ListProof {
  T_k: Uint8Array;
  T_l: Uint8Array;
  z: bigint[];
  z_k: bigint;
  z_u: bigint[];
}

/** A permutation that a mixer proved to be one: what later lists are held against. */
export interface Permutation {
  mixer: number;
  a: Uint8Array;
  digest: Uint8Array;
}

/** Reads the columns of a list. */
export function readColumns(reader: Reader, rows: number, columns: number): Columns {
  return Array.from({ length: columns }, () => [reader.take(32 * rows), reader.take(32 * rows)]);
}

/** Reads the number of rows and of columns (`TW-6`). */
export function readSize(reader: Reader): [rows: number, columns: number] {
  const rows = reader.count(MAX_ROWS, 'rows');
  const columns = reader.count(MAX_COLUMNS, 'columns');
  must(columns >= 1, 'TW-6', 'no column');
  return [rows, columns];
}

/** Reads a mix from its number of rows on, to the end or not; points are decoded when the equations are checked. */
export function readBody(reader: Reader, place: 'last' | 'one of several' = 'last'): MixBody {
  const [rows, width] = readSize(reader);
  const columns = readColumns(reader, rows, width);
  const proof = rows === 0 ? undefined : readProof(reader, rows, width, place === 'last');
  return { rows, columns, proof };
}

function readProof(reader: Reader, n: number, width: number, isLast: boolean): Proof {
  const points = (count: number): Uint8Array => reader.take(32 * count);
  const a = points(n);
  const B = points(n);
  const T_B = points(n);
  const T_t = points(1);
  const T_k = points(1);
  const T_w = points(1);
  // Scalars are refused only where the whole file is there.
  const after = 64 * n + 96 + 32 + 64 * width + 32 * n + 32 + 32 * width;
  must(isLast ? reader.left === after : reader.left >= after, 'CV-1', `${after} bytes were expected, and ${reader.left} are left`);
  const z_e = readScalars(reader, n);
  const z_s = readScalars(reader, n);
  const z_t = readScalar(reader);
  const z_k = readScalar(reader);
  const z_w = readScalar(reader);
  const list = readListProof(reader, n, width);
  return { a, B, T_B, T_t, T_k, T_w, z_e, z_s, z_t, z_k, z_w, list };
}

/** Reads the proof of lists. */
export function readListProof(reader: Reader, n: number, width: number): ListProof {
  const T_k = reader.take(32);
  const T_l = reader.take(64 * width);
  return { T_k, T_l, z: readScalars(reader, n), z_k: readScalar(reader), z_u: readScalars(reader, width) };
}

/** Where the points of a column's first and second components stand: one behind the other, or each by itself. */
export type PlacedColumn = [Place | Place[], Place | Place[]];

const at = (place: Place | Place[], i: number): Place => (typeof place === 'number' ? place + i : place[i]!);

/** Places of all columns; `name` says where a point stands that is not canonical. */
export const placeColumns = (equations: Equations, columns: Columns, name: string, fault: Fault): PlacedColumn[] =>
  columns.map(([first, second], l) => [
    equations.encoded(first, `${name}, column ${l}, first components`, fault),
    equations.encoded(second, `${name}, column ${l}, second components`, fault),
  ]);

/** Columns, and where their points stand among equations. */
export interface Placed {
  columns: Columns;
  places: PlacedColumn[];
}

/** Adds the equations of a mix (`TW-7` to `TW-12`), between the columns that it took and those that it gave. */
export function addShuffle(
  equations: Equations,
  turn: Turn,
  mix: MixBody,
  taken: Columns,
  before: PlacedColumn[],
  after: PlacedColumn[],
): Permutation | undefined {
  const { proof } = mix;
  if (proof === undefined) return undefined;
  const where = `mix ${turn.position}`;
  const a = equations.encoded(proof.a, `${where}, a`);
  const digest = addPermutation(equations, turn, mix.rows, proof, a, (bytes, what) => equations.encoded(bytes, `${where}, ${what}`));
  const permutation = { mixer: turn.mixer, a: proof.a, digest };
  const passage: Passage = { ...turn, purpose: text('mix'), direction: 'F', where };
  addLists(equations, passage, permutation, proof.list, { columns: taken, places: before }, { columns: mix.columns, places: after }, a);
  return permutation;
}

function begin(name: string, turn: Pick<Turn, 'study' | 'mix'>): Transcript {
  const transcript = new Transcript(name);
  transcript.absorb('group', text(GROUP));
  transcript.absorb('generators', text(H));
  transcript.absorb('study', turn.study);
  transcript.absorb('mix', text(turn.mix));
  return transcript;
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** (P1) to (P4); gives the digest of the permutation. */
function addPermutation(
  equations: Equations,
  turn: Turn,
  n: number,
  proof: Proof,
  a: Place,
  place: (bytes: Uint8Array, what: string) => Place,
): Uint8Array {
  const transcript = begin('subrosa/shuffle/tw/perm/v1', turn);
  transcript.number('mixer', turn.mixer);
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
  const where = (what: string): string => `${what} of mix ${turn.position}`;
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

/** How lists pass a mixer, and in what. */
export interface Passage {
  key: Uint8Array;
  study: Uint8Array;
  mix: string;
  position: number;
  purpose: Uint8Array;
  /** `B` if the lists move against the permutation: then `input` is what the mixer published. */
  direction: 'F' | 'B';
  where: string;
}

/** Adds (L0) and (L1): `TW-11` and `TW-12`. */
export function addLists(
  equations: Equations,
  passage: Passage,
  permutation: Permutation,
  list: ListProof,
  input: Placed,
  output: Placed,
  a = equations.encoded(permutation.a, `${passage.where}, a`),
): void {
  const { key, where } = passage;
  const n = permutation.a.length / 32;
  const width = input.columns.length;
  const transcript = begin('subrosa/shuffle/tw/lists/v1', passage);
  transcript.absorb('purpose', passage.purpose);
  transcript.number('mixer', permutation.mixer);
  transcript.number('position', passage.position);
  transcript.absorb('direction', text(passage.direction));
  transcript.number('n', n);
  transcript.number('columns', width);
  for (const _ of input.columns) transcript.absorb('pk', key);
  transcript.absorb('permutation', permutation.digest);
  input.columns.forEach((column, l) => {
    for (const component of [...column, ...output.columns[l]!]) transcript.absorb('list', component);
  });
  const e = transcript.short('e', n);
  transcript.absorb('T_k', list.T_k);
  transcript.absorb('T_l', list.T_l);
  const c = transcript.challenge('c');

  const h = equations.hashed(H);
  const h_i = equations.generators(H_I, 1, n);
  const bases = [equations.generator(), equations.encoded(key, `${where}, key`)];
  const scaled = e.map((x) => mod(c * x));
  equations.zero('TW-11', `(L0) of ${where}`, [
    [equations.encoded(list.T_k, `${where}, T_k of the lists`), -1n],
    [h, list.z_k],
    ...range(n).flatMap((i): Term[] => [[a + i, scaled[i]!], [h_i + i, list.z[i]!]]),
  ]);
  const T_l = equations.encoded(list.T_l, `${where}, T_l`);
  for (let l = 0; l < width; l++) {
    for (const m of [0, 1]) {
      const before = input.places[l]![m]!;
      const after = output.places[l]![m]!;
      equations.zero('TW-12', `(L1) of ${where}, column ${l}`, [
        [T_l + 2 * l + m, -1n],
        [bases[m]!, -list.z_u[l]!],
        ...range(n).flatMap((i): Term[] => [[at(before, i), scaled[i]!], [at(after, i), list.z[i]!]]),
      ]);
    }
  }
}
