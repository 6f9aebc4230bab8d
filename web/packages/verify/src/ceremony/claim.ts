import { hex } from '../bytes.js';
import { digest } from '../digest.js';
import { object, type Json } from '../json.js';
import { must, within } from '../refusal.js';
import { generators, isZeroSum } from '../snark/curve.js';
import { groth16Digest } from '../snark/claim.js';
import { contributionJson, type Contribution } from './contribution.js';
import { checkAgainst } from './first-key.js';
import { verifyPhase1 } from './phase1.js';
import { verifyContributions } from './phase2.js';
import { Zkey } from './zkey.js';
import type { Found, Objects } from '../kinds.js';
import type { Pool } from '../pool.js';
import type { Check, Progress } from '../verdict.js';

const LOCATION = /^[\x21-\x7e]{1,200}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** What was found of a ceremony, as claims state it; members that are not given are null. */
interface Ceremony {
  statement: Record<string, Json>;
  contributions: Contribution[];
  checks: Check[];
}

/** A claim `ceremony`, version 1. */
export async function verifyCeremony(objects: Objects, pool: Pool, progress: Progress, stated: Json): Promise<Found> {
  const [parameters, circuit, phase1, record] = ['parameters', 'circuit', 'phase1', 'record'].map((role) => objects[role]![0]);
  must((parameters === undefined) !== (record === undefined), 'CE-23', 'not either `parameters` or `record`');
  must((circuit === undefined) === (phase1 === undefined), 'CE-23', 'only one of `circuit` and `phase1`');
  must(circuit === undefined || parameters !== undefined, 'CE-23', '`circuit` and `phase1` without `parameters`');
  const location = locationOf(stated);
  const counted = counting(pool, progress);
  let found: Ceremony;
  if (record !== undefined) found = recordOf(record, stated);
  else if (circuit === undefined) found = await powersOf(parameters!, counted);
  else found = await keyOf({ parameters: parameters!, circuit, phase1: phase1! }, counted);
  const nothing = { power: null, wires: null, rows: null, circuit: null, circuit_hash: null, key: null, phase1: null };
  const statement = object({ ...nothing, ...found.statement, location, contributions: found.contributions.map(contributionJson) });
  const key = statement.get('key');
  return {
    statement,
    checks: found.checks,
    premises: [`parameters:${String(statement.get('parameters'))}`],
    shows: typeof key === 'string' ? [`key:${key}`] : [],
  };
}

/** A pool that tells how many of its jobs are done; how many there are shows on the way. */
function counting(pool: Pool, progress: Progress): Pool {
  let [done, all] = [0, 0];
  return {
    width: pool.width,
    run: (jobs, tell) => {
      all += jobs.length;
      return pool.run(jobs, () => {
        progress(++done, all);
        tell();
      });
    },
  };
}

/** Where the publisher says that the file is (`CE-27`). */
function locationOf(stated: Json): Json {
  must(stated instanceof Map && stated.has('location'), 'CE-27', 'the statement is no object, or lacks `location`');
  const location = stated.get('location') ?? null;
  must(location === null || (typeof location === 'string' && LOCATION.test(location)), 'CE-27', '`location` is not 1 to 200 visible characters');
  return location;
}

const formOf = ({ isNative }: { isNative: boolean }): string => (isNative ? 'native' : 'snarkjs');

/** `CE-24`. */
async function powersOf(bytes: Uint8Array, pool: Pool): Promise<Ceremony> {
  const { file, contributions, hashesChecked } = await verifyPhase1(bytes, pool);
  return {
    contributions,
    statement: {
      phase: 1n,
      form: formOf(file),
      curve: file.curve.name,
      parameters: hex(file.container.digest()),
      hashes_checked: hashesChecked,
      power: BigInt(file.power),
    },
    checks: [
      { check: file.isNative ? 'CE-8, CE-9' : 'CE-2 to CE-4', count: contributions.length, what: 'contributions to phase 1' },
      { check: 'CE-5, CE-7', count: 2 ** file.power, what: 'powers of τ, and their Lagrange forms' },
    ],
  };
}

/** What a key file says, whole or as a record. */
const keyStatement = (key: Zkey): Record<string, Json> => ({
  phase: 2n,
  form: formOf(key),
  curve: key.curve.name,
  wires: BigInt(key.wires),
  rows: BigInt(key.rows),
  circuit_hash: hex(key.circuitHash),
  key: hex(groth16Digest(key.curve, { ...key, alpha: key.points.alpha1, beta: key.points.beta2, gamma: key.points.gamma2, delta: key.points.delta2 })),
});

/** `CE-25`. */
async function keyOf(files: { parameters: Uint8Array; circuit: Uint8Array; phase1: Uint8Array }, pool: Pool): Promise<Ceremony> {
  const { file, contributions } = await verifyPhase1(files.phase1, pool);
  const key = Zkey.read(files.parameters);
  const own = verifyContributions(key);
  const isHashed = await checkAgainst(key, files.circuit, file, pool);
  return {
    contributions: own,
    statement: {
      ...keyStatement(key),
      parameters: hex(key.container.digest()),
      hashes_checked: isHashed,
      circuit: hex(digest('subrosa/ceremony/circuit', files.circuit)),
      phase1: object({ parameters: hex(file.container.digest()), contributions: contributions.map(contributionJson) }),
    },
    checks: [
      { check: file.isNative ? 'CE-8, CE-9' : 'CE-2 to CE-4', count: contributions.length, what: 'contributions to phase 1' },
      { check: 'CE-5, CE-7', count: 2 ** file.power, what: 'powers of τ, and their Lagrange forms' },
      { check: key.isNative ? 'CE-11, CE-15' : 'CE-11, CE-14', count: own.length, what: 'contributions to the key' },
      { check: 'CE-10, CE-12, CE-13', count: key.wires, what: 'wires, made again from circuit and phase 1' },
    ],
  };
}

/** `CE-26`. */
function recordOf(bytes: Uint8Array, stated: Json): Ceremony {
  const parameters = stated instanceof Map ? stated.get('parameters') : undefined;
  must(typeof parameters === 'string' && DIGEST.test(parameters), 'CE-27', '`parameters` is no digest');
  const key = within('the record', () => Zkey.readRecord(bytes));
  const [G, H] = generators(key.curve);
  must(isZeroSum(key.curve, [[G, key.points.beta2], [key.points.beta1.negate(), H]]), 'CE-26', 'β differs between the groups');
  const contributions = verifyContributions(key);
  return {
    contributions,
    statement: { ...keyStatement(key), parameters, hashes_checked: false },
    checks: [{ check: key.isNative ? 'CE-11, CE-15' : 'CE-11, CE-14', count: contributions.length, what: 'contributions to the key, by its record' }],
  };
}
