import { blake2b } from '@noble/hashes/blake2.js';
import { equal, integer, join, le32, littleEndian, Reader } from '../bytes.js';
import { must } from '../refusal.js';
import { generators, orderOf, type G1Point } from '../snark/curve.js';
import { readR1cs, type System, type Term } from '../snark/r1cs.js';
import { Equations } from './equations.js';
import { at, groupsOf, readUncompressed, rewrite, uncompressed, widthOf } from './points.js';
import type { Ptau } from './ptau.js';
import { combination, compute, drawWeights, sums, type CurveJob } from './work.js';
import type { Pool } from '../pool.js';
import type { Zkey } from './zkey.js';

/** Points that snarkjs hashes at a time. */
const SNARKJS_CHUNK = 2 ** 14;
/** Terms that one job takes. */
const CHUNK = 1024;

/** Whose multiple a term is: of a row's point in section 15, 14 or 12. */
interface Placed {
  list: 15 | 14 | 12;
  row: number;
  factor: bigint;
}

/** The first key of a circuit, whose γ and δ are 1, as far as a key is compared with it. */
class FirstKey {
  readonly log: number;
  /** The circuit's constraints, and for each public wire a row with nothing but that wire as left factor. */
  readonly rows: System['constraints'];

  constructor(
    readonly system: System,
    readonly phase1: Ptau,
    private readonly pool: Pool,
  ) {
    const own: System['constraints'] = Array.from({ length: system.public + 1 }, (_, wire) => [[{ wire, factor: 1n }], [], []]);
    this.rows = [...system.constraints, ...own];
    this.log = Math.max(1, Math.ceil(Math.log2(this.rows.length)));
    must(phase1.isPrepared && this.log <= phase1.power && this.log + 1 <= phase1.largestDomain(12), 'CE-10', 'the phase 1 is too small for the circuit, or not prepared');
  }

  /** `β·u + α·v + w` of every wire, uncompressed. */
  async linear(): Promise<Uint8Array> {
    const { system, rows } = this;
    const terms: Placed[][] = Array.from({ length: system.wires }, () => []);
    rows.forEach((row, r) =>
      row.forEach((side, i) => {
        for (const { wire, factor } of side) terms[wire]!.push({ list: ([15, 14, 12] as const)[i]!, row: r, factor });
      }),
    );
    const jobs: CurveJob[] = [];
    for (let from = 0; from < terms.length; ) {
      let [to, count] = [from, 0];
      while (to < terms.length && count < CHUNK) count += terms[to++]!.length + 1;
      jobs.push(this.wiresJob(terms.slice(from, to)));
      from = to;
    }
    return join(await compute(this.pool, 'the Lagrange points of the phase 1', jobs));
  }

  private wiresJob(terms: Placed[][]): CurveJob {
    const { phase1, log } = this;
    const { G1 } = groupsOf(phase1.curve);
    const all = terms.flat();
    const places = new Map<string, number>();
    const points: Uint8Array[] = [];
    for (const { list, row } of all) {
      const name = `${list} ${row}`;
      if (places.has(name)) continue;
      places.set(name, points.length);
      points.push(at(G1, phase1.lagrange(list, log), row));
    }
    return {
      wires: {
        curve: phase1.curve.name,
        points: join(points),
        counts: Uint32Array.from(terms, (list) => list.length),
        places: Uint32Array.from(all, ({ list, row }) => places.get(`${list} ${row}`)!),
        factors: join(all.map(({ factor }) => littleEndian(factor, 32))),
      },
    };
  }

  /** H in powers, uncompressed, as many as are hashed. */
  async powers(count: number): Promise<Uint8Array> {
    const { phase1, log } = this;
    const { G1 } = groupsOf(phase1.curve);
    const list = phase1.list(2);
    const jobs = Array.from({ length: Math.ceil(count / CHUNK) }, (_, i): CurveJob => {
      const [from, length] = [i * CHUNK, Math.min(CHUNK, count - i * CHUNK)];
      return { differences: { curve: phase1.curve.name, high: at(G1, list, from + 2 ** log, length).slice(), low: at(G1, list, from, length).slice() } };
    });
    return join(await compute(this.pool, 'section 2 of the phase 1', jobs));
  }

  /** The odd points of the domain of twice the size. */
  odd(): Uint8Array {
    const { G1 } = groupsOf(this.phase1.curve);
    const domain = this.phase1.lagrange(12, this.log + 1);
    return join(Array.from({ length: 2 ** this.log }, (_, i) => at(G1, domain, 2 * i + 1)));
  }

  /** Of a weight for each wire: the sum over the wires for each row, of the left or the right factors. */
  perRow(side: 0 | 1, weights: Uint8Array): Uint8Array {
    const order = orderOf(this.phase1.curve);
    const of = (terms: Term[]): bigint => terms.reduce((sum, { wire, factor }) => (sum + integer(weights.subarray(16 * wire, 16 * wire + 16)) * factor) % order, 0n);
    const sums = this.rows.map((row) => littleEndian(of(row[side]), 32));
    return join([...sums, new Uint8Array(32 * (2 ** this.log - sums.length))]);
  }
}

/** `CE-10`, `CE-12`, `CE-13`: a key is that of its circuit and phase 1, divided by δ. Gives whether its circuit hash is the computed one. */
export async function checkAgainst(key: Zkey, circuit: Uint8Array, phase1: Ptau, pool: Pool): Promise<boolean> {
  must(key.curve === phase1.curve, 'CE-23', 'the key and the phase 1 are over different curves');
  const system = readR1cs(circuit, orderOf(key.curve));
  const initial = new FirstKey(system, phase1, pool);
  checkHeader(key, initial);
  checkCoefficients(key, initial);
  const linear = await initial.linear();
  const { G1, G2 } = groupsOf(key.curve);
  const own = join(key.IC.map((point) => uncompressed(G1, point)));
  must(equal(own, at(G1, linear, 0, key.IC.length)), 'CE-10', 'IC is not that of circuit and phase 1');
  const K = linear.subarray(own.length);
  await checkSame(key, initial, pool);
  await checkDivided(key, initial, K, pool);

  const isOfSnarkjs = key.rows <= SNARKJS_CHUNK || initial.log < phase1.power;
  const hash = await circuitHash(key, initial, { IC: own, K, G1, G2 });
  const isSame = equal(hash, key.circuitHash);
  must(isSame || (!key.isNative && !isOfSnarkjs), 'CE-13', 'the circuit hash is not that of the first key');
  return isSame;
}

function checkHeader({ curve, wires, publics, rows, points }: Zkey, { system, log, phase1 }: FirstKey): void {
  const { alpha1, beta1, beta2 } = phase1.singular();
  const [, H] = generators(curve);
  const isSame = wires === system.wires && publics === system.public && rows === 2 ** log;
  must(isSame, 'CE-10', 'the key is of another size than the circuit');
  const isOver = points.alpha1.equals(alpha1) && points.beta1.equals(beta1) && points.beta2.equals(beta2) && points.gamma2.equals(H);
  must(isOver, 'CE-10', 'the key is over another phase 1');
}

/** The matrices, entry by entry; factors are stored times 2^512. */
function checkCoefficients(key: Zkey, { rows }: FirstKey): void {
  const order = orderOf(key.curve);
  const scale = 2n ** 512n % order;
  const reader = new Reader(key.container.section(4));
  const count = rows.reduce((sum, [a, b]) => sum + a.length + b.length, 0);
  must(reader.u32() === count, 'CE-10', 'the key has another number of coefficients');
  rows.forEach(([a, b], row) =>
    [a, b].forEach((side, matrix) => {
      for (const { wire, factor } of side) {
        const isSame = reader.u32() === matrix && reader.u32() === row && reader.u32() === wire && equal(reader.take(32), littleEndian((factor * scale) % order, 32));
        must(isSame, 'CE-10', `a coefficient of row ${row} is not that of the circuit`);
      }
    }),
  );
}

/** A, B₁ and B₂ are those of the first key: in one random combination each. */
async function checkSame(key: Zkey, initial: FirstKey, pool: Pool): Promise<void> {
  const { G1, G2 } = groupsOf(key.curve);
  for (const [id, group, lagrange, side, name] of [[5, G1, 12, 0, 'A'], [6, G1, 12, 1, 'B₁']] as const) {
    const weights = drawWeights(key.wires);
    const [found] = await sums(pool, name, group, key.container.section(id), true, [weights]);
    const [expected] = await sums(pool, 'section 12', group, initial.phase1.lagrange(lagrange, initial.log), true, [initial.perRow(side, weights)]);
    must(found!.equals(expected!), 'CE-10', `${name} is not that of circuit and phase 1`);
  }
  const weights = drawWeights(key.wires);
  const [found] = await sums(pool, 'B₂', G2, key.container.section(7), true, [weights]);
  const [expected] = await sums(pool, 'section 13', G2, initial.phase1.lagrange(13, initial.log), true, [initial.perRow(1, weights)]);
  must(found!.equals(expected!), 'CE-10', 'B₂ is not that of circuit and phase 1');
}

/** `CE-12`: K and H, times δ, are those of the first key. */
async function checkDivided(key: Zkey, initial: FirstKey, K: Uint8Array, pool: Pool): Promise<void> {
  const { curve, points } = key;
  const { G1 } = groupsOf(curve);
  const [, H] = generators(curve);
  const equations = new Equations(curve);
  const weights = drawWeights(K.length / widthOf(G1));
  const [divided] = await sums(pool, 'K', G1, key.container.section(8), true, [weights]);
  const own: G1Point[] = Array.from({ length: weights.length / 16 }, (_, i) => readUncompressed(G1, at(G1, K, i)));
  const whole = combination(G1, own, own.map((_, i) => integer(weights.subarray(16 * i, 16 * i + 16))));
  equations.sameRatio('CE-12', 'K is not that of the first key divided by δ', [divided!, whole], [H, points.delta2]);
  const drawn = drawWeights(key.rows);
  const [h] = await sums(pool, 'H', G1, key.container.section(9), false, [drawn]);
  const [odd] = await sums(pool, 'section 12', G1, initial.odd(), false, [drawn]);
  equations.sameRatio('CE-12', 'H is not that of the first key divided by δ', [h!, odd!], [H, points.delta2]);
  equations.check();
}

/** `CE-13`: BLAKE2b of the first key in bellman's layout. */
async function circuitHash(key: Zkey, initial: FirstKey, { IC, K, G1, G2 }: { IC: Uint8Array; K: Uint8Array } & ReturnType<typeof groupsOf>): Promise<Uint8Array> {
  const { points, rows, curve } = key;
  const [G, H] = generators(curve);
  const hash = blake2b.create({ dkLen: 64 });
  for (const point of [points.alpha1, points.beta1]) hash.update(uncompressed(G1, point));
  for (const point of [points.beta2, H]) hash.update(uncompressed(G2, point));
  hash.update(uncompressed(G1, G)).update(uncompressed(G2, H));
  const count = (n: number): void => void hash.update(le32(n).reverse());
  const list = (bytes: Uint8Array, width: number): void => {
    count(bytes.length / width);
    hash.update(bytes);
  };
  list(IC, widthOf(G1));
  const hasMore = rows > SNARKJS_CHUNK && initial.log < initial.phase1.power;
  count(rows - 1);
  hash.update(await initial.powers(hasMore ? rows : rows - 1));
  list(K, widthOf(G1));
  for (const [id, group] of [[5, G1], [6, G1], [7, G2]] as const) list(rewrite(group, key.container.section(id)).uncompressed, widthOf(group));
  return hash.digest();
}
