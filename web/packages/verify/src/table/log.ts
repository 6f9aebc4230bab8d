import { sha256 } from '@noble/hashes/sha2.js';
import { concat, decodeText, equal, hex, integer, le32, Reader, text } from '../bytes.js';
import { isGenuine, isGenuineIn } from '../ed25519.js';
import { object, type Json } from '../json.js';
import { must, within } from '../refusal.js';
import { orderedColumns, type Genesis } from './genesis.js';
import { hash, list } from './hash.js';

const MAX_NOTE = 2 ** 20;
const MAX_RECORDS = 256;
const MAX_PROOF = 64;
const MAX_RECORD = 2 ** 20;

/** The header of an epoch. */
export interface Header {
  epoch: number;
  columns: { keys: Uint8Array; pseudonyms: Uint8Array }[];
  rollups: Uint8Array;
  rows: bigint;
  aux: Uint8Array;
  previous: Uint8Array;
  audit: Uint8Array;
}

/** Reads a header; it has as many columns as the schema has ordered ones (`TB-4`). */
export function readHeader(reader: Reader, genesis: Genesis): Header {
  const epoch = reader.u32();
  const count = reader.u16();
  must(count === orderedColumns(genesis).length, 'TB-4', 'a header with another number of columns');
  must(epoch >= genesis.firstEpoch, 'TB-4', `epoch ${epoch} is before the first`);
  const columns = Array.from({ length: count }, () => ({ keys: reader.take(32), pseudonyms: reader.take(32) }));
  const rollups = reader.take(32);
  const rows = reader.u64();
  return { epoch, columns, rollups, rows, aux: reader.take(32), previous: reader.take(32), audit: reader.take(32) };
}

/** `E`: the core of an epoch. */
export const core = (genesis: Genesis, header: Header): Uint8Array =>
  hash(
    'core',
    genesis.name,
    header.epoch,
    header.columns.length,
    ...header.columns.flatMap(({ keys, pseudonyms }) => [keys, pseudonyms]),
    header.rollups,
    header.rows,
    header.aux,
    header.previous,
  );

/** `D`: the digest of an epoch. */
export const epochDigest = (genesis: Genesis, header: Header): Uint8Array =>
  hash('epoch', core(genesis, header), header.audit);

/** An epoch, and a proof that it is in the log. */
export interface LoggedEpoch {
  header: Header;
  digest: Uint8Array;
  proof: Uint8Array[];
}

/** Reads a logged epoch. */
export function readLoggedEpoch(reader: Reader, genesis: Genesis): LoggedEpoch {
  const header = readHeader(reader, genesis);
  const count = reader.limited(reader.u8(), MAX_PROOF, 'hashes of a proof in the log');
  const proof = Array.from({ length: count }, () => reader.take(32));
  return { header, digest: epochDigest(genesis, header), proof };
}

/** A node of the log's tree. */
export const logNode = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(concat(Uint8Array.of(1), left, right));

/** The root to which an inclusion proof of RFC 6962 leads, or undefined if its length is not that of the shape. */
export function inclusionRoot(leaf: Uint8Array, index: bigint, size: bigint, proof: Uint8Array[]): Uint8Array | undefined {
  let node: Uint8Array = sha256(concat(Uint8Array.of(0), leaf));
  let [at, last] = [index, size - 1n];
  let used = 0;
  for (; last > 0n; at >>= 1n, last >>= 1n) {
    if (at === last && (at & 1n) === 0n) continue;
    const sibling = proof[used++];
    if (sibling === undefined) return undefined;
    node = (at & 1n) === 1n ? logNode(sibling, node) : logNode(node, sibling);
  }
  return used === proof.length ? node : undefined;
}

/** A signed state of the log. */
export interface Checkpoint {
  size: bigint;
  root: Uint8Array;
  /** The text that is signed. */
  body: string;
  operator: { id: Uint8Array; signature: Uint8Array };
  cosignatures: { name: string; id: Uint8Array; time: bigint; signature: Uint8Array }[];
}

/** Bytes of base64 with padding, in their only spelling. */
function base64(encoded: string): Uint8Array {
  must(/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) && encoded.length % 4 === 0, 'TB-5', 'not base64');
  const bytes = Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
  must(btoa(String.fromCharCode(...bytes)) === encoded, 'TB-5', 'base64 in another spelling');
  return bytes;
}

const origin = (genesis: Genesis): string => `subrosa.table/v1/${hex(genesis.name)}`;

/** Reads a checkpoint (`TB-5`). */
export function readCheckpoint(bytes: Uint8Array, genesis: Genesis): Checkpoint {
  must(bytes.length <= MAX_NOTE, 'TB-5', 'the note is too large');
  const note = within('the checkpoint', () => decodeText(bytes));
  const split = note.indexOf('\n\n');
  must(split >= 0 && note.endsWith('\n'), 'TB-5', 'not a signed note');
  const body = note.slice(0, split + 1);
  const [first, decimal, root, ...more] = body.slice(0, -1).split('\n');
  must(first === origin(genesis), 'TB-5', 'the checkpoint is of another table');
  must(decimal !== undefined && /^(0|[1-9][0-9]{0,19})$/.test(decimal), 'TB-5', 'the number of epochs');
  must(root !== undefined && more.length === 0, 'TB-5', 'the text has not three lines');
  const size = BigInt(decimal);
  const rootBytes = base64(root);
  must(size < 2n ** 64n && rootBytes.length === 32, 'TB-5', 'the number of epochs, or the root');
  const lines = note.slice(split + 2, -1).split('\n').map((line) => {
    const parts = line.split(' ');
    must(parts.length === 3 && parts[0] === '—', 'TB-5', 'a line that is no signature');
    return { name: parts[1]!, bytes: base64(parts[2]!) };
  });
  const [operator, ...others] = lines;
  must(operator !== undefined && operator.name === first && operator.bytes.length === 68, 'TB-5', "the operator's line");
  const cosignatures = others.map(({ name, bytes: signed }) => {
    must(signed.length === 76 && /^[0-9a-f]{64}$/.test(name), 'TB-5', `the line of ${name}`);
    const time = integer(signed.slice(4, 12).reverse());
    return { name, id: signed.subarray(0, 4), time, signature: signed.subarray(12) };
  });
  const own = { id: operator.bytes.subarray(0, 4), signature: operator.bytes.subarray(4) };
  return { size, root: rootBytes, body, operator: own, cosignatures };
}

const keyId = (name: string, algorithm: number, key: Uint8Array): Uint8Array =>
  sha256(concat(text(name), Uint8Array.of(0x0a, algorithm), key)).subarray(0, 4);

/** A change of the operator's key. */
export interface Rotation {
  epoch: number;
  from: Uint8Array;
  to: Uint8Array;
}

/** Who was the operator, and when. */
export class Operators {
  private readonly rotations: Rotation[] = [];

  constructor(private readonly genesis: Genesis) {}

  /** How many epochs the log has up to this one. */
  private sizeAt(epoch: number): bigint {
    return BigInt(epoch - this.genesis.firstEpoch + 1);
  }

  /** The key that signs a log of this size. */
  at(size: bigint): Uint8Array {
    return this.rotations.findLast(({ epoch }) => size > this.sizeAt(epoch))?.to ?? this.genesis.operator;
  }

  /** `TB-8` of a rotation whose signatures are genuine. */
  add(rotation: Rotation): void {
    const last = this.rotations.at(-1);
    must(last === undefined || rotation.epoch > last.epoch, 'TB-8', 'rotations are not in their order');
    must(equal(rotation.from, this.at(this.sizeAt(rotation.epoch))), 'TB-8', "the old key is not the operator's");
    const known = [this.genesis.operator, ...this.rotations.map(({ to }) => to)];
    must(!known.some((key) => equal(key, rotation.to)), 'TB-8', "the new key was the operator's before");
    this.rotations.push(rotation);
  }

  /** Whether a key is or was the operator's. */
  was(key: Uint8Array): boolean {
    return [this.genesis.operator, ...this.rotations.map(({ to }) => to)].some((own) => equal(own, key));
  }

  /** `TB-6`: this key signed a checkpoint. */
  checkOperator({ body, operator }: Checkpoint, key: Uint8Array): void {
    must(equal(operator.id, keyId(origin(this.genesis), 1, key)), 'TB-6', "the id of the operator's key");
    must(isGenuine(key, text(body), operator.signature), 'TB-6', "the operator's signature");
  }

  /** `TB-7`. */
  checkQuorum({ body, cosignatures }: Checkpoint): void {
    const { genesis } = this;
    const seen = new Set<string>();
    for (const { name, id, time, signature } of cosignatures) {
      const witness = genesis.witnesses.find((key) => hex(key) === name);
      must(witness !== undefined, 'TB-7', `${name} is no witness of this table`);
      must(!seen.has(name), 'TB-7', `${name} cosigned twice`);
      seen.add(name);
      must(equal(id, keyId(name, 4, witness)) && time < 2n ** 63n, 'TB-7', `the line of ${name}`);
      const message = text(`cosignature/v1\ntime ${time}\n${body}`);
      must(isGenuine(witness, message, signature), 'TB-7', `the cosignature of ${name}`);
    }
    must(cosignatures.length >= genesis.quorum, 'TB-7', `${cosignatures.length} cosignatures, where ${genesis.quorum} are due`);
  }

  /** The time that the quorum vouches for, in seconds since 1970. */
  witnessed({ cosignatures }: Checkpoint): bigint | null {
    const { quorum } = this.genesis;
    if (quorum === 0) return null;
    const times = cosignatures.map(({ time }) => time).sort((a, b) => (a < b ? 1 : -1));
    return times[quorum - 1]!;
  }
}

/** Reads a rotation, and checks both signatures (`TB-8`). */
export function readRotation(reader: Reader, genesis: Genesis): Rotation {
  const epoch = reader.u32();
  const from = reader.take(32);
  const to = reader.take(32);
  const signed = concat(genesis.name, le32(epoch), from, to);
  for (const key of [from, to]) {
    must(isGenuineIn('subrosa/table/rotation', key, signed, reader.take(64)), 'TB-8', 'a signature of a rotation');
  }
  return { epoch, from, to };
}

/** A record of an epoch: 32 bytes behind the tags 0 and 1, a rotation behind 2, a number and 32 bytes behind 3. */
function readRecord(reader: Reader): Uint8Array {
  const start = reader.position;
  const tag = reader.u8();
  must(tag <= 3, 'CV-4', `a record of kind ${tag}`);
  reader.take([32, 32, 4 + 32 + 32 + 64 + 64, 8 + 32][tag]!);
  return reader.since(start);
}

/** Reads all records of an epoch: their number, and each with its tag in front. */
export const readRecords = (reader: Reader): Uint8Array[] =>
  Array.from({ length: reader.count(MAX_RECORDS, 'records') }, () => readRecord(reader));

/** Refuses records that do not hash to a header's `aux`. */
export const checkRecords = (records: Uint8Array[], { aux }: Header, check: string): void =>
  must(equal(hash('aux', ...list(records)), aux), check, 'the records are not those of the epoch');

/** `TB-8`: a rotation that stands in the log. */
function addRotation(log: Log, bytes: Uint8Array): void {
  must(bytes.length <= MAX_RECORD, 'CV-2', 'a rotation is too large');
  const reader = new Reader(bytes);
  const logged = readLoggedEpoch(reader, log.genesis);
  log.checkEpoch(logged);
  const records = readRecords(reader);
  reader.end();
  checkRecords(records, logged.header, 'TB-8');
  const rotations = records.filter((record) => record[0] === 2);
  must(rotations.length === 1, 'TB-8', 'not exactly one rotation in the epoch');
  const rotation = readRotation(new Reader(rotations[0]!.subarray(1)), log.genesis);
  must(rotation.epoch === logged.header.epoch, 'TB-8', 'the rotation names another epoch');
  log.operators.add(rotation);
}

/** A log whose checkpoint is genuine. */
export class Log {
  readonly operators: Operators;

  private constructor(
    readonly genesis: Genesis,
    readonly checkpoint: Checkpoint,
  ) {
    this.operators = new Operators(genesis);
  }

  /** `TB-5` to `TB-8`. */
  static open(genesis: Genesis, checkpoint: Uint8Array, rotations: Uint8Array[]): Log {
    const log = new Log(genesis, readCheckpoint(checkpoint, genesis));
    rotations.forEach((bytes, i) => within(`rotation ${i}`, () => addRotation(log, bytes)));
    log.operators.checkOperator(log.checkpoint, log.operator);
    log.operators.checkQuorum(log.checkpoint);
    return log;
  }

  /** The key that signed the checkpoint. */
  get operator(): Uint8Array {
    return this.operators.at(this.checkpoint.size);
  }

  /** `TB-4`: an epoch is in the log. */
  checkEpoch({ header, digest, proof }: LoggedEpoch): void {
    const index = BigInt(header.epoch - this.genesis.firstEpoch);
    must(index < this.checkpoint.size, 'TB-4', `epoch ${header.epoch} is not in the log`);
    const root = inclusionRoot(digest, index, this.checkpoint.size, proof);
    must(root !== undefined && equal(root, this.checkpoint.root), 'TB-4', `epoch ${header.epoch}: the proof does not lead to the log's root`);
  }

  /** The time that the quorum vouches for, in seconds since 1970. */
  get witnessed(): bigint | null {
    return this.operators.witnessed(this.checkpoint);
  }

  /** The member `log` of statements. */
  statement(): Json {
    return object({
      epochs: this.checkpoint.size,
      first: BigInt(this.genesis.firstEpoch),
      operator: hex(this.operator),
      root: hex(this.checkpoint.root),
      witnessed: this.witnessed,
      witnesses: this.checkpoint.cosignatures.map(({ name }) => name),
    });
  }
}
