import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { concat, hex, join as glue, le32, le64, openFile, Reader, text, unhex } from '../src/bytes.js';
import { digest } from '../src/digest.js';
import { format, object, parse, type JsonObject } from '../src/json.js';
import { readStretch } from '../src/log/leaf.js';
import { VECTORS, type Files } from './vectors.js';

/** Elections whose keys are known. */
export const ELECTIONS = new URL('../../test/elections/', import.meta.url).pathname;
const seedsIn = (path: string): Record<string, string> => JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
const seeds = seedsIn(join(VECTORS, 'election/logged-keys.json'));
const datedSeeds = seedsIn(join(ELECTIONS, 'dated-keys.json'));
/** An election after which something was asked, and its parties' seeds. */
export const TRACES = new URL('../../test/traces/', import.meta.url).pathname;
export const picnicSeeds = seedsIn(join(TRACES, 'picnic-keys.json'));
/** The vectors' elections of which the parties' seeds are known, too. */
const VECTOR_SEEDS = ['dinner', 'banquet', 'brunch', 'picnic'].map((name) => seedsIn(join(VECTORS, `election/${name}-keys.json`)));
const secretOf = new Map([seeds, datedSeeds, picnicSeeds, ...VECTOR_SEEDS].flatMap(Object.values).map((digits: string): [string, Uint8Array] => {
  const seed = unhex(digits, 32)!;
  return [hex(ed25519.getPublicKey(seed)), seed];
}));

/** The public key of a party, or of the keeper; of the election of version 2 if asked. */
export const keyOf = (name: string, isDated = false): Uint8Array => ed25519.getPublicKey(unhex((isDated ? datedSeeds : seeds)[name]!, 32)!);

/** A leaf as keeper and author meant it. */
export interface SaidLeaf {
  time: bigint;
  author: Uint8Array;
  kind: string;
  subject: Uint8Array;
  payload: Uint8Array;
  /** The time that its author names. */
  said: bigint;
  /** Whether it is an entry: heartbeats and the beginnings of runs are not. */
  isEntry: boolean;
  /** The header as it was signed, until the author says something else. */
  header: Uint8Array | undefined;
}

const LOG = 'objects/board/log';
const pathOf = (place: number): string => `objects/board/${String(place).padStart(8, '0')}.entry`;
const digestOf = (bytes: Uint8Array): string => hex(digest('subrosa/bundle/file', bytes));
const bytes = (value: Uint8Array): Uint8Array => concat(le32(value.length), value);

function sign(origin: string, { author, kind, subject, payload, said }: SaidLeaf): Uint8Array {
  const of = digest('subrosa/log/payload/v1', payload);
  const body = glue([Uint8Array.of(1), bytes(text(kind)), bytes(subject), author, le64(said), of, le64(payload.length)]);
  const domain = 'subrosa/log/entry/v1';
  const message = concat(text(domain), digest(domain, concat(bytes(text(origin)), body)));
  return concat(body, ed25519.sign(message, secretOf.get(hex(author))!));
}

function rootOf(hashes: Uint8Array[]): Uint8Array {
  if (hashes.length === 1) return hashes[0]!;
  let half = 1;
  while (2 * half < hashes.length) half *= 2;
  return sha256(concat(Uint8Array.of(1), rootOf(hashes.slice(0, half)), rootOf(hashes.slice(half))));
}

const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64');

function checkpoint(origin: string, size: number, root: Uint8Array): string {
  const body = `${origin}\n${size}\n${base64(root)}\n`;
  const key = unhex(origin.split('/')[1]!, 32)!;
  const id = sha256(concat(text(origin), Uint8Array.of(10, 1), key)).subarray(0, 4);
  return `${body}\n— ${origin} ${base64(concat(id, ed25519.sign(text(body), secretOf.get(hex(key))!)))}\n`;
}

const leafOf = (origin: string, leaf: SaidLeaf): Uint8Array => concat(Uint8Array.of(1), le64(leaf.time), leaf.header ?? sign(origin, leaf));
const rootThrough = (leaves: Uint8Array[]): Uint8Array => rootOf(leaves.map((leaf) => sha256(concat(Uint8Array.of(0), leaf))));

/** The bundle of a board on a log whose keeper and parties said something else; `head` tells size and root through a leaf. */
export function relogged(files: Files, change: (leaves: SaidLeaf[], head: (place: number) => Uint8Array) => void): Files {
  const reader = openFile(files.get(LOG)!, 'boardlog', 1);
  const key = reader.text(512, 'the key');
  reader.bytesOf(2 ** 20, 'the note');
  const stretch = readStretch(reader);
  const payloadOf = (place: number): Uint8Array | undefined => {
    const entry = files.get(pathOf(place));
    if (entry === undefined) return undefined;
    const inner = new Reader(entry);
    inner.take(9);
    inner.bytesOf(2 ** 20, 'the leaf');
    return inner.bytesOf(2 ** 28, 'the payload').slice();
  };
  const leaves = stretch.leaves.map(({ bytes: leaf, body, time, author, kind, subject }, place): SaidLeaf => {
    const payload = payloadOf(place);
    const said = new DataView(body.buffer, body.byteOffset + body.length - 48).getBigUint64(0, true);
    return { time, author, kind, subject, said, payload: payload ?? new Uint8Array(0), isEntry: payload !== undefined, header: leaf.slice(9) };
  });
  const origin = key.split('+')[0]!;
  change(leaves, (place) => concat(le64(place + 1), rootThrough(leaves.slice(0, place + 1).map((leaf) => leafOf(origin, leaf)))));
  const encoded = leaves.map((leaf) => leafOf(origin, leaf));
  const root = rootThrough(encoded);
  const header = files.get(LOG)!.slice(0, 18);
  const log = glue([header, bytes(text(key)), bytes(text(checkpoint(origin, leaves.length, root))), le64(0), le32(leaves.length), ...encoded, Uint8Array.of(0)]);
  const entries = leaves.flatMap(({ isEntry, payload }, i): [string, Uint8Array][] =>
    isEntry ? [[pathOf(i), concat(Uint8Array.of(2), le64(i), bytes(encoded[i]!), bytes(payload))]] : [],
  );
  return rebundled(files, entries, log, { size: BigInt(leaves.length), leaves: BigInt(leaves.length), root: hex(root) });
}

/** The bundle with other entries and another log. */
export function rebundled(files: Files, entries: [string, Uint8Array][], log: Uint8Array, stated: Record<string, bigint | string> = {}): Files {
  const claims = [...files.keys()].filter((path) => path.startsWith('claims/'));
  const others = [...files].filter(([path]) => path.startsWith('objects/') && !path.startsWith('objects/board/'));
  const out: Files = new Map([...entries, [LOG, log], ...others]);
  for (const path of claims) {
    const claim = parse(files.get(path)!, 'CB-6') as JsonObject;
    const statement = claim.get('statement') as JsonObject;
    const said = Object.fromEntries(statement.get('log') as JsonObject);
    statement.set('log', object({ ...said, ...stated }));
    const named = Object.fromEntries(claim.get('objects') as JsonObject);
    claim.set('objects', object({ ...named, board: entries.map(([, content]) => digestOf(content)), log: [digestOf(log)] }));
    out.set(path, text(`${format(claim)}\n`));
  }
  const manifest = parse(files.get('bundle.json')!, 'CB-1') as JsonObject;
  manifest.set('files', object(Object.fromEntries([...out].map(([name, content]) => [name, digestOf(content)]))));
  return out.set('bundle.json', text(`${format(manifest)}\n`));
}
