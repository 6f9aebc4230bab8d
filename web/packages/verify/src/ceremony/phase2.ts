import { blake2b } from '@noble/hashes/blake2.js';
import { concat, equal, join, le32, Reader, text } from '../bytes.js';
import { must } from '../refusal.js';
import { generators, isZeroSum, type Curve, type G1Point, type G2Point } from '../snark/curve.js';
import { blake } from './blake.js';
import { checkWork, delay, readAttribution, requireParticipant, type Contribution } from './contribution.js';
import { Equations } from './equations.js';
import { groupsOf, readPoint, uncompressed, widthOf } from './points.js';
import { NATIVE } from './ptau.js';
import { Sampler, sampleG2 } from './sample.js';
import { beaconSecrets, nextG1, readTurns, startHash, type Form, type Turn } from './turns.js';
import type { Zkey } from './zkey.js';

/** A contribution as section 10 records it. */
interface Recorded extends Contribution {
  after: G1Point;
  s: G1Point;
  sx: G1Point;
  rx: G2Point;
  transcript: Uint8Array;
  /** The public key as later transcripts absorb it. */
  key: Uint8Array;
}

/** `CE-11`, and `CE-14` or `CE-15`: who multiplied a secret into δ. */
export function verifyContributions(key: Zkey): Contribution[] {
  const recorded = readRecorded(key);
  must(!key.isNative || recorded.length === 0, 'CE-15', 'a native ceremony has contributions of snarkjs, too');
  const contributions = key.isNative ? readNative(key) : recorded;
  requireParticipant(contributions, 'CE-11');
  checkDelta(key, contributions.at(-1)!.after);
  checkWork(contributions);
  if (key.isNative) checkNative(key.curve, contributions as Turn<G1Point>[]);
  else checkChain(key, recorded);
  return contributions;
}

/** `CE-11`. With δ = γ everybody can forge. */
function checkDelta({ curve, points }: Zkey, last: G1Point): void {
  const [G, H] = generators(curve);
  must(points.gamma2.equals(H), 'CE-11', 'γ is not the generator');
  must(points.delta1.equals(last), 'CE-11', 'δ is not what the last contribution left');
  must(isZeroSum(curve, [[G, points.delta2], [points.delta1.negate(), H]]), 'CE-11', 'δ differs between the groups');
  must(!points.delta1.equals(G), 'CE-11', 'δ is the generator: everything is proven under this key');
}

/** Each contribution changes δ. */
function checkChanges(curve: Curve, contributions: { after: G1Point }[], check: string): void {
  let [before] = generators(curve);
  contributions.forEach(({ after }, i) => {
    must(!after.equals(before), check, `contribution ${i + 1} does not change δ`);
    before = after;
  });
}

function readRecorded({ container, curve }: Zkey): Recorded[] {
  const { G1, G2 } = groupsOf(curve);
  const reader = new Reader(container.section(10).subarray(64));
  const one = (): G1Point => readPoint(G1, reader.take(widthOf(G1)));
  const contributions: Recorded[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    const [after, s, sx] = [one(), one(), one()];
    const rx = readPoint(G2, reader.take(widthOf(G2)));
    const transcript = reader.take(64);
    const key = join([...[after, s, sx].map((point) => uncompressed(G1, point)), uncompressed(G2, rx), transcript]);
    contributions.push({ after, s, sx, rx, transcript, key, ...readAttribution(reader), hash: blake(key) });
  }
  reader.end();
  return contributions;
}

/** `CE-14`. */
function checkChain({ curve, circuitHash }: Zkey, contributions: Recorded[]): void {
  const { G1 } = groupsOf(curve);
  const history = blake2b.create({ dkLen: 64 }).update(circuitHash);
  contributions.forEach(({ s, sx, transcript, key }, i) => {
    const own = history.clone().update(concat(uncompressed(G1, s), uncompressed(G1, sx))).digest();
    must(equal(own, transcript), 'CE-14', `contribution ${i + 1}: another transcript`);
    history.update(key);
  });
  const equations = new Equations(curve);
  let [before] = generators(curve);
  contributions.forEach(({ after, s, sx, rx, transcript }, i) => {
    const ratio: [G2Point, G2Point] = [sampleG2(curve, transcript), rx];
    equations.sameRatio('CE-14', `contribution ${i + 1}: knowledge of its secret`, [s, sx], ratio);
    equations.sameRatio('CE-14', `contribution ${i + 1}: δ`, [before, after], ratio);
    before = after;
  });
  equations.check();
  checkChanges(curve, contributions, 'CE-14');
  contributions.forEach(({ beacon, s, sx }, i) => {
    if (beacon === null) return;
    const sampler = new Sampler(delay(beacon));
    let secret = sampler.scalar(curve);
    while (secret <= 1n) secret = sampler.scalar(curve);
    const own = sampler.point(G1);
    must(own.equals(s) && own.multiplyUnsafe(secret).equals(sx), 'CE-4', `contribution ${i + 1}: its secret is not that of the beacon`);
  });
}

/** What a native phase 2 has. */
const FORM: Form<G1Point> = { kind: 'phase2', label: 'subrosa/ceremony/phase2/v2', tags: ['delta'], readAfter: nextG1 };

function readNative({ curve, container, wires, publics, rows, circuitHash }: Zkey): Turn<G1Point>[] {
  const counts = concat(le32(wires), le32(publics), le32(rows));
  return readTurns(container.section(NATIVE), FORM, curve, startHash(FORM.label, text(curve.name), counts, circuitHash));
}

/** `CE-15`. */
function checkNative(curve: Curve, turns: Turn<G1Point>[]): void {
  const [G] = generators(curve);
  const equations = new Equations(curve);
  const before = (i: number): G1Point => turns[i - 1]?.after ?? G;
  turns.forEach(({ after, proofs }, i) => {
    for (const { commitment, ratio } of proofs) {
      equations.sameRatio('CE-15', `contribution ${i + 1}: knowledge of its secret`, [G, commitment], ratio);
      equations.sameRatio('CE-15', `contribution ${i + 1}: δ`, [before(i), after], ratio);
    }
  });
  equations.check();
  checkChanges(curve, turns, 'CE-15');
  turns.forEach(({ beacon, after, before: hash }, i) => {
    if (beacon === null) return;
    const [secret] = beaconSecrets(FORM.label, curve, hash, beacon, 1);
    must(before(i).multiplyUnsafe(secret!).equals(after), 'CE-15', `contribution ${i + 1}: its secret is not that of the beacon`);
  });
}
