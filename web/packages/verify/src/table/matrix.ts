import { join, Reader } from '../bytes.js';
import type { Equations, Place, Term } from '../equations.js';
import { invert, mod, readScalar } from '../group.js';
import { must } from '../refusal.js';
import { Transcript } from '../transcript.js';
import type { Run } from './epoch.js';
import { hashAll, type Input } from './hash.js';
import { BLINDING_BASE, VALUE_BASE } from './range.js';

/** Bits of a shard. */
const SHARD = 2 ** 25;
const COLUMN_BASE = 'subrosa/table/v1/P';

/** Statements `from` to `to` of an epoch, of which one proof shows that they hold values below `2^b`. */
interface Shard {
  index: number;
  from: number;
  to: number;
  width: number;
  statements: Uint8Array;
  list: Uint8Array;
}

/** `TC-4` by the bit matrix: all runs in one list. */
export function addMatrix(equations: Equations, reader: Reader, E: Uint8Array, runs: Run[]): void {
  const width = runs.reduce((most, run) => Math.max(most, run.width), 0);
  const all = runs.flatMap(({ statements }) => statements.map(({ bytes }) => bytes));
  const length = SHARD / width;
  for (let from = 0; from < all.length; from += length) {
    const to = Math.min(from + length, all.length);
    const shard = { index: from / length, from, to, width, statements: join(all.slice(from, to)), list: listHash(runs, from, to) };
    addShard(equations, reader, E, shard);
  }
}

/** The hash of the list of statements: what they are about, by records. */
function listHash(runs: Run[], from: number, to: number): Uint8Array {
  const inputs: Input[] = [from, to];
  let start = 0;
  for (const { record, column, statements } of runs) {
    const end = start + statements.length;
    if (start < to && end > from) inputs.push(record, column, start, end);
    start = end;
  }
  return hashAll('statement list', inputs);
}

/** `eq(x, i)` for all `i` of as many bits as there are variables. */
function equalities(x: bigint[]): bigint[] {
  let table = [1n];
  for (const value of x) {
    table = [...table.map((e) => mod(e * (1n - value))), ...table.map((e) => mod(e * value))];
  }
  return table;
}

const eq = (x: bigint[], z: bigint[]): bigint =>
  x.reduce((product, value, t) => mod(product * (value * z[t]! + (1n - value) * (1n - z[t]!))), 1n);

const nonzero = (x: bigint): bigint => {
  must(x !== 0n, 'TC-7', 'a challenge is zero');
  return x;
};

/** `TC-7` of one shard. */
function addShard(equations: Equations, reader: Reader, E: Uint8Array, shard: Shard): void {
  const b = shard.width;
  const n = shard.to - shard.from;
  const lgB = Math.log2(b);
  const A = Math.ceil(Math.log2(n));
  const m = A + lgB;
  const sigma = Math.max(lgB, Math.ceil(m / 2));
  const rows = Math.ceil((n * b) / 2 ** sigma);

  const transcript = new Transcript('subrosa/table/v1/bitmatrix');
  transcript.absorb('ctx', E);
  transcript.number('shard', shard.index);
  transcript.number('n', n);
  transcript.number('b', b);
  transcript.absorb('list', shard.list);
  const message = (label: string, points: number): Place => {
    const bytes = reader.take(32 * points);
    transcript.absorb(label, bytes);
    return equations.encoded(bytes, `a bit matrix, ${label}`);
  };
  const scalars = (label: string, count: number): bigint[] => {
    const bytes = reader.take(32 * count);
    transcript.absorb(label, bytes);
    const own = new Reader(bytes);
    return Array.from({ length: count }, () => readScalar(own));
  };

  const T = message('T', rows);
  const tau = transcript.challenges('tau', m);
  const rho = transcript.challenges('rho', A);
  const g = transcript.challenge('g');
  const z: bigint[] = new Array(m).fill(0n);
  const rounds: { r: bigint; c: [Place, Place, Place] }[] = [];
  for (let t = m - 1; t >= 0; t--) {
    const c: [Place, Place, Place] = [message('c0', 1), message('c2', 1), message('c3', 1)];
    const r = transcript.challenge('r');
    rounds.push({ r, c });
    z[t] = r;
  }
  const [X, R1, R2] = [message('X', 1), message('R1', 1), message('R2', 1)] as const;
  const c = transcript.challenge('c');
  const [s, s1, s2] = scalars('s', 3) as [bigint, bigint, bigint];
  const h = nonzero(transcript.challenge('h'));
  const folds = Array.from({ length: sigma }, () => {
    const [L, R] = [message('L', 1), message('R', 1)] as const;
    return { L, R, u: nonzero(transcript.challenge('u')) };
  });
  const K = message('K', 1);
  const d = transcript.challenge('d');
  const [f, f1] = scalars('f', 2) as [bigint, bigint];

  const base = equations.hashed(VALUE_BASE);
  const blinding = equations.hashed(BLINDING_BASE);
  equations.zero('TC-7', "the bit matrix' evaluation", [[base, s], [blinding, s1], [R1, -1n], [X, -c]]);

  // Q is what the sumcheck leaves of the claim about all statements.
  const statements = equations.encoded(shard.statements, 'a statement');
  const weights = equalities(rho).slice(0, n);
  const Q: Term[] = weights.map((weight, i) => [statements + i, mod(g * weight)]);
  for (const { r, c: [c0, c2, c3] } of rounds) {
    for (const term of Q) term[1] = mod(term[1] * r);
    Q.push([c0, mod(1n - 2n * r)], [c2, mod(r * r - r)], [c3, mod(r * r * r - r)]);
  }
  const bits = z.slice(0, lgB).reduce((product, own, t) => mod(product * (1n - own + own * 2n ** (2n ** BigInt(t)))), 1n);
  const W = mod(eq(rho, z.slice(lgB)) * bits);
  const e = eq(tau, z);
  equations.zero('TC-7', "the bit matrix' claim", [
    [X, mod(s * e - c * (e - g * W))],
    [blinding, s2],
    [R2, -1n],
    ...Q.map(([place, scalar]): Term => [place, mod(-c * scalar)]),
  ]);

  const inverses = folds.map(({ u }) => invert(u));
  const columns = equations.generators(COLUMN_BASE, 0, 2 ** sigma);
  // Column c takes u_t if its bit σ − t is set, and the inverse if not.
  let powers = [1n];
  for (let bit = 0; bit < sigma; bit++) {
    const t = sigma - bit - 1;
    powers = [...powers.map((x) => mod(x * inverses[t]!)), ...powers.map((x) => mod(x * folds[t]!.u))];
  }
  const w = folds.reduce((product, { u }, t) => {
    const own = z[sigma - t - 1]!;
    return mod(product * ((1n - own) * inverses[t]! + own * u));
  }, 1n);
  const rowWeights = equalities(z.slice(sigma));
  equations.zero('TC-7', "the bit matrix' opening", [
    ...powers.map((power, column): Term => [columns + column, mod(f * power)]),
    [base, mod(f * w * h)],
    [blinding, f1],
    [K, -1n],
    ...Array.from({ length: rows }, (_, j): Term => [T + j, mod(-d * rowWeights[j]!)]),
    [X, mod(-d * h)],
    ...folds.flatMap(({ L, R, u }, t): Term[] => [
      [L, mod(-d * u * u)],
      [R, mod(-d * inverses[t]! * inverses[t]!)],
    ]),
  ]);
}
