import { concat, equal, hex, join, le64, Reader, text } from '../bytes.js';
import { digest } from '../digest.js';
import { Equations } from '../equations.js';
import { decodePoint } from '../group.js';
import { compact } from '../json.js';
import { asPartOf, must, Refusal } from '../refusal.js';
import { addShuffle, placeColumns, readBody, type Columns, type MixBody, type Permutation } from '../shuffle.js';
import { readAnswers } from './answers.js';
import { judge, readBallots, trackingCode, type Casting, type Voter } from './ballots.js';
import { checkPartial, combine, readPartial, type Partial } from './decryption.js';
import { cells, type Description } from './description.js';
import { KeyGeneration, type KeySet, type RoundMessage } from './keygen.js';
import { readAbsent, readOutcome, readRoll, type Party, type Role } from './messages.js';
import { tallyOf, type Opened } from '../count/tally.js';
import type { Entry } from './board.js';
import type { Json } from '../json.js';
import type { Plain } from '../kernel.js';
import type { Pool } from '../pool.js';
import type { Progress } from '../verdict.js';

export type Phase = 'registration' | 'readiness' | 'key generation' | 'opening' | 'casting' | 'certification' | 'mixing' | 'decryption' | 'end' | 'failure';

/** An entry that breaks a rule, or an absence. */
export interface Fault {
  entry: number;
  phase: Phase;
  party: Party | undefined;
  check: string;
  what: string;
}

/** A list that is mixed and decrypted by itself: all ballots, or those of a class. */
export interface Stream {
  class: number;
  mix: string;
  columns: Columns;
  /** The permutations of the mixes that hold, in order. */
  permutations: Permutation[];
}

/** A row of the last lists: what its cells hold, and the answers that they make up. */
export interface OpenedRow extends Opened {
  cells: Plain[];
}

/** Notes a fault of the entry that is taken; of its author, unless another party is named. */
export type Note = (check: string, what: string, of?: Party) => void;

/** An accepted ballot. */
export interface Accepted {
  voter: Voter;
  code: string;
  columns: { c1: Uint8Array; c2: Uint8Array }[];
}

/** Who says what. */
export type Kinds = Record<string, Role[]>;

/** Kinds of both versions. */
export const COMMON: Kinds = {
  'election/roll': ['operator'],
  'election/roll/classes': ['operator'],
  'key/commitments': ['trustee'],
  'key/shares': ['trustee'],
  'key/verdicts': ['trustee'],
  decryption: ['trustee'],
  'election/outcome': ['operator'],
};
const KINDS: Kinds = {
  ...COMMON,
  'election/absent': ['operator'],
  'election/open': ['operator'],
  ballots: ['station'],
  'election/close': ['operator'],
  mix: ['mixer'],
  'mix/classes': ['mixer'],
};
/** What the rounds of the key generation wait for. */
export const ROUNDS = ['key/commitments', 'key/shares', 'key/verdicts'];

/** An election of version 1 as its board tells it, entry by entry. */
export class Election {
  phase: Phase = 'registration';
  readonly faults: Fault[] = [];
  readonly roll: Voter[] = [];
  readonly accepted: Accepted[] = [];
  refused = 0;
  readonly mixedBy: number[] = [];
  readonly decryptedBy: number[] = [];
  tally: Json = null;
  /** All rows of the last lists, list by list. */
  rows: OpenedRow[] = [];
  /** What is mixed and opened; classes with too few ballots have no list. */
  streams: Stream[] = [];

  protected readonly kinds: Kinds = KINDS;
  protected generation: KeyGeneration;
  protected round: 1 | 2 | 3 = 1;
  protected waiting: Set<number>;
  /** Trustees who were asked for a message in this round. */
  protected asked: Set<number>;
  protected messages: RoundMessage[] = [];
  keys: KeySet | undefined;
  protected turn = 1;
  private readonly voted = new Set<number>();
  protected readonly seen = new Set<string>();
  protected readonly partials: Partial[] = [];
  private computed: Promise<Json> | undefined;

  constructor(
    readonly name: Uint8Array,
    readonly description: Description,
    readonly parties: Map<string, Party>,
    protected readonly pool: Pool,
    protected readonly progress: Progress,
  ) {
    const { threshold, trustees } = description;
    this.generation = new KeyGeneration({ threshold, trustees, context: name });
    this.asked = new Set(Array.from({ length: trustees }, (_, i) => i + 1));
    this.waiting = new Set(this.asked);
  }

  protected get hasClasses(): boolean {
    return this.description.classes.length > 0;
  }

  /** `C`: what binds ballots, mixes and decryptions to this election. */
  get context(): Uint8Array {
    return this.name;
  }

  /** Takes the next entry; one that breaks a rule has no effect, and is a fault. */
  async take(entry: Entry): Promise<void> {
    const party = this.parties.get(hex(entry.author));
    const { phase } = this;
    const fault: Note = (check, what, of = party) => void this.faults.push({ entry: entry.place, phase, party: of, check, what });
    try {
      must(party !== undefined && this.kinds[entry.kind]?.includes(party.role) === true && this.awaits(entry.kind, party), 'EL-4', `\`${entry.kind}\` is not waited for`);
      this.checkSlot(entry);
      await this.act(entry, party, fault);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      fault(error.check, error.what);
    }
  }

  /** `BD-4`, `BD-5`: an author says one thing in a slot, and the slot is that of the message. */
  private checkSlot({ kind, payload, slot }: Entry): void {
    if (slot === undefined) return;
    must(slot.first === undefined, 'BD-4', `the author said something else before, in entry ${slot.first}`);
    must(equal(slot.subject, this.subjectOf(kind, payload)), 'BD-5', 'it is out of place: its subject is another');
  }

  /** What of its kind a message is, said now. */
  protected subjectOf(kind: string, payload: Uint8Array): Uint8Array {
    const reader = new Reader(payload);
    switch (kind) {
      case 'ballots':
        return digest('subrosa/election/batch/v1', payload);
      case 'election/absent': {
        const { role, number } = readAbsent(payload);
        const round = this.phase === 'key generation' ? this.round : 0;
        return text(`${this.phase}, round ${round}: ${role}${role === 'operator' ? '' : ` ${number}`}`);
      }
      case 'election/close':
        return text(String(reader.u32() + reader.u32()));
      case 'election/outcome':
        return text(String(readOutcome(payload).faults.length));
      default:
        return new Uint8Array(0);
    }
  }

  protected awaits(kind: string, { number }: Party): boolean {
    switch (this.phase) {
      case 'registration':
        return kind === (this.hasClasses ? 'election/roll/classes' : 'election/roll');
      case 'key generation':
        return kind === 'election/absent' || (ROUNDS.includes(kind) && this.waiting.has(number));
      case 'opening':
        return kind === 'election/open';
      case 'casting':
        return kind === 'ballots' || kind === 'election/close';
      case 'mixing':
        return kind === 'election/absent' || (kind === (this.hasClasses ? 'mix/classes' : 'mix') && number === this.turn);
      case 'decryption':
        return kind === 'election/outcome' || (kind === 'decryption' && this.waiting.has(number));
      default:
        return false;
    }
  }

  protected async act({ kind, payload }: Entry, party: Party, fault: Note): Promise<void> {
    switch (kind) {
      case 'election/roll':
      case 'election/roll/classes':
        return this.register(payload);
      case 'election/absent':
        return this.absent(payload, fault);
      case 'election/open':
        return this.open(payload);
      case 'ballots':
        return this.cast(payload);
      case 'election/close':
        return this.close(payload);
      case 'mix':
      case 'mix/classes':
        return this.mix(payload, party.number);
      case 'decryption':
        return asPartOf('EL-12', /^TH-/, () => this.decrypt(payload, party.number));
      case 'election/outcome':
        return this.conclude(payload);
      default:
        return this.generate(this.readMessage(kind, payload), party.number, fault);
    }
  }

  /** `EL-5`, `EL-16`. */
  protected register(payload: Uint8Array): void {
    const voters = readRoll(payload, this.hasClasses);
    must(new Set(voters.map(({ name }) => name)).size === voters.length, 'EL-5', 'a name is there twice');
    must(new Set(voters.map(({ key }) => hex(key))).size === voters.length, 'EL-5', 'a key is there twice');
    must(this.hasRoom(voters.length), 'EL-5', 'a mix of so many voters has no room');
    this.description.classes.forEach(({ minBallots }, i) =>
      must(voters.filter((voter) => voter.class === i).length >= minBallots, 'EL-16', `class ${i + 1} has too few voters`),
    );
    must(voters.every((voter) => voter.class < Math.max(1, this.description.classes.length)), 'EL-16', 'a voter of no class');
    for (const voter of voters) this.roll.push(voter);
    this.phase = 'key generation';
  }

  /** Whether the mixes of so many ballots fit, `EL-5`. */
  protected hasRoom(voters: number): boolean {
    return voters < Math.floor(2 ** 28 / this.mixWidth);
  }

  /** Bytes of a mix for each of its rows. */
  protected get mixWidth(): number {
    return 64 * cells(this.description) + 192;
  }

  /** `EL-6`: a message of the key generation, which is of the current round. */
  private readMessage(kind: string, payload: Uint8Array): RoundMessage {
    const round = (ROUNDS.indexOf(kind) + 1) as 1 | 2 | 3;
    const message = this.generation.decode(round, payload);
    must(round === this.round, 'EL-6', 'a message of another round');
    return message;
  }

  /** `EL-6`. */
  protected generate(message: RoundMessage, number: number, fault: Note): void {
    const isOwn = message.author === number;
    if (isOwn) this.keep(message);
    this.waiting.delete(number);
    this.endRound(fault);
    if (!isOwn) fault('EL-6', 'the message names another author');
  }

  protected keep(message: RoundMessage): void {
    this.messages.push(message);
  }

  protected endRound(fault: Note): void {
    while (this.phase === 'key generation' && this.waiting.size === 0) {
      const enough = this.judgeRound(fault);
      this.messages = [];
      if (!enough) this.phase = 'failure';
      else if (this.round === 3) {
        this.keys = this.generation.keys();
        this.phase = this.keys === undefined ? 'failure' : 'opening';
      } else {
        this.round = this.round === 1 ? 2 : 3;
        this.asked = new Set(this.generation.participants);
        this.waiting = new Set(this.asked);
      }
    }
  }

  /** Ends a round with its messages, and notes what is wrong; gives whether enough are left. */
  protected judgeRound(fault: Note): boolean {
    const { wrong, enough } = this.generation.end(this.round, this.messages);
    // Round 1 misses also who was not ready for it.
    const due = this.round === 1 ? Array.from({ length: this.description.trustees }, (_, i) => i + 1) : [...this.asked];
    const missing = due.filter((author) => !this.messages.some((message) => message.author === author));
    const silent = missing.map((author) => ({ author, why: 'no message in this round' }));
    for (const { author, why } of [...silent, ...wrong]) {
      fault('EL-6', why, { role: 'trustee', number: author });
    }
    return enough;
  }

  /** `EL-7`. */
  protected absent(payload: Uint8Array, fault: Note): void {
    const { role, number } = readAbsent(payload);
    const isWaited = this.phase === 'mixing' ? role === 'mixer' && number === this.turn : role === 'trustee' && this.waiting.has(number);
    must(isWaited, 'EL-7', 'the party is not waited for');
    if (this.phase === 'mixing') this.nextTurn();
    else {
      this.waiting.delete(number);
      this.endRound(fault);
    }
    fault('EL-7', 'absent', { role, number });
  }

  /** `EL-8`. */
  protected open(payload: Uint8Array): void {
    const reader = new Reader(payload);
    const pk = decodePoint(reader.take(32));
    reader.end();
    must(pk.equals(this.keys!.pk), 'EL-8', 'another key');
    this.phase = 'casting';
  }

  protected get casting(): Casting {
    const { context, roll, hasClasses } = this;
    return { context, hasTrackers: false, roll, pk: this.keys!.pk.toBytes(), columns: cells(this.description), hasClasses };
  }

  /** `EL-9`, `EL-17`. */
  protected async cast(payload: Uint8Array): Promise<void> {
    const handed = readBallots(payload);
    const right = await judge(handed, this.casting, this.pool, this.progress);
    handed.forEach(({ voter, bytes, columns }, i) => {
      const first = columns.map(({ c1 }) => hex(c1));
      const isNew = new Set(first).size === first.length && !first.some((c1) => this.seen.has(c1));
      if (!right[i] || !isNew || this.voted.has(voter)) {
        this.refused += 1;
        return;
      }
      this.voted.add(voter);
      for (const c1 of first) this.seen.add(c1);
      this.accepted.push({ voter: this.roll[voter]!, code: trackingCode(bytes), columns });
    });
  }

  /** `EL-10`, `EL-18`. */
  protected close(payload: Uint8Array): void {
    const reader = new Reader(payload);
    const [accepted, refused, codes] = [reader.u32(), reader.u32(), reader.take(32)];
    reader.end();
    must(accepted === this.accepted.length && refused === this.refused, 'EL-10', 'other numbers of ballots');
    const own = digest('subrosa/election/ballots/v1', text(this.accepted.map(({ code }) => code).join('')));
    must(equal(codes, own), 'EL-10', 'the digest of other ballots');
    this.seal();
    this.phase = 'mixing';
  }

  /** The lists that are mixed, `EL-18`. */
  protected seal(): void {
    const list = (of: Accepted[]): Columns =>
      Array.from({ length: cells(this.description) }, (_, l) => [
        join(of.map(({ columns }) => columns[l]!.c1)),
        join(of.map(({ columns }) => columns[l]!.c2)),
      ]);
    this.streams = this.hasClasses
      ? this.description.classes.flatMap(({ minBallots }, i) => {
          const own = this.accepted.filter(({ voter }) => voter.class === i);
          return own.length >= minBallots ? [{ class: i, mix: `ballots/class/${i + 1}`, columns: list(own), permutations: [] }] : [];
        })
      : [{ class: 0, mix: 'ballots', columns: list(this.accepted), permutations: [] }];
  }

  /** `EL-11`, `EL-18`: one that can be decoded ends the mixer's turn, whether it holds or not. */
  protected async mix(payload: Uint8Array, mixer: number): Promise<void> {
    const mixes = this.readMixes(payload);
    try {
      await this.takeMixes(mixes, mixer);
    } catch (error) {
      if (error instanceof Refusal && error.check !== 'CV-6') this.nextTurn();
      throw error;
    }
    this.nextTurn();
  }

  /** The payload of `mix`, or of `mix/classes` with classes. */
  protected readMixes(payload: Uint8Array): MixBody[] {
    const reader = new Reader(payload);
    const mixes = this.hasClasses ? Array.from({ length: reader.count(this.description.classes.length, 'mixes') }, () => readBody(reader, 'one of several')) : [readBody(reader)];
    reader.end();
    return mixes;
  }

  /** Checks mixes; if all hold, their columns are what is mixed next. */
  protected async takeMixes(mixes: MixBody[], mixer: number): Promise<void> {
    const moved = await asPartOf('EL-11', /^TW-/, () => this.checkMixes(mixes, mixer));
    this.streams = this.streams.map((stream, i) => ({ ...stream, columns: mixes[i]!.columns, permutations: [...stream.permutations, ...moved[i]!] }));
    this.mixedBy.push(mixer);
  }

  /** Gives the permutation of each mix; of one without rows there is none. */
  private async checkMixes(mixes: MixBody[], mixer: number): Promise<Permutation[][]> {
    const equations = new Equations();
    const isFit =
      mixes.length === this.streams.length &&
      mixes.every(({ rows, columns }, i) => columns.length === this.streams[i]!.columns.length && 32 * rows === this.streams[i]!.columns[0]![0].length);
    const moved = mixes.map((mix, i) => {
      const after = placeColumns(equations, mix.columns, `mixer ${mixer}`, 'claim');
      const { mix: name, columns } = this.streams[i] ?? { mix: '', columns: [] };
      const taken = isFit ? columns : mix.columns;
      const before = isFit ? placeColumns(equations, columns, 'ballots', 'claim') : after;
      const turn = { key: this.keys!.pk.toBytes(), study: this.context, mix: name, mixer, position: this.mixedBy.length + 1 };
      const permutation = addShuffle(equations, turn, mix, taken, before, after);
      return permutation === undefined ? [] : [permutation];
    });
    try {
      await equations.verify(this.pool, this.progress);
    } catch (error) {
      if (isFit || !(error instanceof Refusal) || error.check === 'CV-6') throw error;
    }
    must(isFit, 'TW-6', 'other rows or columns than the ballots have');
    return moved;
  }

  private nextTurn(): void {
    this.turn += 1;
    if (this.turn > this.description.mixers) this.endMixing();
  }

  protected endMixing(): void {
    this.phase = this.mixedBy.length < this.description.minMixers ? 'failure' : 'decryption';
    this.waiting = new Set(this.generation.participants);
  }

  /** All components of the last lists, column after column. */
  private component(which: 0 | 1): Uint8Array {
    return concat(...this.streams.flatMap(({ columns }) => columns.map((column) => column[which])));
  }

  /** `EL-12`, `EL-19`: one that can be decoded is the trustee's only one, whether it holds or not. */
  protected async decrypt(payload: Uint8Array, number: number): Promise<void> {
    const partial = readPartial(payload);
    const sizes = this.hasClasses ? this.streams.flatMap((stream) => [Uint8Array.of(stream.class), le64(stream.columns[0]![0].length / 32)]) : [];
    const context = concat(this.context, ...sizes);
    try {
      must(partial.trustee === number, 'EL-12', 'it names another trustee');
      await checkPartial(partial, this.component(0), this.keys!, context, this.pool);
      this.partials.push(partial);
      this.decryptedBy.push(number);
      this.waiting.delete(number);
    } catch (error) {
      if (error instanceof Refusal && error.check !== 'CV-6') this.waiting.delete(number);
      throw error;
    } finally {
      if (this.partials.length + this.waiting.size < this.description.threshold) this.phase = 'failure';
    }
  }

  /** `EL-13`. */
  protected async conclude(payload: Uint8Array): Promise<void> {
    const { tally, faults } = readOutcome(payload);
    const due = [...new Set(this.faults.map(({ entry }) => entry))].sort((a, b) => a - b);
    must(faults.length === due.length && due.every((entry, i) => faults[i] === BigInt(entry)), 'EL-13', 'it lists other faults');
    must(this.partials.length >= this.description.threshold, 'EL-13', 'too few decryptions hold');
    this.computed ??= this.count();
    const computed = await this.computed;
    must(equal(tally, text(compact(computed))), 'EL-13', 'the ballots give another tally');
    this.tally = computed;
    this.phase = 'end';
  }

  /** The tally of the opened ballots, `EL-20`. */
  private async count(): Promise<Json> {
    const { description, streams } = this;
    const plain = await combine(this.partials.slice(0, description.threshold), this.component(1), this.pool, this.progress);
    let at = 0;
    this.rows = [];
    for (const { class: place, columns } of streams) {
      const rows = columns[0]![0].length / 32;
      for (let i = 0; i < rows; i++) {
        const cells = columns.map((_, l) => plain[at + l * rows + i]!);
        this.rows.push({ class: place, cells, answers: readAnswers(ballotOf(cells), description) });
      }
      at += rows * columns.length;
    }
    const accepted = description.classes.map((_, i) => this.accepted.filter(({ voter }) => voter.class === i).length);
    return tallyOf(description, this.rows, accepted, streams.map((stream) => stream.class));
  }
}

/** The bytes of an opened ballot; one of which some point carries no message is none. */
function ballotOf(cells: Plain[]): Uint8Array | undefined {
  const parts = cells.flatMap((cell) => ('message' in cell ? [cell.message] : []));
  return parts.length === cells.length ? concat(...parts) : undefined;
}
