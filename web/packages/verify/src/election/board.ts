import { concat, equal, Reader } from '../bytes.js';
import { digest } from '../digest.js';
import { readKey } from '../ed25519.js';
import type { Signed } from '../kernel.js';
import { must, Refusal, within } from '../refusal.js';
import { genuine } from './work.js';
import type { Pool } from '../pool.js';

const MAX_PAYLOAD = 2 ** 28;
const SIGNATURE = 64;

/** Something that somebody said on a board. */
export interface Entry {
  author: Uint8Array;
  kind: string;
  payload: Uint8Array;
  /** The digest that names it. */
  digest: Uint8Array;
  /** The number of entries before; on a log, the place of its leaf. */
  place: number;
  /** On a log: the subject that its author signed, and the place of an entry that says something else in the same slot. */
  slot?: { subject: Uint8Array; first?: number };
  /** On a log: the time of its leaf, and the root of all leaves up to it. */
  leaf?: { time: bigint; root: Uint8Array };
}

/** A board whose chain and signatures hold. */
export interface Board {
  name: Uint8Array;
  entries: Entry[];
}

interface Link extends Omit<Entry, 'digest'> {
  previous: Uint8Array;
  signature: Uint8Array;
}

function readEntry(bytes: Uint8Array, sequence: number): Link {
  const reader = new Reader(bytes);
  must(reader.u8() === 1, 'CV-4', 'another version of an entry');
  must(reader.u64() === BigInt(sequence), 'BD-1', 'another sequence number is due');
  const previous = reader.take(32);
  const author = readKey(reader);
  const kind = reader.text(64, 'the kind');
  must(/^[a-z0-9./-]+$/.test(kind), 'CV-4', 'the kind has other characters');
  const payload = reader.bytesOf(MAX_PAYLOAD, 'the payload');
  const signature = reader.take(SIGNATURE);
  reader.end();
  return { previous, author, kind, payload, signature, place: sequence };
}

/** A chain of entries: `BD-1` and `BD-2`. */
export async function readBoard(files: Uint8Array[], pool: Pool): Promise<Board> {
  const digests = files.map((bytes) => digest('subrosa/board/chain/v1', bytes));
  const name = digests[0]!;
  const links: Link[] = [];
  let wrong: Refusal | undefined;
  for (const [i, bytes] of files.entries()) {
    try {
      const link = within(`entry ${i}`, () => readEntry(bytes, i));
      must(equal(link.previous, i === 0 ? new Uint8Array(32) : digests[i - 1]!), 'BD-1', `entry ${i}: it does not follow the entry before`);
      links.push(link);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // An entry before it whose signature is wrong is refused first.
      wrong = error;
      break;
    }
  }
  const domain = 'subrosa/board/entry/v1';
  const signed = links.map(({ author, signature }, i): Signed => {
    const of = i === 0 ? new Uint8Array(32) : name;
    return { domain, key: author, bytes: concat(of, files[i]!.subarray(0, -SIGNATURE)), signature };
  });
  (await genuine(signed, pool)).forEach((isGenuine, i) => must(isGenuine, 'BD-2', `entry ${i}: the signature is not its author's`));
  if (wrong !== undefined) throw wrong;
  return { name, entries: links.map((link, i) => ({ ...link, digest: digests[i]! })) };
}
