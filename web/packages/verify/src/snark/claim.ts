import { concat, fileKind, hex, integer, join, le32, littleEndian, text } from '../bytes.js';
import { digest } from '../digest.js';
import { object, type Json } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import { asPartOf, must, NotChecked, within } from '../refusal.js';
import type { Progress } from '../verdict.js';
import { readSonicKey, readSonicProof, sonicEquation, type SonicKey } from './sonic.js';
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
const NAME = /^[\x21-\x7e]{1,64}$/;

/** A key of some system of proofs. */
interface System {
  name: 'groth16' | 'gm17' | 'sonic';
  curve: Curve;
  /** The check that a proof holds. */
  equation: 'SN-4' | 'SN-6' | 'SN-8';
  /** The check that a file is a proof. */
  form: 'SN-3' | 'SN-6' | 'SN-11';
  /** Names the key, however it is spelt. */
  digest: Uint8Array;
  /** The circuit's digest, of Sonic. */
  circuit: string | null;
  /** How many public inputs proofs have. */
  inputs: number;
  /** Reads a proof, and gives what is zero if it holds, times weights, together with others. */
  reader(): { read(bytes: Uint8Array, inputs: bigint[]): void; equations(which?: number): Pair[] };
}

/** A claim that proofs hold under a key. */
export async function verifySnarkProof(objects: Objects, _: unknown, progress: Progress, statement: Json): Promise<Found> {
  const files = objects['proof']!;
  const { inputs, names, stated } = readStatement(statement, files.length);
  const system = readKey(objects['key']![0]!, objects['circuit']![0]);
  const { curve } = system;
  const proofs = system.reader();
  files.forEach((bytes, i) => {
    progress(i, files.length);
    within(`proof ${i}`, () => {
      checkInputs(curve, system.inputs, inputs[i]!);
      asPartOf(system.form, /^(CV-|SN-2)/, () => proofs.read(bytes, inputs[i]!));
    });
  });
  if (!isZeroSum(curve, proofs.equations())) {
    const wrong = files.findIndex((_, i) => !isZeroSum(curve, proofs.equations(i)));
    must(false, system.equation, `proof ${wrong} does not hold`);
  }
  progress(files.length, files.length);
  const key = hex(system.digest);
  must(statement instanceof Map && statement.has('names'), 'SN-12', '`names` is missing');
  return {
    statement: object({ system: system.name, curve: curve.name, key, circuit: system.circuit, names, public: stated }),
    checks: [
      { check: 'SN-10', count: 1, what: `key of ${system.name}, all points in their groups` },
      { check: 'SN-9', count: inputs.reduce((sum, list) => sum + list.length, 0), what: 'public inputs' },
      { check: 'SN-11', count: files.length, what: 'proofs' },
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
function readKey(bytes: Uint8Array, circuit: Uint8Array | undefined): System {
  const kind = fileKind(bytes);
  if (kind === 'sonicuvk') throw new NotChecked('this verifier does not check proofs of Sonic that need no circuit');
  must(kind === undefined || kind === 'gm17vk' || kind === 'sonicvk', 'SN-10', `a file of kind \`${kind}\` is no verification key`);
  if (kind === 'sonicvk') {
    must(circuit !== undefined, 'SN-10', 'no circuit, where the key is of sonic');
    return sonic(asPartOf('SN-7', /^CV-/, () => readSonicKey(bytes, circuit)));
  }
  must(circuit === undefined, 'SN-10', 'a circuit, where the key is not of sonic');
  if (kind === undefined) {
    const { curve, key } = asPartOf('SN-2', /^CV-/, () => readGroth16Key(bytes));
    checkGroth16Key(curve, key);
    return pairingSystem('groth16', curve, groth16Digest(curve, key), key.IC, {
      read: (file) => readGroth16Proof(file, curve),
      equations: (proofs) => groth16Equation(curve, key, proofs),
    });
  }
  const { curve, key, fields } = asPartOf('SN-5', /^CV-/, () => readGm17Key(bytes));
  checkGm17Key(curve, key);
  return pairingSystem('gm17', curve, digest('snark/gm17/key/v1', concat(text(curve.name), fields)), key.IC, {
    read: (file) => readGm17Proof(file, curve),
    equations: (proofs) => gm17Equations(curve, key, proofs),
  });
}

/** Groth16 and GM17, whose proofs are of the same form. */
function pairingSystem(
  name: 'groth16' | 'gm17',
  curve: Curve,
  named: Uint8Array,
  IC: G1Point[],
  how: { read(file: Uint8Array): Proof; equations(proofs: Weighted[]): Pair[] },
): System {
  const reader = (): ReturnType<System['reader']> => {
    const proofs: Weighted[] = [];
    return {
      read: (file, inputs) => {
        const proof = how.read(file);
        checkProof(proof, name === 'groth16' ? 'SN-3' : 'SN-6');
        proofs.push({ proof, inputs, weights: [randomWeight(), randomWeight()] });
      },
      equations: (which) => how.equations(which === undefined ? proofs : [proofs[which]!]),
    };
  };
  return { name, curve, equation: name === 'groth16' ? 'SN-4' : 'SN-6', form: name === 'groth16' ? 'SN-3' : 'SN-6', digest: named, circuit: null, inputs: IC.length - 1, reader };
}

function sonic(key: SonicKey): System {
  const { curve, digest: named, circuit, gates } = key;
  const reader = (): ReturnType<System['reader']> => {
    const equations: Pair[][] = [];
    return {
      read: (file, inputs) => void equations.push(sonicEquation(key, inputs, readSonicProof(file, curve), randomWeight())),
      equations: (which) => (which === undefined ? equations.flat() : equations[which]!),
    };
  };
  return { name: 'sonic', curve, equation: 'SN-8', form: 'SN-11', digest: named, circuit: hex(circuit), inputs: gates.public, reader };
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
  return digest('snark/groth16/key/v1', join([text(curve.name), le32(IC.length), ...points]));
}

/** 128 random bits. */
const randomWeight = (): bigint => integer(crypto.getRandomValues(new Uint8Array(16)));
