import { hex, text, unhex } from '../bytes.js';
import { digest } from '../digest.js';
import { decodeKey, isGenuineIn } from '../ed25519.js';
import { compact, object, parseAny, type Json } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import type { Pool } from '../pool.js';
import { must } from '../refusal.js';
import type { Progress } from '../verdict.js';
import type { Circuit, Port } from './builder.js';
import { readCircuit } from './circuit.js';

const DOMAIN = 'subrosa/vole/verdict';
const NOTICE = 'not publicly verifiable: a proof convinced the signer, who could sign without one';
const REACH = 2n ** 59n;
const PARAMETERS = ['no-lpn/1', 'dual-21x24-t512/1', 'dual-7x24-t512/1'];
/** How often a session is held for a soundness. */
const SESSIONS: Record<string, number> = { 57: 1, 80: 2, 100: 2 };

/** Generators of the converters, with degrees of their claims. */
const GENERATORS: Record<string, { name: string; b: number; v: number; T: number }> = {
  xor8maj7: { name: 'x8m7-2048-18/1', b: 4, v: 15, T: 97 },
  xor4maj7: { name: 'paper-x4m7-1024-20/1', b: 4, v: 11, T: 69 },
  tspa: { name: 'paper-tspa-4096/1', b: 2, v: 3, T: 136 },
};

/** A claim that somebody signed that a proof convinced it. */
export async function verifyVerdict(objects: Objects, _: Pool, __: Progress, statement: Json): Promise<Found> {
  const [circuitBytes, publicBytes, signature] = ['circuit', 'public', 'signature'].map((role) => objects[role]![0]!) as [Uint8Array, Uint8Array, Uint8Array];
  const circuit = readCircuit(circuitBytes);
  const known = readPublic(publicBytes, circuit);
  const stated = readStatement(statement);
  const outputs = readOutputs(stated.outputs, circuit, known);
  const computed = object({
    ...stated.chosen,
    outputs,
    notice: NOTICE,
    publicly_verifiable: false,
    gates: BigInt(circuit.gates),
    soundness_bits: BigInt(soundnessBits(circuit, known, stated)),
    assumptions: assumptions(circuit, known, stated),
  });
  const file = (bytes: Uint8Array): string => hex(digest('subrosa/bundle/file', bytes));
  const signed = text(compact([file(circuitBytes), file(publicBytes), computed]));
  const key = unhex(stated.verifier, 32)!;
  must(compact(computed) === compact(statement), 'VV-4', 'the statement is not what circuit, public values and the signer’s choices make');
  must(isGenuineIn(DOMAIN, key, signed, signature), 'VV-5', "the verifier's signature");
  return {
    statement: computed,
    checks: [
      { check: 'VV-1', count: circuit.gates, what: 'gates of the circuit' },
      { check: 'VV-2, VV-3', count: known.size + circuit.outputs.size, what: 'public values and outputs that fit the circuit' },
      { check: 'VV-4, VV-5', count: 1, what: 'verdict, signed; the proof itself cannot be checked by anybody else' },
    ],
    premises: [`word:${stated.verifier}`],
  };
}

/** Values of a port: as many as it has wires. */
function valuesOf(value: Json, { kind, count, width }: Port, what: string): bigint[] {
  if (kind === 'bits') return bitsOf(value, count, what);
  const list = typeof value === 'bigint' ? [value] : value;
  must(Array.isArray(list) && list.length === count, 'VV-2', `${what} has not ${count} values`);
  // An input of w bits is below 2^(w-1) and not below its negative; an output has what an integer may have.
  const bound = width === undefined ? REACH : 2n ** BigInt(width - 1);
  return list.map((item) => {
    must(typeof item === 'bigint' && item >= -bound && item < bound, 'VV-2', `a value of ${what} is out of its bounds`);
    return item;
  });
}

function bitsOf(value: Json, count: number, what: string): bigint[] {
  if (Array.isArray(value)) {
    must(value.length === count && value.every((bit) => bit === 0n || bit === 1n), 'VV-2', `${what} has not ${count} bits`);
    return value as bigint[];
  }
  const isHex = typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value);
  must(isHex || typeof value === 'bigint', 'VV-2', `${what} is neither a number nor bits`);
  const number = BigInt(value as string | bigint);
  // The digits of a text are more than none, so it has at least one bit.
  must(number >= 0n && number < 2n ** BigInt(count) && (count > 0 || !isHex), 'VV-2', `${what} has not ${count} bits`);
  return Array.from({ length: count }, (_, i) => (number >> BigInt(i)) & 1n);
}

/** `VV-2`. */
function readPublic(bytes: Uint8Array, circuit: Circuit): Map<string, bigint[]> {
  const value = parseAny(bytes, 'VV-2');
  must(value instanceof Map, 'VV-2', 'the public values are no object');
  return new Map(
    [...value].map(([name, own]) => {
      const port = circuit.inputs.get(name) ?? circuit.outputs.get(name);
      must(port !== undefined, 'VV-2', `the circuit has no input or output \`${name}\``);
      return [name, valuesOf(own, port, `\`${name}\``)];
    }),
  );
}

/** `VV-3`, in the form of the statement. */
function readOutputs(value: Json, { outputs }: Circuit, known: Map<string, bigint[]>): Json {
  must(value instanceof Map && value.size === outputs.size, 'VV-3', 'not the outputs of the circuit');
  const shown: Record<string, Json> = {};
  for (const [name, port] of outputs) {
    const own = value.get(name);
    must(own !== undefined, 'VV-3', `the output \`${name}\` is missing`);
    const { kind, count } = port;
    const list = kind === 'bits' ? bitsOf(own, count, name) : Array.isArray(own) ? own : [own];
    must(list.length === count && list.every((item) => typeof item === 'bigint'), 'VV-3', `the output \`${name}\` has not ${count} values`);
    const claimed = known.get(name);
    must(claimed === undefined || claimed.every((x, i) => x === list[i]), 'VV-3', `the output \`${name}\` is not the public one`);
    shown[name] = written(list as bigint[], kind);
  }
  return object(shown);
}

/** An output as statements write it. */
function written(list: bigint[], kind: Port['kind']): Json {
  if (kind === 'integers') return list.length === 1 ? list[0]! : list;
  const number = list.reduceRight((x, bit) => 2n * x + bit, 0n);
  const digits = Math.ceil(list.length / 4);
  return digits === 0 ? '0x' : `0x${number.toString(16).padStart(digits, '0')}`;
}

/** What the signer chose. */
interface Stated {
  verifier: string;
  outputs: Json;
  parameters: string;
  converter: string;
  soundness: string;
  chosen: Record<string, Json>;
}

const isHexText = (value: Json | undefined, least: number, most: number): value is string =>
  typeof value === 'string' && /^[0-9a-f]*$/.test(value) && value.length >= least && value.length <= most && value.length % 2 === 0;

/** Members that the signer chooses (`VV-4`). */
function readStatement(statement: Json): Stated {
  must(statement instanceof Map, 'VV-4', 'the statement is no object');
  const get = (name: string): Json | undefined => statement.get(name);
  const key = (name: string): string => {
    const value = get(name);
    const bytes = typeof value === 'string' ? unhex(value, 32) : undefined;
    must(bytes !== undefined && decodeKey(bytes) !== undefined, 'VV-4', `\`${name}\` is no Ed25519 key`);
    return value as string;
  };
  const oneOf = (name: string, list: string[]): string => {
    const value = get(name);
    must(typeof value === 'string' && list.includes(value), 'VV-4', `\`${name}\``);
    return value;
  };
  const verifier = key('verifier');
  const [session, time, nonce, subject] = ['session', 'time', 'nonce', 'subject'].map(get);
  must(isHexText(session, 64, 64), 'VV-4', '`session` is not 64 hexadecimal digits');
  must(typeof time === 'bigint' && time >= 0n, 'VV-4', '`time` is no number of seconds');
  must(nonce === null || isHexText(nonce, 2, 128), 'VV-4', '`nonce` is not hexadecimal');
  must(statement.has('prover') !== statement.has('subject'), 'VV-4', 'not exactly one of `prover` and `subject`');
  if (subject !== undefined) {
    const length = typeof subject === 'string' ? [...subject].length : 0;
    must(length >= 1 && length <= 200 && !/\p{Cc}/u.test(subject as string), 'VV-4', '`subject`');
  }
  const whose: Record<string, Json> = subject === undefined ? { prover: key('prover') } : { subject };
  const parameters = oneOf('parameters', PARAMETERS);
  const converters = Object.keys(GENERATORS).flatMap((name) => [1, 2].map((v) => `cheddabits-v${v}-${name}`));
  const converter = oneOf('converter', ['edabits', ...converters]);
  const soundness = oneOf('soundness', Object.keys(SESSIONS));
  const outputs = get('outputs') ?? null;
  return { verifier, outputs, parameters, converter, soundness, chosen: { verifier, session, time, nonce, ...whose, parameters, converter, soundness } };
}

/** Whether the prover takes integers apart into bits. */
const takesApart = (circuit: Circuit, known: Map<string, bigint[]>): boolean =>
  circuit.takesApart || [...circuit.inputs].some(([name, { kind, count }]) => kind === 'integers' && count > 0 && !known.has(name));

const generatorOf = (converter: string): (typeof GENERATORS)[string] | undefined => GENERATORS[converter.split('-')[2] ?? ''];

function soundnessBits(circuit: Circuit, known: Map<string, bigint[]>, { converter, soundness }: Stated): number {
  let [D, b, v] = [0, 2, circuit.hasIntegers ? 2 : 0];
  if (takesApart(circuit, known)) {
    const generator = generatorOf(converter);
    if (generator === undefined) [D, b, v] = [2 ** -60 + 2 ** -64, 2, 16];
    else {
      const isSecond = converter.startsWith('cheddabits-v2');
      [D, b, v] = [2 ** -64, Math.max(2, generator.b), Math.max(2, generator.v, isSecond ? 2 * generator.T + 1 : 0)];
    }
  }
  const degree = (d: number, field: number): number => (d === 0 ? 0 : (d + 1) / field);
  const e = D + 2 ** -90 + 2 ** -80 + degree(b, 2 ** 63) + degree(v, 2 ** 61 - 1);
  const checks = Math.floor(circuit.gates / 2 ** 21) + 1;
  return Math.floor(SESSIONS[soundness]! * (-Math.log2(e) - Math.log2(checks)));
}

function assumptions(circuit: Circuit, known: Map<string, bigint[]>, { parameters, converter }: Stated): Json {
  const generator = takesApart(circuit, known) ? generatorOf(converter) : undefined;
  return [
    'gap-CDH on ristretto255, BLAKE3 as a random oracle',
    'AES-128 as a pseudo-random permutation and a circular correlation-robust hash',
    ...(parameters === 'no-lpn/1' ? [] : [`dual LPN with regular noise, ${parameters} (large statements only)`]),
    ...(generator === undefined ? [] : [`${generator.name} as a pseudo-random generator, of which no cryptanalysis is published`]),
  ];
}
