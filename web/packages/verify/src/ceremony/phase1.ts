import { equal, join, le64, Reader, text } from '../bytes.js';
import { must } from '../refusal.js';
import { generators, type Curve, type G1Point, type G2Point } from '../snark/curve.js';
import { Blake, blake, STATE } from './blake.js';
import { checkWork, delay, readAttribution, requireParticipant, type Contribution } from './contribution.js';
import { Equations } from './equations.js';
import { firstChallenge } from './first.js';
import { at, groupsOf, readPoint, rewrite, uncompressed, widthOf } from './points.js';
import { checkLagrange, checkPowers } from './powers.js';
import { NATIVE, POWERS, Ptau, type Singular } from './ptau.js';
import { Sampler, sampleG2 } from './sample.js';
import { beaconSecrets, nextG1, nextG2, readTurns, startHash, type Form, type Turn } from './turns.js';
import type { Pool } from '../pool.js';

/** A proof of knowledge of three secrets: for τ, α, β the points `s`, `x·s`, and `x·R`. */
interface PublicKey {
  s: G1Point[];
  sx: G1Point[];
  rx: G2Point[];
}

/** A contribution as section 7 records it. */
interface Recorded extends Contribution {
  after: Singular;
  key: PublicKey;
  /** The state of the response's hash before the public key. */
  state: Uint8Array;
  next: Uint8Array;
}

const SECRETS = ['tau', 'alpha', 'beta'] as const;
const NAMES = ['τ', 'α', 'β'];

function initial(curve: Curve): Singular {
  const [G, H] = generators(curve);
  return { tau1: G, alpha1: G, beta1: G, tau2: H, beta2: H };
}

const first = ({ tau1, alpha1, beta1 }: Singular): G1Point[] => [tau1, alpha1, beta1];

/** A phase 1 that was verified. */
export interface Phase1 {
  file: Ptau;
  contributions: Contribution[];
  /** Whether all hashes in the file were computed again. */
  hashesChecked: boolean;
}

/** `CE-24`. */
export async function verifyPhase1(bytes: Uint8Array, pool: Pool): Promise<Phase1> {
  const file = Ptau.read(bytes);
  const recorded = readRecorded(file);
  must(!file.isNative || recorded.length === 0, 'CE-9', 'a native ceremony has contributions of snarkjs, too');
  const contributions = file.isNative ? checkNative(file) : checkChain(file, recorded);
  const { after } = contributions.at(-1)!;
  await checkPowers(file, after, pool);
  if (!file.isNative && !file.isCut) checkHashes(file, recorded);
  const [G] = generators(file.curve);
  first(after).forEach((point, i) => must(!point.equals(G), 'CE-3', `${NAMES[i]} is 1`));
  if (file.isPrepared) await checkLagrange(file, pool);
  return { file, contributions, hashesChecked: file.isNative || !file.isCut };
}

/** Every contribution changes all three secrets (`CE-3`). */
function checkChanges(curve: Curve, contributions: { after: Singular }[]): void {
  let before = initial(curve);
  contributions.forEach(({ after }, i) => {
    SECRETS.forEach((_, x) => must(!first(after)[x]!.equals(first(before)[x]!), 'CE-3', `contribution ${i + 1} does not change ${NAMES[x]}`));
    before = after;
  });
}

function readRecorded(file: Ptau): Recorded[] {
  const { curve } = file;
  const { G1, G2 } = groupsOf(curve);
  const reader = new Reader(file.container.section(7));
  const one = (): G1Point => readPoint(G1, reader.take(widthOf(G1)));
  const two = (): G2Point => readPoint(G2, reader.take(widthOf(G2)));
  const contributions: Recorded[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    const after = { tau1: one(), tau2: two(), alpha1: one(), beta1: one(), beta2: two() };
    const pairs = SECRETS.map(() => [one(), one()] as const);
    const key = { s: pairs.map(([s]) => s), sx: pairs.map(([, sx]) => sx), rx: SECRETS.map(two) };
    const [state, next] = [reader.take(STATE), reader.take(64)];
    contributions.push({ after, key, state, next, ...readAttribution(reader), hash: responseHash(curve, state, key) });
  }
  reader.end();
  return contributions;
}

/** A public key as responses have it. */
function keyBytes(curve: Curve, { s, sx, rx }: PublicKey): Uint8Array {
  const { G1, G2 } = groupsOf(curve);
  return join([...s.flatMap((point, i) => [uncompressed(G1, point), uncompressed(G1, sx[i]!)]), ...rx.map((point) => uncompressed(G2, point))]);
}

const responseHash = (curve: Curve, state: Uint8Array, key: PublicKey): Uint8Array => Blake.resume(state).update(keyBytes(curve, key)).digest();

/** `R` for each secret. */
function bases(curve: Curve, { s, sx }: PublicKey, challenge: Uint8Array): G2Point[] {
  const { G1 } = groupsOf(curve);
  return s.map((point, i) => sampleG2(curve, blake(Uint8Array.of(i), challenge, uncompressed(G1, point), uncompressed(G1, sx[i]!))));
}

/** `CE-2` to `CE-4`, and of `CE-6` the lengths. */
function checkChain({ curve, ceremonyPower }: Ptau, contributions: Recorded[]): Recorded[] {
  requireParticipant(contributions, 'CE-3');
  checkWork(contributions);
  const n = 2 ** ceremonyPower;
  const length = 64 + ((2 * n - 1 + 2 * n) + 2 * (n + 1)) * curve.bytes;
  contributions.forEach(({ state }, i) => must(Blake.resume(state).count === length, 'CE-6', `contribution ${i + 1}: the length of its response`));
  const challenges = [firstChallenge(curve, ceremonyPower), ...contributions.map(({ next }) => next)];
  const equations = new Equations(curve);
  let before = initial(curve);
  contributions.forEach(({ after, key }, i) => {
    addEquations(equations, `contribution ${i + 1}`, { before, after }, key, bases(curve, key, challenges[i]!));
    before = after;
  });
  equations.check();
  checkChanges(curve, contributions);
  contributions.forEach((one, i) => checkBeacon(curve, one, challenges[i]!, `contribution ${i + 1}`));
  return contributions;
}

/** The nine equations between a contribution and what was before it (`CE-2`). */
function addEquations(equations: Equations, who: string, { before, after }: { before: Singular; after: Singular }, { s, sx, rx }: PublicKey, R: G2Point[]): void {
  const require = (what: string, one: [G1Point, G1Point], two: [G2Point, G2Point]): void => equations.sameRatio('CE-2', `${who}: ${what}`, one, two);
  SECRETS.forEach((_, i) => {
    require(`knowledge of ${NAMES[i]}`, [s[i]!, sx[i]!], [R[i]!, rx[i]!]);
    require(`${NAMES[i]} in G1`, [first(before)[i]!, first(after)[i]!], [R[i]!, rx[i]!]);
  });
  require('τ in G2', [s[0]!, sx[0]!], [before.tau2, after.tau2]);
  require('β in G2', [s[2]!, sx[2]!], [before.beta2, after.beta2]);
  require('β in both groups', [before.beta1, after.beta1], [before.beta2, after.beta2]);
}

/** `CE-4`: a beacon's public key is what follows from it. */
function checkBeacon(curve: Curve, { beacon, key }: Recorded, challenge: Uint8Array, who: string): void {
  if (beacon === null) return;
  const sampler = new Sampler(delay(beacon));
  const secrets = SECRETS.map(() => sampler.scalar(curve));
  const s = SECRETS.map(() => sampler.point(groupsOf(curve).G1));
  const sx = s.map((point, i) => point.multiplyUnsafe(secrets[i]!));
  const R = bases(curve, { s, sx, rx: [] }, challenge);
  const own = { s, sx, rx: R.map((point, i) => point.multiplyUnsafe(secrets[i]!)) };
  must(equal(keyBytes(curve, own), keyBytes(curve, key)), 'CE-4', `${who}: its secrets are not those of the beacon`);
}

/** `CE-6` of a whole file: the last response and the challenge after it, hashed again. */
function checkHashes(file: Ptau, contributions: Recorded[]): void {
  const { curve } = file;
  const last = contributions.at(-1)!;
  const answered = contributions.at(-2)?.next ?? firstChallenge(curve, file.ceremonyPower);
  const response = new Blake().update(answered);
  const challenge = new Blake().update(last.hash);
  for (const { id, group } of POWERS) {
    const own = groupsOf(curve)[group];
    const list = file.list(id);
    const count = list.length / widthOf(own);
    for (let from = 0; from < count; from += 4096) {
      const written = rewrite(own, at(own, list, from, Math.min(4096, count - from)));
      response.update(written.compressed);
      challenge.update(written.uncompressed);
    }
  }
  must(equal(response.state(), Blake.resume(last.state).state()), 'CE-6', 'the hash of the last response is not that of the points');
  must(equal(challenge.digest(), last.next), 'CE-6', 'the hash of the next challenge is not that of the points');
}

/** What a native phase 1 has. */
const FORM: Form<Singular> = {
  kind: 'phase1',
  label: 'subrosa/ceremony/phase1/v2',
  tags: [...SECRETS],
  readAfter: (reader, curve) => ({
    tau1: nextG1(reader, curve),
    alpha1: nextG1(reader, curve),
    beta1: nextG1(reader, curve),
    tau2: nextG2(reader, curve),
    beta2: nextG2(reader, curve),
  }),
};

/** `CE-8` and `CE-9`. */
function checkNative({ curve, container, ceremonyPower }: Ptau): Turn<Singular>[] {
  const start = startHash(FORM.label, text(curve.name), le64(ceremonyPower));
  const turns = readTurns(container.section(NATIVE), FORM, curve, start);
  requireParticipant(turns, 'CE-3');
  checkWork(turns);
  const [G] = generators(curve);
  const equations = new Equations(curve);
  let before = initial(curve);
  turns.forEach(({ after, proofs }, i) => {
    const require = (what: string, one: [G1Point, G1Point], two: [G2Point, G2Point]): void => equations.sameRatio('CE-8', `contribution ${i + 1}: ${what}`, one, two);
    proofs.forEach(({ commitment, ratio }, x) => {
      require(`knowledge of ${NAMES[x]}`, [G, commitment], ratio);
      require(`${NAMES[x]} in G1`, [first(before)[x]!, first(after)[x]!], ratio);
    });
    if (proofs.length > 0) {
      require('τ in G2', [G, proofs[0]!.commitment], [before.tau2, after.tau2]);
      require('β in G2', [G, proofs[2]!.commitment], [before.beta2, after.beta2]);
    }
    before = after;
  });
  equations.check();
  checkChanges(curve, turns);
  turns.forEach((turn, i) => checkNativeBeacon(curve, turn, turns[i - 1]?.after ?? initial(curve), `contribution ${i + 1}`));
  return turns;
}

function checkNativeBeacon(curve: Curve, { beacon, before: hash, after }: Turn<Singular>, before: Singular, who: string): void {
  if (beacon === null) return;
  const [tau, alpha, beta] = beaconSecrets(FORM.label, curve, hash, beacon, 3) as [bigint, bigint, bigint];
  const isSame =
    before.tau1.multiplyUnsafe(tau).equals(after.tau1) &&
    before.alpha1.multiplyUnsafe(alpha).equals(after.alpha1) &&
    before.beta1.multiplyUnsafe(beta).equals(after.beta1) &&
    before.tau2.multiplyUnsafe(tau).equals(after.tau2) &&
    before.beta2.multiplyUnsafe(beta).equals(after.beta2);
  must(isSame, 'CE-9', `${who}: its points are not those of the beacon`);
}
