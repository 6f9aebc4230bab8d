import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Directory } from '../src/bundle.js';
import { digest } from '../src/digest.js';
import { hex, text } from '../src/bytes.js';
import type { MixFiles } from '../src/mix.js';

/** The vectors of the repository. */
export const VECTORS = new URL('../../../../../vectors/', import.meta.url).pathname;

/** Names of the bundles about a table. */
export const BUNDLES = ['lookup', 'absence', 'sum', 'hours', 'median', 'audit'];

/** A bundle in memory. */
export type Files = Map<string, Uint8Array>;

/** Reads a directory. */
export function readFiles(root: string, path = ''): Files {
  const files: Files = new Map();
  for (const name of readdirSync(join(root, path)).sort()) {
    const inside = path === '' ? name : `${path}/${name}`;
    if (statSync(join(root, inside)).isDirectory()) for (const [p, b] of readFiles(root, inside)) files.set(p, b);
    else files.set(inside, new Uint8Array(readFileSync(join(root, inside))));
  }
  return files;
}

/** The bundle of a vector. */
export const bundleOf = (name: string): Files => readFiles(join(VECTORS, 'table', name));

/** The files of the mix. */
export function mixOf(): MixFiles {
  const read = (name: string): Uint8Array => new Uint8Array(readFileSync(join(VECTORS, 'mix', name)));
  return {
    key: read('public.key'),
    ciphertexts: read('votes'),
    mixes: ['1.mix', '2.mix'].map((name) => ({ name, bytes: read(name) })),
  };
}

/** Files in memory as a directory. */
export const directory = (files: Files): Directory => ({
  list: () => Promise.resolve([...files].map(([path, bytes]) => ({ path, size: bytes.length }))),
  read: (path) => Promise.resolve(files.get(path)!),
});

const fileDigest = (bytes: Uint8Array): string => hex(digest('subrosa/bundle/file', bytes));

/** The bundle with other bytes in a file, and with digests that fit: a cheat who knows the format. */
export function replace(files: Files, path: string, bytes: Uint8Array): Files {
  const out: Files = new Map(files);
  const renamed = new Map([[fileDigest(files.get(path)!), fileDigest(bytes)]]);
  out.set(path, bytes);
  const rewrite = (name: string): void => {
    let content = new TextDecoder().decode(out.get(name));
    for (const [old, now] of renamed) content = content.replaceAll(old, now);
    const before = fileDigest(out.get(name)!);
    out.set(name, text(content));
    if (name !== 'bundle.json') renamed.set(before, fileDigest(out.get(name)!));
  };
  for (const name of out.keys()) if (name.startsWith('claims/') && name !== path) rewrite(name);
  rewrite('bundle.json');
  return out;
}

/** The bundle with a text in its claim replaced. */
export function restate(files: Files, from: string | RegExp, to: string, path = [...files.keys()].find((name) => name.startsWith('claims/'))!): Files {
  const before = new TextDecoder().decode(files.get(path));
  const after = before.replace(from, to);
  if (after === before) throw new Error(`nothing to replace by ${to}`);
  return replace(files, path, text(after));
}

/** The check that refuses, and behind it the parts of it that its words name: `EL-11 TW-12`. */
export const checksOf = ({ check = '', what }: { check?: string; what: string }): string =>
  [check, ...[...what.matchAll(/\b([A-Z]{2}-\d+): /g)].map(([, part]) => part)].join(' ');

/** A copy with a bit flipped. */
export function flip(bytes: Uint8Array, at: number, bit = 0): Uint8Array {
  const out = bytes.slice();
  out[at]! ^= 1 << bit;
  return out;
}
