import { equal, fileKind, hex, openFile, Reader } from '../bytes.js';
import { digest } from '../digest.js';
import { object, type Json } from '../json.js';
import { Frontier, readLeaf, readStretch, rootOf, signedLeaf, type Leaf, type Stretch } from '../log/leaf.js';
import { cosignedAt, readCheckpoint, readVerifierKey, type Checkpoint, type Note, type VerifierKey } from '../log/note.js';
import { must, within } from '../refusal.js';
import { genuine } from './work.js';
import type { Board, Entry } from './board.js';
import type { Pool } from '../pool.js';

const MAX_KEY = 512;
const MAX_NOTE = 2 ** 20;
const MAX_PAYLOAD = 2 ** 28;
const MAX_LEAF = 2 ** 20;
const MAX_WITNESSES = 64;
/** How the name of a log begins that one keeper keeps, and no other. */
const OWN = 'subrosa-board/';

/** A board on a log, and what its claim states of the log. */
export interface LoggedBoard extends Board {
  log: Json;
}

/** An entry as a bundle has it. */
interface Written {
  place: bigint;
  leaf: Uint8Array;
  payload: Uint8Array;
}

function readEntry(bytes: Uint8Array): Written {
  const reader = new Reader(bytes);
  must(reader.u8() === 2, 'CV-4', 'another version of an entry');
  const place = reader.u64();
  const leaf = reader.bytesOf(MAX_LEAF, 'the leaf');
  const inner = new Reader(leaf);
  readLeaf(inner);
  inner.end();
  const payload = reader.bytesOf(MAX_PAYLOAD, 'the payload');
  reader.end();
  return { place, leaf, payload };
}

/** A board on a log: `BD-3` and `BD-4`. */
export async function readLoggedBoard(files: Uint8Array[], record: Uint8Array, pool: Pool): Promise<LoggedBoard> {
  const { key, written, checkpoint, stretch, witnesses } = within('the log', () => readRecord(record));
  const origin = checkpoint.origin;
  const signed = stretch.leaves.map((leaf) => signedLeaf(origin, leaf));
  (await genuine(signed, pool)).forEach((isGenuine, i) => must(isGenuine, 'LG-1', `leaf ${i}: the signature is not its author's`));
  const entries = enter(stretch.leaves, key, files.map((bytes, i) => within(`object ${i}`, () => readEntry(bytes))));
  must(entries.length > 0, 'BD-4', 'the log has no entry');
  const [first] = entries;
  const log = object({ key: written, size: checkpoint.size, root: hex(checkpoint.root), leaves: BigInt(stretch.leaves.length), ...witnesses });
  return { name: stretch.leaves[first!.place]!.name, entries, log };
}

/** What the file `boardlog` says. */
interface LogRecord {
  key: VerifierKey;
  written: string;
  checkpoint: Checkpoint;
  stretch: Stretch;
  /** What is stated of witnesses, if it names any. */
  witnesses: { witnesses?: Json };
}

/** The witnesses that a file names, each with its latest cosignature: `BD-3`. */
function readWitnesses(reader: Reader, note: Note): { witnesses: Json } {
  const count = reader.count(MAX_WITNESSES, 'witnesses');
  must(count >= 1, 'CV-2', 'no witness');
  const witnesses = Array.from({ length: count }, () => reader.text(MAX_KEY, "a witness's key"));
  const keys = witnesses.map(readVerifierKey);
  must(new Set(keys.map(({ key }) => hex(key))).size === count, 'BD-3', 'a witness is named twice');
  return { witnesses: keys.map((key, i) => object({ key: witnesses[i]!, time: cosignedAt(note, key) })) };
}

/** The file `boardlog`: `BD-3`. */
function readRecord(bytes: Uint8Array): LogRecord {
  const isCosigned = fileKind(bytes) === 'boardlog' && bytes[16] === 2 && bytes[17] === 0;
  const reader = openFile(bytes, 'boardlog', isCosigned ? 2 : 1);
  const written = reader.text(MAX_KEY, "the log's key");
  const key = readVerifierKey(written);
  must(!key.name.startsWith(OWN) || key.name === OWN + hex(key.key), 'BD-3', "the log's name names another keeper");
  const note = readCheckpoint(reader.bytesOf(MAX_NOTE, 'the checkpoint'), key);
  const { checkpoint } = note;
  const stretch = readStretch(reader);
  const witnesses = isCosigned ? readWitnesses(reader, note) : {};
  reader.end();
  const root = rootOf(stretch, checkpoint.size);
  must(stretch.first === 0n && root !== undefined && equal(root, checkpoint.root), 'BD-3', "the leaves are not the first of the checkpoint's log");
  stretch.leaves.forEach(({ time }, i) => must(i === 0 || time >= stretch.leaves[i - 1]!.time, 'LG-8', `leaf ${i} is older than the one before`));
  return { key, written, checkpoint, stretch, witnesses };
}

/** `BD-4`: the leaves that are entries, each with its payload. */
function enter(leaves: Leaf[], keeper: VerifierKey, written: Written[]): Entry[] {
  const entries: Entry[] = [];
  const names = new Set<string>();
  const slots = new Map<string, number>();
  const frontier = new Frontier();
  let next = 0;
  leaves.forEach((leaf, place) => {
    frontier.append(leaf.bytes);
    const isTick = leaf.kind === 'log/tick' && equal(leaf.author, keeper.key);
    must(isTick || !leaf.kind.startsWith('log/'), 'BD-4', `leaf ${place}: its kind is the keeper's`);
    if (isTick || leaf.kind === 'party/run' || names.has(hex(leaf.name))) return;
    const entry = written[next++];
    must(entry !== undefined && entry.place === BigInt(place) && equal(entry.leaf, leaf.bytes), 'BD-4', `leaf ${place}: its entry is missing, or another one`);
    const isNamed = BigInt(entry.payload.length) === leaf.length && equal(digest('subrosa/log/payload/v1', entry.payload), leaf.payload);
    must(isNamed, 'LG-2', `entry ${place}: its payload is not the one that its header names`);
    const said = `${hex(leaf.author)} ${leaf.kind} ${hex(leaf.subject)}`;
    const first = slots.get(said);
    if (first === undefined) slots.set(said, place);
    names.add(hex(leaf.name));
    const { author, kind, subject, time, name } = leaf;
    const slot = { subject, ...(first === undefined ? {} : { first }) };
    entries.push({ author, kind, payload: entry.payload, digest: name, place, slot, leaf: { time, root: frontier.root() } });
  });
  must(next === written.length, 'BD-4', 'there are entries that the log does not have');
  return entries;
}
