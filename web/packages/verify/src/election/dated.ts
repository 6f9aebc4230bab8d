import { concat, equal, hex, le16, Reader, text } from '../bytes.js';
import { digest } from '../digest.js';
import { decodePoint } from '../group.js';
import { object, type Json } from '../json.js';
import { must } from '../refusal.js';
import { codeOf, judge, readBallots, trackerOf, type Casting, type Handed } from './ballots.js';
import { COMMON, Election, ROUNDS, type Kinds, type Note } from './election.js';
import { ROLES, type Party } from './messages.js';
import { KeyGeneration, type RoundMessage } from './keygen.js';
import { MixingTurns, readPart, readPartHeader } from './turns.js';
import { cells, type Description, type Schedule } from './description.js';
import type { Entry } from './board.js';
import type { Pool } from '../pool.js';
import type { Progress } from '../verdict.js';

const MAX_CONFIRMED = 255;

const KINDS: Kinds = {
  ...COMMON,
  'election/ready': ['trustee', 'mixer'],
  'election/absent/2': ['operator'],
  'election/open/2': ['operator'],
  'ballots/revisions': ['station'],
  'election/close/2': ['operator'],
  'election/seen': ['trustee', 'mixer'],
  'election/back': ['mixer'],
  'mix/header': ['mixer'],
  'mix/part': ['mixer'],
};

/** The beginning of a log. */
interface Head {
  size: bigint;
  root: Uint8Array;
}

const readHead = (reader: Reader): Head => ({ size: reader.u64(), root: reader.take(32) });
const nameOf = ({ role, number }: Party): string => (role === 'operator' ? role : `${role} ${number}`);

/** An entry on a log, whose time and name are known. */
interface Dated extends Entry {
  leaf: NonNullable<Entry['leaf']>;
}

/** An election of version 2 as its board, which is on a log, tells it, entry by entry. */
export class DatedElection extends Election {
  protected override readonly kinds = KINDS;
  private readonly schedule: Schedule;
  /** Roots of the heads of all entries so far, by their sizes. */
  private readonly heads = new Map<bigint, Uint8Array>();
  private current: Dated;
  /** The entry with which the phase, the round or the turn began. */
  private began: Dated;
  /** Nonces of those who are ready, by their names. */
  private readonly ready = new Map<string, Uint8Array>();
  /** Names of parties that are waited for in readiness. */
  private readonly unready: Set<string>;
  /** Trustees who said something in this round. */
  private spoken = new Set<number>();
  /** Where the messages of this round stand. */
  private places: number[] = [];
  private opening: Dated | undefined;
  private confirmed: number[] = [];
  private readonly cells: number;
  /** Trackers of accepted ballots by voter and revision. */
  private readonly trackers = new Map<string, Uint8Array>();
  /** Of each voter who has a ballot, in their order: its tracker, its revision. */
  private readonly counted = new Map<number, { revision: number; tracker: Uint8Array }>();
  private lastBallots = -1;
  private closing: Dated | undefined;
  private readonly certified = new Map<string, Party>();
  private readonly turns: MixingTurns;

  constructor(first: Entry, name: Uint8Array, description: Description, parties: Map<string, Party>, pool: Pool, progress: Progress) {
    super(name, description, parties, pool, progress);
    this.schedule = description.schedule!;
    this.current = this.began = first as Dated;
    this.remember(this.current);
    this.unready = new Set(this.others.map(nameOf));
    this.cells = cells(description);
    this.turns = new MixingTurns(description.mixers);
  }

  /** Trustees and mixers, by role and number. */
  private get others(): Party[] {
    return [...this.parties.values()].filter(({ role }) => role === 'trustee' || role === 'mixer');
  }

  override get context(): Uint8Array {
    return this.opening!.digest;
  }

  /** How many parties signed the closing. */
  get certifiers(): number {
    return this.certified.size;
  }

  /** `course` of the statement. */
  get course(): Json {
    const { opens, closes, patience, quorum } = this.schedule;
    const signed = this.others.map(nameOf).filter((name) => this.certified.has(name));
    return object({
      opens,
      closes,
      patience,
      quorum: BigInt(quorum),
      opening: hex(this.opening!.digest),
      closing: hex(this.closing!.digest),
      confirmed_by: this.confirmed.map(BigInt),
      certified_by: signed,
    });
  }

  override async take(entry: Entry): Promise<void> {
    this.current = entry as Dated;
    // The polls open before they close, or never.
    if (this.isBeforeCasting && this.time >= this.schedule.closes) this.phase = 'failure';
    await super.take(entry);
    this.remember(this.current);
  }

  private remember({ place, leaf }: Dated): void {
    this.heads.set(BigInt(place) + 1n, leaf.root);
  }

  private get time(): bigint {
    return this.current.leaf.time;
  }

  private get isBeforeCasting(): boolean {
    return ['registration', 'readiness', 'key generation', 'opening'].includes(this.phase);
  }

  private get isOutOfPatience(): boolean {
    return this.time > this.began.leaf.time + this.schedule.patience;
  }

  /** `EL-21`. */
  private checkHead({ size, root }: Head): void {
    const due = this.heads.get(size);
    must(due !== undefined && equal(due, root), 'EL-21', 'it names the head of no entry before it');
  }

  protected override subjectOf(kind: string, payload: Uint8Array): Uint8Array {
    const reader = new Reader(payload);
    switch (kind) {
      case 'ballots/revisions':
        return digest('subrosa/election/batch/v1', payload);
      case 'election/absent/2': {
        const { party, head } = readAbsent(payload);
        return text(`${head.size}: ${nameOf(party)}`);
      }
      case 'election/open/2':
        return text(String(readOpening(payload).head.size));
      case 'election/close/2':
        return text(String(readClosing(payload).head.size));
      case 'mix/header':
        return text(String(reader.u32()));
      case 'mix/part':
        return text(`${reader.u32()}/${reader.u32()}`);
      default:
        return super.subjectOf(kind, payload);
    }
  }

  protected override awaits(kind: string, party: Party): boolean {
    const { number } = party;
    const isUnsigned = kind === 'election/seen' && !this.certified.has(nameOf(party));
    switch (this.phase) {
      case 'readiness':
        return kind === 'election/absent/2' || (kind === 'election/ready' && !this.ready.has(nameOf(party)));
      case 'key generation': {
        const isMessage = ROUNDS.includes(kind) && this.asked.has(number) && !this.spoken.has(number);
        return isMessage || kind === (this.round === 3 ? 'election/open/2' : 'election/absent/2');
      }
      case 'opening':
        return kind === 'election/open/2';
      case 'casting':
        return kind === 'ballots/revisions' || kind === 'election/close/2';
      case 'certification':
        return isUnsigned;
      case 'mixing': {
        const isMix = kind === this.turns.due && number === this.turns.mixer;
        const isBack = kind === 'election/back' && party.role === 'mixer' && this.turns.isAway(number);
        return isMix || isBack || isUnsigned || kind === 'election/absent/2';
      }
      default:
        return (this.phase === 'decryption' && isUnsigned) || super.awaits(kind, party);
    }
  }

  protected override async act(entry: Entry, party: Party, fault: Note): Promise<void> {
    const { kind, payload } = entry;
    switch (kind) {
      case 'election/ready':
        return this.makeReady(payload, party);
      case 'election/absent/2':
        return this.absent(payload, fault);
      case 'election/open/2':
        return this.openPolls(payload, fault);
      case 'ballots/revisions':
        return this.cast(payload);
      case 'election/close/2':
        return this.close(payload);
      case 'election/seen':
        return this.certify(payload, party);
      case 'election/back':
        must(payload.length === 0, 'CV-1', 'bytes where there are none');
        return this.turns.back(party.number);
      case 'mix/header':
        return this.turns.begin(readPartHeader(payload), this.longestMix);
      case 'mix/part':
        return this.takePart(payload, party.number);
      default:
        await super.act(entry, party, fault);
        if (kind.startsWith('election/roll')) this.begin('readiness');
    }
  }

  private begin(phase: Election['phase']): void {
    this.phase = phase;
    this.began = this.current;
  }

  protected override hasRoom(voters: number): boolean {
    const over = 4096 * Math.max(1, this.description.classes.length);
    return voters <= Math.floor((128 * 2 ** 24 - over) / this.mixWidth) && voters <= Math.floor(2 ** 28 / (32 * this.cells)) - over;
  }

  /** `EL-22`. */
  private makeReady(payload: Uint8Array, party: Party): void {
    const reader = new Reader(payload);
    const [nonce, head] = [reader.take(32), readHead(reader)];
    reader.end();
    this.checkHead(head);
    must(head.size > BigInt(this.began.place), 'EL-22', 'it did not see the roll');
    this.ready.set(nameOf(party), nonce);
    this.unready.delete(nameOf(party));
    this.endReadiness();
  }

  private endReadiness(): void {
    if (this.unready.size > 0) return;
    const ready = this.others.filter((party) => this.ready.has(nameOf(party)));
    const said = ready.map((party) => concat(Uint8Array.of(ROLES.indexOf(party.role)), le16(party.number), this.ready.get(nameOf(party))!));
    const context = digest('subrosa/election/session/v2', concat(this.name, ...said));
    const { threshold, trustees } = this.description;
    this.generation = new KeyGeneration({ threshold, trustees, context });
    this.begin('key generation');
    this.beginRound(1, ready.flatMap(({ role, number }) => (role === 'trustee' ? [number] : [])));
  }

  private beginRound(round: 1 | 2 | 3, asked: number[]): void {
    this.round = round;
    this.asked = new Set(asked);
    this.waiting = new Set(asked);
    this.spoken = new Set();
    this.messages = [];
    this.places = [];
    this.began = this.current;
  }

  /** `EL-6`. */
  protected override generate(message: RoundMessage, number: number, fault: Note): void {
    this.spoken.add(number);
    super.generate(message, number, fault);
  }

  protected override keep(message: RoundMessage): void {
    super.keep(message);
    this.places.push(this.current.place);
  }

  protected override endRound(fault: Note): void {
    while (this.phase === 'key generation' && this.waiting.size === 0) {
      if (this.round === 3) {
        this.phase = this.generation.end(3, this.messages).enough && this.generation.keys() !== undefined ? 'opening' : 'failure';
      } else if (this.judgeRound(fault)) {
        this.beginRound(this.round === 1 ? 2 : 3, this.generation.participants);
      } else this.phase = 'failure';
    }
  }

  /** `EL-7`. */
  protected override absent(payload: Uint8Array, fault: Note): void {
    const { party, head } = readAbsent(payload);
    this.checkHead(head);
    must(this.waitsFor(party), 'EL-7', 'the party is not waited for');
    must(head.size > BigInt(this.began.place), 'EL-7', 'it did not see the beginning of what it ends');
    must(this.isOutOfPatience, 'EL-7', 'the party has time yet');
    must(this.canSpare(party), 'EL-7', 'nothing goes on without the party');
    if (this.phase === 'readiness') {
      this.unready.delete(nameOf(party));
      this.endReadiness();
    } else if (this.phase === 'mixing') {
      this.turns.leave();
      this.endTurn();
    } else {
      this.waiting.delete(party.number);
      this.endRound(fault);
    }
    fault('EL-7', 'absent', party);
  }

  private waitsFor(party: Party): boolean {
    if (this.phase === 'readiness') return this.unready.has(nameOf(party));
    if (this.phase === 'mixing') return party.role === 'mixer' && party.number === this.turns.mixer;
    return party.role === 'trustee' && this.waiting.has(party.number);
  }

  /** Whether the phase can go on without a party. */
  private canSpare({ role }: Party): boolean {
    const { threshold, minMixers } = this.description;
    if (this.phase === 'mixing') return true;
    if (this.phase === 'key generation') return this.messages.length + this.waiting.size > threshold;
    const there = this.others.filter((other) => other.role === role && (this.ready.has(nameOf(other)) || this.unready.has(nameOf(other))));
    return there.length > (role === 'mixer' ? minMixers : threshold);
  }

  /** `EL-8`. */
  private openPolls(payload: Uint8Array, fault: Note): void {
    const { pk, confirmed, head } = readOpening(payload);
    this.checkHead(head);
    const isBefore = (i: number): boolean => BigInt(this.places[i]!) < head.size;
    const before: RoundMessage[] = this.messages.filter((_, i) => isBefore(i));
    const isWhole = this.waiting.size === 0 && before.length === this.messages.length;
    must(isWhole || this.isOutOfPatience, 'EL-8', 'verdicts are waited for');
    const { counted, enough } = this.generation.end(3, before);
    const keys = enough ? this.generation.keys() : undefined;
    must(keys !== undefined && decodePoint(pk).equals(keys.pk), 'EL-8', 'another key');
    must(confirmed.join() === counted.join(), 'EL-8', 'other trustees confirmed it');
    this.messages = before;
    this.judgeRound(fault);
    this.keys = keys;
    this.confirmed = confirmed;
    this.opening = this.current;
    this.begin('casting');
  }

  protected override get casting(): Casting {
    return { ...super.casting, hasTrackers: true };
  }

  /** `EL-9`, `EL-17`, `VO-1`. */
  protected override async cast(payload: Uint8Array): Promise<void> {
    const handed = readBallots(payload, true);
    must(this.time >= this.schedule.opens && this.time < this.schedule.closes, 'EL-9', 'the polls are not open');
    const { casting } = this;
    const right = await judge(handed, casting, this.pool, this.progress);
    handed.forEach((ballot, i) => this.accept(ballot, trackerOf(ballot, casting), right[i]!));
    this.lastBallots = this.current.place;
  }

  /** `VO-2`, `VO-3`. */
  private accept({ voter, revision, columns }: Handed, tracker: Uint8Array, isRight: boolean): void {
    const key = `${voter} ${revision}`;
    const same = this.trackers.get(key);
    if (isRight && same !== undefined && equal(same, tracker)) return;
    const first = columns.map(({ c1 }) => hex(c1));
    const isNew = new Set(first).size === first.length && !first.some((c1) => this.seen.has(c1));
    if (!isRight || same !== undefined || !isNew) {
      this.refused += 1;
      return;
    }
    this.trackers.set(key, tracker);
    for (const c1 of first) this.seen.add(c1);
    const before = this.counted.get(voter);
    if (before !== undefined && before.revision > revision) return;
    const place = before === undefined ? this.accepted.length : [...this.counted.keys()].indexOf(voter);
    this.accepted[place] = { voter: this.roll[voter]!, code: codeOf(tracker), columns };
    this.counted.set(voter, { revision, tracker });
  }

  /** `EL-10`, `EL-18`. */
  protected override close(payload: Uint8Array): void {
    const { accepted, refused, list, head } = readClosing(payload);
    this.checkHead(head);
    must(this.time >= this.schedule.closes, 'EL-10', 'the polls are open yet');
    must(head.size > BigInt(this.lastBallots), 'EL-10', 'there are ballots behind what it closes');
    must(accepted === this.accepted.length && refused === this.refused, 'EL-10', 'other numbers of ballots');
    const own = digest('subrosa/election/ballots/v2', concat(...[...this.counted.values()].map(({ tracker }) => tracker)));
    must(equal(list, own), 'EL-10', 'the digest of other ballots');
    this.seal();
    this.closing = this.current;
    this.begin('certification');
  }

  /** `EL-23`. */
  private certify(payload: Uint8Array, party: Party): void {
    const reader = new Reader(payload);
    const [name, head] = [reader.take(32), readHead(reader)];
    reader.end();
    this.checkHead(head);
    const { place, digest: closing } = this.closing!;
    must(equal(name, closing) && head.size === BigInt(place) + 1n, 'EL-23', 'it is about another closing');
    this.certified.set(nameOf(party), party);
    if (this.phase === 'certification' && this.certified.size >= this.schedule.quorum) this.begin('mixing');
  }

  /** The greatest length of a mix in parts, `EL-25`. */
  private get longestMix(): number {
    const lists = this.streams.reduce((sum, { columns }) => sum + (this.mixWidth * columns[0]![0].length) / 32 + 4096, 4096);
    return Math.min(lists, 2 ** 31);
  }

  /** `EL-25`, `EL-11`. */
  private async takePart(payload: Uint8Array, mixer: number): Promise<void> {
    if (!this.turns.add(readPart(payload))) return;
    try {
      await this.takeMixes(this.readMixes(this.turns.whole()), mixer);
    } finally {
      this.turns.end();
      this.endTurn();
    }
  }

  /** `EL-24`. */
  private endTurn(): void {
    this.began = this.current;
    if (!this.turns.goesOn(this.mixedBy.length, this.description.minMixers)) this.endMixing();
  }
}

function readAbsent(payload: Uint8Array): { party: Party; head: Head } {
  const reader = new Reader(payload);
  const role = ROLES[reader.u8()];
  must(role !== undefined, 'CV-4', 'an unknown role');
  const party = { role, number: reader.u16() };
  const head = readHead(reader);
  reader.end();
  return { party, head };
}

function readOpening(payload: Uint8Array): { pk: Uint8Array; confirmed: number[]; head: Head } {
  const reader = new Reader(payload);
  const pk = reader.take(32);
  must(!decodePoint(pk).is0(), 'CV-6', 'the key is neutral');
  const confirmed = Array.from({ length: reader.count(MAX_CONFIRMED, 'trustees') }, () => reader.u16());
  const head = readHead(reader);
  reader.end();
  return { pk, confirmed, head };
}

function readClosing(payload: Uint8Array): { accepted: number; refused: number; list: Uint8Array; head: Head } {
  const reader = new Reader(payload);
  const [accepted, refused, list, head] = [reader.u32(), reader.u32(), reader.take(32), readHead(reader)];
  reader.end();
  return { accepted, refused, list, head };
}
