import { ed25519 } from '@noble/curves/ed25519.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { concat, equal, hex, le32, le64, Reader, text, unhex } from '../src/bytes.js';
import { digest } from '../src/digest.js';
import { replace, VECTORS, type Files } from './vectors.js';

/** An entry as its author meant it. */
export interface Said {
  author: Uint8Array;
  kind: string;
  payload: Uint8Array;
}

const named = JSON.parse(readFileSync(join(VECTORS, 'election/lunch-keys.json'), 'utf8')) as Record<string, string>;
const seeds = Object.values(named).map((seed) => unhex(seed, 32)!);
const secretOf = new Map(seeds.map((seed) => [hex(ed25519.getPublicKey(seed)), seed]));

/** The public key of a party of the lunch, such as `mixer 1`. */
export const lunchKeyOf = (name: string): Uint8Array => ed25519.getPublicKey(unhex(named[name]!, 32)!);

function read(bytes: Uint8Array): Said {
  const reader = new Reader(bytes);
  reader.take(41);
  const author = reader.take(32);
  const kind = reader.text(64, 'the kind');
  return { author, kind, payload: reader.bytesOf(2 ** 28, 'the payload').slice() };
}

function signed({ author, kind, payload }: Said, sequence: number, previous: Uint8Array, name: Uint8Array): Uint8Array {
  const body = concat(Uint8Array.of(1), le64(sequence), previous, author, le32(kind.length), text(kind), le32(payload.length), payload);
  const domain = 'subrosa/board/entry/v1';
  const signature = ed25519.sign(concat(text(domain), digest(domain, concat(name, body))), secretOf.get(hex(author))!);
  return concat(body, signature);
}

const pathOf = (i: number): string => `objects/board/${String(i).padStart(8, '0')}.entry`;
const chainOf = (bytes: Uint8Array): Uint8Array => digest('subrosa/board/chain/v1', bytes);

/** The bundle of a board whose entries say something else, chained and signed again by their authors. */
export function resigned(files: Files, change: (entries: Said[]) => void): Files {
  const paths = [...files.keys()].filter((path) => path.startsWith('objects/board/')).sort();
  const entries = paths.map((path) => read(files.get(path)!));
  change(entries);
  let out = files;
  let before: Uint8Array = new Uint8Array(32);
  let name = before;
  entries.forEach((entry, i) => {
    const bytes = signed(entry, i, before, name);
    before = chainOf(bytes);
    if (i === 0) name = before;
    out = files.has(pathOf(i)) ? (equal(bytes, out.get(pathOf(i))!) ? out : replace(out, pathOf(i), bytes)) : added(out, i, bytes);
  });
  for (let i = entries.length; i < paths.length; i++) out = removed(out, i);
  return out;
}

const digestOf = (bytes: Uint8Array): string => hex(digest('subrosa/bundle/file', bytes));

/** The bundle with its claim rewritten; the manifest follows. */
function reclaimed(files: Files, rewrite: (claim: string, manifest: string) => [claim: string, manifest: string]): Files {
  const path = 'claims/election.json';
  const old = files.get(path)!;
  const [claim, manifest] = rewrite(new TextDecoder().decode(old), new TextDecoder().decode(files.get('bundle.json')));
  const now = text(claim);
  return new Map(files).set(path, now).set('bundle.json', text(manifest.replace(digestOf(old), digestOf(now))));
}

function added(files: Files, i: number, bytes: Uint8Array): Files {
  const [before, own] = [digestOf(files.get(pathOf(i - 1))!), digestOf(bytes)];
  const out = reclaimed(files, (claim, manifest) => [
    claim.replace(`"${before}"\n`, `"${before}",\n      "${own}"\n`),
    manifest.replace(`"${before}"\n`, `"${before}",\n    "${pathOf(i)}": "${own}"\n`),
  ]);
  return out.set(pathOf(i), bytes);
}

function removed(files: Files, i: number): Files {
  const own = digestOf(files.get(pathOf(i))!);
  const out = reclaimed(files, (claim, manifest) => [
    claim.replace(new RegExp(`,\\n *"${own}"`), ''),
    manifest.replace(new RegExp(`,\\n *"${pathOf(i)}": "${own}"`), ''),
  ]);
  out.delete(pathOf(i));
  return out;
}
