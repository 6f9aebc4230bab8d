import { equal, openFile, text, type Reader } from './bytes.js';
import { decodePoint, GROUP, ZERO } from './group.js';
import { Equations } from './equations.js';
import { must, Refusal } from './refusal.js';
import { addShuffle, placeColumns, readBody, readColumns, readSize, type MixBody } from './shuffle.js';
import type { Pool } from './pool.js';
import type { Check, Progress } from './verdict.js';

const MAX_NAME = 1000;

/** What a mixer published. */
export interface Mix extends MixBody {
  key: Uint8Array;
  study: string;
  mix: string;
  mixer: number;
  position: number;
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

/** Decodes what a mixer published (`TW-1`); points are decoded when the equations are checked. */
export function decodeMix(bytes: Uint8Array): Mix {
  const reader = open(bytes, 'mix');
  const key = reader.take(32);
  const study = reader.text(MAX_NAME, 'the study');
  const mix = reader.text(MAX_NAME, 'the mix');
  const mixer = reader.u32();
  const position = reader.u32();
  const body = readBody(reader);
  reader.end();
  return { key, study, mix, mixer, position, ...body };
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
    addShuffle(equations, { ...mix, study: text(mix.study) }, mix, taken, before, after);
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
