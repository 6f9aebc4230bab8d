import { equal, hex, Reader } from '../bytes.js';
import { object, type Json } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import { foldConsistency } from '../log/consistency.js';
import { asPartOf, must, within } from '../refusal.js';
import { orderedColumns, readGenesis, type Genesis } from './genesis.js';
import { hash } from './hash.js';
import { inclusionRoot, Operators, readCheckpoint, readLoggedEpoch, readRotation, type Checkpoint, type LoggedEpoch, type Rotation } from './log.js';
import { readReceipt, type Receipt } from './row.js';
import { leafHash } from './tree.js';
import { checkAbsence, checkMembership, readAbsence, readMembership } from './trie.js';

const MAX_ROTATIONS = 4096;
const MAX_NOTE = 2 ** 20;
const MAX_PROOF = 255;

/** What the operator did, in the words of the statement. */
const OFFENCES = ['omission', 'alteration', 'withholding', 'two roots', 'fork', 'two successors', 'retired key'] as const;

/** A claim that a table's operator cheated, by what it signed itself. */
export async function verifyEvidence(objects: Objects): Promise<Found> {
  const genesis = readGenesis(objects['genesis']![0]!);
  const reader = new Reader(objects['evidence']![0]!);
  const accused = new Accused(genesis, reader);
  const tag = reader.u8();
  const offence = OFFENCES[tag];
  must(offence !== undefined, 'CV-4', `an offence of kind ${tag}`);
  const found = SHOWN[offence](accused);
  reader.end();
  return {
    statement: object({ table: hex(genesis.name), name: genesis.table, offence, ...found }),
    checks: [
      { check: 'TB-1', count: 1, what: 'genesis, which names the table' },
      { check: 'TB-8', count: accused.rotations, what: "changes of the operator's key" },
      { check: 'TB-18', count: accused.signed, what: 'words that the operator signed' },
      { check: 'TB-19', count: 1, what: 'offence that they show' },
    ].filter(({ count }) => count > 0),
    premises: [],
  };
}

/** An operator, and what it signed. */
class Accused {
  readonly operators: Operators;
  readonly rotations: number;
  /** Signed words that were read. */
  signed = 0;

  constructor(
    readonly genesis: Genesis,
    readonly reader: Reader,
  ) {
    this.operators = new Operators(genesis);
    this.rotations = reader.count(MAX_ROTATIONS, 'rotations');
    for (let i = 0; i < this.rotations; i++) within(`rotation ${i}`, () => this.operators.add(readRotation(reader, genesis)));
  }

  /** A checkpoint that the operator signed; with `quorum` also the witnesses. */
  note(quorum: boolean): Checkpoint {
    const note = readCheckpoint(this.reader.bytesOf(MAX_NOTE, 'a note'), this.genesis);
    this.operators.checkOperator(note, this.operators.at(note.size));
    if (quorum) this.operators.checkQuorum(note);
    this.signed += 1;
    return note;
  }

  receipt(): Receipt {
    const receipt = readReceipt(this.reader, this.genesis, (size) => this.operators.at(size));
    this.signed += 1;
    return receipt;
  }

  /** A rotation by a key that is or was the operator's. */
  rotation(): Rotation {
    const rotation = asPartOf('TB-18', /^TB-8$/, () => readRotation(this.reader, this.genesis));
    must(this.operators.was(rotation.from), 'TB-18', "the old key of a rotation was never the operator's");
    this.signed += 1;
    return rotation;
  }

  /** The epoch of a receipt, in the log of a note. */
  epoch({ epoch }: Receipt): { logged: LoggedEpoch; note: Checkpoint } {
    const logged = readLoggedEpoch(this.reader, this.genesis);
    const note = this.note(false);
    const index = BigInt(logged.header.epoch - this.genesis.firstEpoch);
    must(index < note.size, 'TB-4', 'the epoch is not in the log');
    const root = inclusionRoot(logged.digest, index, note.size, logged.proof);
    must(root !== undefined && equal(root, note.root), 'TB-4', "the proof does not lead to the log's root");
    must(logged.header.epoch === epoch, 'TB-18', "the epoch is not the receipt's");
    return { logged, note };
  }

  /** The root of pseudonyms of a receipt's column. */
  pseudonyms({ header }: LoggedEpoch, { column }: Receipt): Uint8Array {
    const place = orderedColumns(this.genesis).indexOf(column);
    must(place >= 0, 'TB-18', `the receipt's column ${column} is not ordered`);
    return header.columns[place]!.pseudonyms;
  }

  /** The member `logs`. */
  logs(...notes: Checkpoint[]): Json {
    return notes.map(({ size, root }) => object({ epochs: size, root: hex(root), operator: hex(this.operators.at(size)) }));
  }
}

const about = ({ epoch, pseudonym }: Receipt): Record<string, Json> => ({ epoch: BigInt(epoch), pseudonym: hex(pseudonym) });

const handedOver = (...rotations: Rotation[]): Json =>
  rotations.map(({ epoch, to }) => object({ epoch: BigInt(epoch), successor: hex(to) }));

/** `TB-19`: what shows each offence; gives the members of the statement. */
const SHOWN: Record<(typeof OFFENCES)[number], (accused: Accused) => Record<string, Json>> = {
  omission: (accused) => {
    const receipt = accused.receipt();
    const { logged, note } = accused.epoch(receipt);
    checkAbsence(readAbsence(accused.reader), receipt.pseudonym, accused.pseudonyms(logged, receipt));
    return { ...about(receipt), logs: accused.logs(note) };
  },
  alteration: (accused) => {
    const receipt = accused.receipt();
    const { logged, note } = accused.epoch(receipt);
    const other = accused.reader.take(32);
    const standing = hash('id leaf', receipt.pseudonym, other);
    checkMembership(readMembership(accused.reader), receipt.pseudonym, standing, accused.pseudonyms(logged, receipt));
    must(!equal(other, leafHash(receipt.leaf)), 'TB-19', 'the leaf that is there is that of the receipt');
    return { ...about(receipt), logs: accused.logs(note) };
  },
  withholding: (accused) => {
    const receipt = accused.receipt();
    const note = accused.note(true);
    const time = accused.operators.witnessed(note);
    must(time !== null && time > receipt.deadline, 'TB-19', 'no quorum vouches for a time after the deadline');
    const isThere = BigInt(receipt.epoch - accused.genesis.firstEpoch) < note.size;
    must(!isThere, 'TB-19', 'the log has the epoch');
    return { ...about(receipt), logs: accused.logs(note) };
  },
  'two roots': (accused) => {
    const [one, other] = [accused.note(false), accused.note(false)] as const;
    must(one.size === other.size && !equal(one.root, other.root), 'TB-19', 'the logs are not of one size with different roots');
    return { logs: accused.logs(one, other) };
  },
  fork: (accused) => {
    const [older, newer] = [accused.note(false), accused.note(false)] as const;
    const count = accused.reader.limited(accused.reader.u8(), MAX_PROOF, 'hashes of a proof');
    const proof = Array.from({ length: count }, () => accused.reader.take(32));
    must(older.size > 0n && older.size < newer.size, 'TB-19', 'the first log is not older than the second');
    const roots = foldConsistency(older.size, newer.size, proof);
    must(roots !== undefined && equal(roots.newer, newer.root), 'TB-19', 'the proof does not lead to the newer root');
    must(!equal(roots.older, older.root), 'TB-19', 'the newer log continues the older one');
    return { logs: accused.logs(older, newer) };
  },
  'two successors': (accused) => {
    const [one, other] = [accused.rotation(), accused.rotation()] as const;
    const isOther = one.epoch !== other.epoch || !equal(one.to, other.to);
    must(equal(one.from, other.from) && isOther, 'TB-19', 'the rotations do not hand one key over twice');
    return { operator: hex(one.from), handed_over: handedOver(one, other) };
  },
  'retired key': (accused) => {
    const rotation = accused.rotation();
    const note = readCheckpoint(accused.reader.bytesOf(MAX_NOTE, 'a note'), accused.genesis);
    accused.operators.checkOperator(note, rotation.from);
    accused.signed += 1;
    const last = BigInt(rotation.epoch - accused.genesis.firstEpoch + 1);
    must(note.size > last, 'TB-19', 'the old key signed in its time');
    const log = object({ epochs: note.size, root: hex(note.root), operator: hex(rotation.from) });
    return { operator: hex(rotation.from), handed_over: handedOver(rotation), logs: [log] };
  },
};
