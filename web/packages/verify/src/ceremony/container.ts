import { sha256 } from '@noble/hashes/sha2.js';
import { concat, equal, integer, le32, le64, Reader, text } from '../bytes.js';
import { must } from '../refusal.js';
import { CURVES, type Curve } from '../snark/curve.js';

const MAX_SECTIONS = 1024;
const DIGEST_DOMAIN = 'ceremony/input/sections';

/** A file of circom and snarkjs: sections by their identifiers (`CE-28`). */
export class Container {
  private constructor(
    readonly magic: string,
    private readonly sections: Map<number, Uint8Array>,
  ) {}

  /** Reads a file that begins with four letters and the version 1. */
  static read(bytes: Uint8Array, magic: string): Container {
    const reader = new Reader(bytes);
    must(equal(reader.take(4), text(magic)) && reader.u32() === 1, 'CE-28', `not a file \`${magic}\` of version 1`);
    const found = new Map<number, Uint8Array>();
    const count = reader.count(MAX_SECTIONS, 'sections');
    for (let i = 0; i < count; i++) {
      const id = reader.u32();
      const length = reader.u64();
      must(length <= BigInt(reader.left), 'CV-1', `the section ${id} is longer than its file`);
      must(!found.has(id), 'CE-28', `the section ${id} is there twice`);
      found.set(id, reader.take(Number(length)));
    }
    reader.end();
    return new Container(magic, found);
  }

  /** The identifiers, in the order of the file. */
  get ids(): number[] {
    return [...this.sections.keys()];
  }

  has(id: number): boolean {
    return this.sections.has(id);
  }

  /** A section that must be there, of this length if one is given. */
  section(id: number, length?: number): Uint8Array {
    const found = this.sections.get(id);
    must(found !== undefined, 'CE-28', `the section ${id} of the file \`${this.magic}\` is missing`);
    must(length === undefined || found.length === length, 'CE-28', `the section ${id} of the file \`${this.magic}\` has another length`);
    return found;
  }

  /** Names the file, wherever its sections stand. */
  digest(): Uint8Array {
    const hash = sha256.create().update(concat(le64(DIGEST_DOMAIN.length), text(DIGEST_DOMAIN), text(this.magic), le64(this.sections.size)));
    for (const id of this.ids.sort((a, b) => a - b)) {
      const content = this.section(id);
      hash.update(concat(le32(id), le64(content.length))).update(content);
    }
    return hash.digest();
  }
}

/** The next field: a prime behind its length. */
const prime = (reader: Reader): bigint => integer(reader.take(reader.u32()));

/** The curve whose coordinates are below the next prime. */
export function readBase(reader: Reader): Curve {
  const p = prime(reader);
  const curve = CURVES.find(({ noble }) => noble.fields.Fp.ORDER === p);
  must(curve !== undefined, 'CE-28', 'a file over another curve');
  return curve;
}

/** The prime of the scalars. */
export function readScalars(reader: Reader, curve: Curve): void {
  must(prime(reader) === curve.noble.fields.Fr.ORDER, 'CE-28', 'a file over another curve');
}
