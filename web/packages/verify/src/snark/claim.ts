import { concat, fileKind, hex, integer, le32, littleEndian, text } from '../bytes.js';
import { digest } from '../digest.js';
import { object, type Json } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import { must, NotChecked, within } from '../refusal.js';
import type { Progress } from '../verdict.js';
import { isZeroSum, type Curve, type G1Point, type G2Point, type Pair } from './curve.js';
import { MAX_PUBLIC, numberOf, readGm17Key, readGm17Proof, readGroth16Key, readGroth16Proof } from './files.js';
import {
  checkGm17Key,
  checkGroth16Key,
  checkInputs,
  checkProof,
  gm17Equations,
  groth16Equation,
  type Groth16Key,
  type Proof,
  type Weighted,
} from './groth16.js';

const MAX_PROOFS = 2 ** 16;
const MAX_KEY = 2 ** 24;
const MAX_PROOF = 2 ** 12;
const NAME = /^[\x21-\x7e]{1,64}$/;

/** A system of proofs whose keys this verifier knows. */
interface System {
  name: 'groth16' | 'gm17';
  curve: Curve;
  /** Names the key, however it is spelt. */
  digest: Uint8Array;
  IC: G1Point[];
  readProof(bytes: Uint8Array): Proof;
  /** What is zero if proofs hold, each of its equations times a weight. */
  equations(proofs: Weighted[]): Pair[];
}

/** A claim that proofs hold under a key. */
export async function verifySnarkProof(objects: Objects, _: unknown, progress: Progress, statement: Json): Promise<Found> {
  const files = objects['proof']!;
  const { inputs, names, stated } = readStatement(statement, files.length);
  const system = readKey(objects['key']![0]!);
  must(objects['circuit']!.length === 0, 'SN-10', `a circuit, where the key is of ${system.name}`);
  const { curve } = system;
  const proofs = files.map((bytes, i): Weighted => {
    progress(i, files.length);
    return within(`proof ${i}`, () => {
      must(bytes.length <= MAX_PROOF, 'SN-11', 'the file is too large');
      checkInputs(curve, system.IC, inputs[i]!);
      const proof = system.readProof(bytes);
      checkProof(proof, system.name === 'groth16' ? 'SN-3' : 'SN-6');
      return { proof, inputs: inputs[i]!, weights: [randomWeight(), randomWeight()] };
    });
  });
  if (!isZeroSum(curve, system.equations(proofs))) {
    const wrong = proofs.findIndex((proof) => !isZeroSum(curve, system.equations([proof])));
    must(false, 'SN-11', `proof ${wrong} does not hold`);
  }
  progress(files.length, files.length);
  const key = hex(system.digest);
  return {
    statement: object({ system: system.name, curve: curve.name, key, circuit: null, names, public: stated }),
    checks: [
      { check: 'SN-10', count: 1, what: `key of ${system.name}, all points in their groups` },
      { check: 'SN-9', count: inputs.reduce((sum, list) => sum + list.length, 0), what: 'public inputs' },
      { check: 'SN-11', count: proofs.length, what: 'proofs' },
    ],
    premises: [`key:${key}`],
    shows: [],
  };
}

/** `SN-9`: the public inputs of each proof, and their names. */
function readStatement(statement: Json, proofs: number): { inputs: bigint[][]; names: Json; stated: Json } {
  must(statement instanceof Map, 'SN-9', 'the statement is no object');
  const stated = statement.get('public');
  const names = statement.get('names') ?? null;
  must(proofs <= MAX_PROOFS, 'SN-9', `${proofs} proofs, where ${MAX_PROOFS} is the limit`);
  must(Array.isArray(stated) && stated.length === proofs, 'SN-9', '`public` has not a list for each proof');
  const inputs = stated.map((list, i) => {
    must(Array.isArray(list) && list.length <= MAX_PUBLIC, 'SN-9', `the public inputs of proof ${i} are no list`);
    return list.map((item) => numberOf(item, 'SN-9'));
  });
  if (names !== null) {
    const isName = (name: Json): boolean => typeof name === 'string' && NAME.test(name);
    must(Array.isArray(names) && names.every(isName), 'SN-9', '`names` are not names');
    must(new Set(names).size === names.length, 'SN-9', 'two public inputs have one name');
    must(inputs.every((list) => list.length === names.length), 'SN-9', 'not as many names as public inputs');
  }
  return { inputs, names, stated };
}

/** `SN-10`. */
function readKey(bytes: Uint8Array): System {
  must(bytes.length <= MAX_KEY, 'SN-10', 'the key is too large');
  const kind = fileKind(bytes);
  if (kind === 'sonicvk' || kind === 'sonicuvk') throw new NotChecked('this verifier does not check proofs of Sonic');
  must(kind === undefined || kind === 'gm17vk', 'SN-10', `a file of kind \`${kind}\` is no verification key`);
  if (kind === undefined) {
    const { curve, key } = readGroth16Key(bytes);
    checkGroth16Key(curve, key);
    return {
      name: 'groth16',
      curve,
      digest: groth16Digest(curve, key),
      IC: key.IC,
      readProof: (file) => readGroth16Proof(file, curve),
      equations: (proofs) => groth16Equation(curve, key, proofs),
    };
  }
  const { curve, key, fields } = readGm17Key(bytes);
  checkGm17Key(curve, key);
  return {
    name: 'gm17',
    curve,
    digest: digest('snark/gm17/key/v1', concat(text(curve.name), fields)),
    IC: key.IC,
    readProof: (file) => readGm17Proof(file, curve),
    equations: (proofs) => gm17Equations(curve, key, proofs),
  };
}

/** The digest of a key of Groth16. */
export function groth16Digest(curve: Curve, { alpha, beta, gamma, delta, IC }: Groth16Key): Uint8Array {
  const number = (x: bigint): Uint8Array => littleEndian(x, curve.bytes).reverse();
  const G1 = (point: G1Point): Uint8Array => {
    const { x, y } = point.toAffine();
    return concat(number(x), number(y));
  };
  const G2 = (point: G2Point): Uint8Array => {
    const { x, y } = point.toAffine();
    return concat(...[x.c1, x.c0, y.c1, y.c0].map(number));
  };
  const points = [G1(alpha), G2(beta), G2(gamma), G2(delta), ...IC.map(G1)];
  return digest('snark/groth16/key/v1', concat(text(curve.name), le32(IC.length), ...points));
}

/** 128 random bits. */
const randomWeight = (): bigint => integer(crypto.getRandomValues(new Uint8Array(16)));
