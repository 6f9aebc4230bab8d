import { sha256 } from '@noble/hashes/sha2.js';
import { concat, decodeText, equal, hex, text } from '../bytes.js';
import { decodeKey, isGenuine } from '../ed25519.js';
import { must } from '../refusal.js';

const MAX_NOTE = 2 ** 20;
const MAX_SIZE = 2n ** 63n - 1n;
const ED25519 = 1;
const COSIGNATURE = 4;

/** A key under its name, as whoever verifies is configured with it. */
export interface VerifierKey {
  name: string;
  id: Uint8Array;
  algorithm: number;
  key: Uint8Array;
}

/** Bytes of base64 with padding, in their only spelling. */
function base64(encoded: string, check: string): Uint8Array {
  must(/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) && encoded.length % 4 === 0, check, 'not base64');
  const bytes = Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
  must(btoa(String.fromCharCode(...bytes)) === encoded, check, 'base64 in another spelling');
  return bytes;
}

/** A key's name: 1 to 255 bytes without spaces, `+` and control characters. */
function checkName(name: string): string {
  const length = text(name).length;
  must(length >= 1 && length <= 255 && !/[\p{White_Space}\p{Cc}+]/u.test(name), 'LG-5', 'the name of a key');
  return name;
}

const idOf = (name: string, algorithm: number, key: Uint8Array): Uint8Array =>
  sha256(concat(text(name), Uint8Array.of(0x0a, algorithm), key)).subarray(0, 4);

/** Reads `name+id+base64(algorithm ‖ key)`. */
export function readVerifierKey(written: string): VerifierKey {
  const [name, id, ...rest] = written.split('+');
  must(name !== undefined && id !== undefined && rest.length > 0, 'LG-5', 'not a key `name+id+key`');
  const bytes = base64(rest.join('+'), 'LG-5');
  const [algorithm, key] = [bytes[0], bytes.subarray(1)];
  must((algorithm === 1 || algorithm === 4) && decodeKey(key) !== undefined, 'LG-5', 'a key of an unknown algorithm, or none');
  const own = idOf(checkName(name), algorithm, key);
  must(hex(own) === id, 'LG-5', 'the id of a key');
  return { name, id: own, algorithm, key };
}

/** A log at a size, signed by its keeper. */
export interface Checkpoint {
  origin: string;
  size: bigint;
  root: Uint8Array;
}

/** A signature under a note. */
interface Line {
  name: string;
  id: Uint8Array;
  signature: Uint8Array;
}

/** A checkpoint with the text that was signed, and all lines under it. */
export interface Note {
  checkpoint: Checkpoint;
  body: string;
  lines: Line[];
}

/** Reads a note and verifies it with the keeper's key (`LG-5`); lines of other keys are not looked into. */
export function readCheckpoint(bytes: Uint8Array, keeper: VerifierKey): Note {
  must(bytes.length <= MAX_NOTE, 'LG-5', 'the note is too large');
  const note = decodeText(bytes);
  const end = note.lastIndexOf('\n\n');
  must(end >= 0 && note.endsWith('\n') && end + 2 < note.length, 'LG-5', 'not a signed note');
  const body = note.slice(0, end + 1);
  // eslint-disable-next-line no-control-regex
  must(!/[\u0000-\u0009\u000b-\u001f]/.test(body), 'LG-5', 'the note has control characters');
  const lines = note.slice(end + 2, -1).split('\n').map(readLine);
  const own = lines.filter(({ name, id }) => name === keeper.name && equal(id, keeper.id));
  const isSigned = keeper.algorithm === ED25519 && own.length > 0 && own.every(({ signature }) => isGenuine(keeper.key, text(body), signature));
  const checkpoint = readBody(body);
  must(checkpoint.origin === keeper.name, 'LG-5', 'the checkpoint is of another log');
  must(isSigned, 'LG-5', 'the checkpoint is not signed by the keeper');
  return { checkpoint, body, lines };
}

/** The latest time at which a witness cosigned a note: of `BD-3` that it did, and that its lines are genuine. */
export function cosignedAt({ body, lines }: Note, witness: VerifierKey): bigint {
  must(witness.algorithm === COSIGNATURE, 'BD-3', 'a witness with a key of another algorithm');
  const own = lines.filter(({ name, id }) => name === witness.name && equal(id, witness.id));
  must(own.length > 0, 'BD-3', `${witness.name} did not cosign the checkpoint`);
  const times = own.map(({ signature }) => {
    must(signature.length === 72, 'BD-3', `a cosignature of ${witness.name} has another length`);
    const time = BigInt(`0x${hex(signature.subarray(0, 8))}`);
    const said = text(`cosignature/v1\ntime ${time}\n${body}`);
    must(isGenuine(witness.key, said, signature.subarray(8)), 'BD-3', `a cosignature of ${witness.name} is not genuine`);
    return time;
  });
  return times.reduce((latest, time) => (time > latest ? time : latest));
}

function readLine(line: string): Line {
  const parts = line.split(' ');
  must(parts.length === 3 && parts[0] === '—', 'LG-5', 'a line that is no signature');
  const bytes = base64(parts[2]!, 'LG-5');
  must(bytes.length > 4, 'LG-5', 'a line without a signature');
  return { name: checkName(parts[1]!), id: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

function readBody(body: string): Checkpoint {
  const [origin, decimal, encoded, ...extensions] = body.slice(0, -1).split('\n');
  const length = text(origin!).length;
  must(length >= 1 && length <= 255 && !/\p{Cc}/u.test(origin!), 'LG-5', 'the name of the log');
  must(decimal !== undefined && /^(0|[1-9][0-9]{0,18})$/.test(decimal) && BigInt(decimal) <= MAX_SIZE, 'LG-5', 'the size of the log');
  const root = base64(encoded ?? '', 'LG-5');
  must(root.length === 32 && extensions.every((line) => line !== ''), 'LG-5', 'the root of the log, or an empty line');
  return { origin: origin!, size: BigInt(decimal), root };
}
