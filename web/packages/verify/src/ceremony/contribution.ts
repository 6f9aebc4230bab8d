import { sha256 } from '@noble/hashes/sha2.js';
import { decodeText, hex, Reader } from '../bytes.js';
import { object, type Json } from '../json.js';
import { must, NotChecked } from '../refusal.js';

/** Public randomness from which everybody computes a contributor's secrets. */
export interface Beacon {
  bytes: Uint8Array;
  /** The binary logarithm of how often it is hashed. */
  exponent: number;
}

/** Who contributed, by the word of whoever made the file. */
export interface Contribution {
  name: string | null;
  /** What contributors publish. */
  hash: Uint8Array;
  beacon: Beacon | null;
}

/** A contribution as claims state it. */
export const contributionJson = ({ name, hash, beacon }: Contribution): Json =>
  object({
    name,
    hash: hex(hash),
    beacon: beacon === null ? null : object({ hash: hex(beacon.bytes), iterations_exp: BigInt(beacon.exponent) }),
  });

/** A name of 1 to 64 UTF-16 units. */
export function checkName(name: string): string {
  must(name.length >= 1 && name.length <= 64, 'CE-28', 'a name has not 1 to 64 UTF-16 units');
  return name;
}

/** A beacon of 1 to 255 bytes. */
export function checkBeacon(bytes: Uint8Array, exponent: number): Beacon {
  must(bytes.length >= 1 && bytes.length <= 255, 'CE-4', 'a beacon has not 1 to 255 bytes');
  must(exponent >= 10 && exponent <= 63, 'CE-4', 'a beacon is not hashed 2^10 to 2^63 times');
  return { bytes, exponent };
}

const MAX_PARAMETERS = 2 + 255 + 2 + 2 + 255;

/** Who made a contribution, as snarkjs' files say it at its end. */
export function readAttribution(reader: Reader): { name: string | null; beacon: Beacon | null } {
  const kind = reader.u32();
  const parameters = new Reader(reader.bytesOf(MAX_PARAMETERS, 'parameters of a contribution'));
  const found = new Map<number, Uint8Array>();
  let last = 0;
  while (parameters.left > 0) {
    const tag = parameters.u8();
    must(tag > last && tag <= 3, 'CE-28', 'the parameters of a contribution are unknown, or not in order');
    found.set(tag, parameters.take(tag === 2 ? 1 : parameters.u8()));
    last = tag;
  }
  const [named, exponent, bytes] = [found.get(1), found.get(2), found.get(3)];
  const isBeacon = exponent !== undefined && bytes !== undefined;
  must(kind <= 1 && isBeacon === (kind === 1) && (isBeacon || (exponent === undefined && bytes === undefined)), 'CE-28', 'the parameters are not those of this type of contribution');
  return {
    name: named === undefined ? null : checkName(decodeText(named)),
    beacon: isBeacon ? checkBeacon(bytes, exponent[0]!) : null,
  };
}

/** `CE-3`: somebody contributed who could have kept a secret. */
export function requireParticipant(contributions: { beacon: Beacon | null }[], check: string): void {
  must(contributions.length > 0, check, 'nobody contributed');
  must(contributions.some(({ beacon }) => beacon === null), check, 'only beacons contributed, whose secrets everybody can compute');
}

const MAX_HASHES = 2n ** 32n;
/** Hashes that this verifier computes: more take minutes in a browser. */
const OWN_MAX_HASHES = 2n ** 24n;

/** `CE-4`: how much work all beacons are. */
export function checkWork(contributions: { beacon: Beacon | null }[]): void {
  const hashes = contributions.reduce((sum, { beacon }) => sum + (beacon === null ? 0n : 2n ** BigInt(beacon.exponent)), 0n);
  must(hashes <= MAX_HASHES, 'CE-4', 'the beacons are hashed more than 2^32 times');
  if (hashes > OWN_MAX_HASHES) throw new NotChecked('this verifier does not hash beacons more than 2^24 times');
}

/** What a beacon is hashed to. */
export function delay({ bytes, exponent }: Beacon): Uint8Array {
  let digest = sha256(bytes);
  for (let done = 1; done < 2 ** exponent; done++) digest = sha256(digest);
  return digest;
}
