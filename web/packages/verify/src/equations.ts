import { decodePoint, encodeScalar, G, hashToGroup, mod, ZERO } from './group.js';
import { size, slice, type Basis, type Part } from './kernel.js';
import { concat, integer, text } from './bytes.js';
import { Refusal, type Fault } from './refusal.js';
import type { Pool } from './pool.js';

/** A point of a system of equations, by its place. */
export type Place = number;

/** A multiple of a point. */
export type Term = [Place, bigint];

interface Segment {
  first: Place;
  basis: Basis;
  /** The refusal if point `i` is not canonical. */
  refuse: (i: number) => Refusal;
}

interface Equation {
  check: string;
  what: string;
  terms: Term[];
}

/** Points of one worker's job at most: enough for buckets to pay, few enough to be spread. */
const CHUNK = 4096;

/**
 * Equations `sum s·P = 0` among points, checked all at once with random weights of 128 bits. Where the sum is
 * not zero the first equation that does not hold is found, and refused by its check.
 */
export class Equations {
  private readonly segments: Segment[] = [];
  private readonly equations: Equation[] = [];
  private readonly known = new Map<string, Place>();
  private total = 0;

  /** The place of the first of several points. */
  private place(basis: Basis, refuse: (i: number) => Refusal): Place {
    const first = this.total;
    if (size(basis) === 0) return first;
    this.segments.push({ first, basis, refuse });
    this.total += size(basis);
    return first;
  }

  private once(name: string, make: () => Basis): Place {
    const found = this.known.get(name);
    if (found !== undefined) return found;
    const made = this.place(make(), () => new Refusal('CV-6', `${name} is no point`));
    this.known.set(name, made);
    return made;
  }

  /** The group's generator. */
  generator(): Place {
    return this.once('G', () => ({ kind: 'encoded', bytes: G.toBytes() }));
  }

  /** `hash_to_group(label)`. */
  hashed(label: string): Place {
    return this.once(label, () => ({ kind: 'encoded', bytes: hashToGroup(text(label)).toBytes() }));
  }

  /** The encoding of a point that `hashed` gave. */
  encodingOf(label: string): Uint8Array {
    const place = this.hashed(label);
    const { basis } = this.segments.find(({ first }) => first === place)!;
    if (basis.kind !== 'encoded') throw new Error(`${label} is not encoded`);
    return basis.bytes;
  }

  /** `hash_to_group(prefix ‖ LE64(from + i))` for `count` values of `i`. */
  generators(prefix: string, from: number, count: number): Place {
    return this.once(`${prefix} ${from} ${count}`, () => ({ kind: 'hashed', prefix, from, count }));
  }

  /** Points of the one-way map, from 64 bytes each. */
  uniform(name: string, bytes: () => Uint8Array): Place {
    return this.once(name, () => ({ kind: 'uniform', bytes: bytes() }));
  }

  /** Encoded points; they are decoded when the equations are checked. */
  encoded(bytes: Uint8Array, what: string, fault: Fault = 'claim'): Place {
    return this.place(
      { kind: 'encoded', bytes },
      (i) => new Refusal('CV-6', `${what}: point ${i} is not canonical`, fault),
    );
  }

  /** The sum of `terms` must be zero. */
  zero(check: string, what: string, terms: Term[]): void {
    this.equations.push({ check, what, terms });
  }

  /** How many points there are. */
  get points(): number {
    return this.total;
  }

  /** Checks all equations, and that every point is canonical. */
  async verify(pool: Pool, progress: (done: number, all: number) => void = () => {}): Promise<void> {
    if (await this.holds(this.equations, pool, progress)) return;
    const checks = new Map<string, Equation[]>();
    for (const equation of this.equations) {
      const name = `${equation.check}: ${equation.what}`;
      const same = checks.get(name);
      if (same === undefined) checks.set(name, [equation]);
      else same.push(equation);
    }
    for (const [, equations] of checks) {
      const { check, what } = equations[0]!;
      if (!(await this.holds(equations, pool, () => {}))) throw new Refusal(check, `${what} does not hold`);
    }
    throw new Error('a sum of equations fails, and none of them does');
  }

  private async holds(
    equations: Equation[],
    pool: Pool,
    progress: (done: number, all: number) => void,
  ): Promise<boolean> {
    const coefficients: bigint[] = new Array(this.total).fill(0n);
    for (const { terms } of equations) {
      const weight = randomWeight();
      for (const [place, scalar] of terms) coefficients[place]! += weight * scalar;
    }
    const jobs: { sum: Part[] }[] = [];
    const refusals: ((point: number) => Refusal)[][] = [];
    const chunk = Math.min(CHUNK, Math.max(64, Math.ceil(this.total / pool.width)));
    let room = 0;
    for (const { first, basis, refuse } of this.segments) {
      for (let from = 0, to = 0; from < size(basis); from = to) {
        if (room === 0) {
          jobs.push({ sum: [] });
          refusals.push([]);
          room = chunk;
        }
        to = Math.min(from + room, size(basis));
        room -= to - from;
        const scalars = concat(...coefficients.slice(first + from, first + to).map((x) => encodeScalar(mod(x))));
        jobs.at(-1)!.sum.push({ basis: slice(basis, from, to), scalars });
        const start = from;
        refusals.at(-1)!.push((point) => refuse(start + point));
      }
    }
    let done = 0;
    const outcomes = await pool.run(jobs, () => progress(++done, jobs.length));
    let sum = ZERO;
    outcomes.forEach((outcome, i) => {
      if ('bad' in outcome) throw refusals[i]![outcome.bad.part]!(outcome.bad.point);
      if ('sum' in outcome) sum = sum.add(decodePoint(outcome.sum));
    });
    return sum.equals(ZERO);
  }
}

/** 128 random bits. */
function randomWeight(): bigint {
  return integer(crypto.getRandomValues(new Uint8Array(16)));
}
