import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { exitCode, isShown, openQuestions, verifyBundle } from './bundle.js';
import { compact, object, type Json } from './json.js';
import { verifyMixes, type MixVerdict } from './mix.js';
import { folder, withPool } from './node.js';
import { Refusal } from './refusal.js';
import type { BundleVerdict, Check, ClaimVerdict } from './verdict.js';

const USAGE = `Check a bundle, offline, by a program that shares no code with the one that made it.

Usage: subrosa-verify [OPTIONS] <BUNDLE>
       subrosa-verify mix [--json] --key <KEY> <CIPHERTEXTS> <MIX>...

Arguments:
  <BUNDLE>            the directory that holds \`bundle.json\`

Options:
  --expect <DIGEST>   the bundle's digest as it was published elsewhere; refuses any other bundle
  --expect-board <DIGEST>  the board that every claim has to be about
  --accept <PREMISE>  accept on your own responsibility what a claim rests on and the bundle does not show;
                      copy the name from the verdict; may be given several times
  --json              print one JSON object for machines
  -h, --help          print help

Exit codes: 0 every claim holds, 1 a claim is false, 2 the command or its input is wrong, 4 nothing is
wrong, but something is not checked, or rests on what the bundle does not show.
`;

/** The command or its input is wrong. */
class Usage extends Error {}

interface Printed {
  code: number;
  json: Json;
  text: string;
}

const checkLine = ({ check, count, what }: Check): string => `  ${String(count).padStart(7)}  ${what} (${check})`;
const checkJson = ({ check, count, what }: Check): Json => object({ check, count: BigInt(count), what });

function claimText(claim: ClaimVerdict, verdict: BundleVerdict): string {
  if (claim.status === 'not checked') return `The claim of ${claim.claim} is not checked: ${claim.why!.what}.\n`;
  if (claim.status === 'false') return `The claim of ${claim.claim} is false, by ${claim.why!.check}: ${claim.why!.what}.\n`;
  const members = claim.statement instanceof Map ? [...claim.statement] : [];
  return [
    ...claim.checks.map(checkLine),
    `The claim of ${claim.claim} holds:`,
    ...members.map(([name, value]) => `  ${name}: ${typeof value === 'string' ? value : compact(value)}`),
    ...claim.premises.map((premise) => `It rests on \`${premise}\`, which ${isShown(verdict, claim, premise) ? 'another claim here' : 'no bundle'} shows.`),
    '',
  ].join('\n');
}

function claimJson(claim: ClaimVerdict): Json {
  return object({
    claim: claim.claim,
    kind: claim.kind,
    version: BigInt(claim.version),
    status: claim.status,
    statement: claim.statement,
    checks: claim.checks.map(checkJson),
    premises: claim.premises,
    ...(claim.why === undefined ? {} : { why: object({ ...claim.why }) }),
  });
}

function printBundle(verdict: BundleVerdict, accepted: string[]): Printed {
  const code = exitCode(verdict, accepted);
  const open = openQuestions(verdict, accepted);
  return {
    code,
    json: object({
      bundle: verdict.bundle,
      claims: verdict.claims.map(claimJson),
      established: code === 0,
      open,
      verified: code !== 1,
    }),
    text: [
      `  ${String(verdict.files).padStart(7)}  files with the digests in the manifest (CB-5)`,
      ...verdict.claims.map((claim) => claimText(claim, verdict)),
      `bundle ${verdict.bundle}`,
      ...open.map((what) => `not established: ${what}`),
      '',
    ].join('\n'),
  };
}

function printMix(verdict: MixVerdict): Printed {
  return {
    code: 0,
    json: object({
      verified: true,
      study: verdict.study,
      mix: verdict.mix,
      rows: BigInt(verdict.rows),
      columns: BigInt(verdict.columns),
      mixers: verdict.mixers.map(BigInt),
      checks: verdict.checks.map(checkJson),
    }),
    text: [
      ...verdict.checks.map(checkLine),
      `mix \`${verdict.mix}\` of \`${verdict.study}\`, by the mixers ${verdict.mixers.join(', ')}`,
      "The last mixer's output holds the messages of the ciphertexts.",
      '',
    ].join('\n'),
  };
}

/** Whether every claim is about the board that is expected. */
function isAbout(claim: ClaimVerdict, board: string): boolean {
  if (!(claim.statement instanceof Map)) return false;
  return (claim.statement.get('board') ?? claim.statement.get('election')) === board;
}

async function bundle(path: string, options: { expect?: string; board?: string; accept: string[] }): Promise<Printed> {
  const verdict = await withPool((pool) => verifyBundle(folder(path), pool, progress));
  if (options.expect !== undefined && options.expect !== verdict.bundle) {
    throw new Refusal('CB-12', `this bundle is ${verdict.bundle}, not the expected one`);
  }
  const board = options.board;
  if (board !== undefined && !verdict.claims.every((claim) => isAbout(claim, board))) {
    throw new Refusal('CB-12', 'a claim is not about the expected board');
  }
  return printBundle(verdict, options.accept);
}

async function mix(key: string | undefined, [ciphertexts, ...mixes]: string[]): Promise<Printed> {
  if (key === undefined || ciphertexts === undefined || mixes.length === 0) {
    throw new Usage('name --key, the ciphertexts, and the mixes in the order of their turns');
  }
  const files = {
    key: new Uint8Array(await readFile(key)),
    ciphertexts: new Uint8Array(await readFile(ciphertexts)),
    mixes: await Promise.all(mixes.map(async (path) => ({ name: basename(path), bytes: new Uint8Array(await readFile(path)) }))),
  };
  return printMix(await withPool((pool) => verifyMixes(files, pool, progress)));
}

function progress(done: number, all: number): void {
  if (process.stderr.isTTY && all > 4) process.stderr.write(done < all ? `\r${done} of ${all} ` : '\r            \r');
}

/** Runs the program; gives its exit code. */
export async function main(args: string[]): Promise<number> {
  const isJson = args.includes('--json');
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        accept: { type: 'string', multiple: true, default: [] },
        expect: { type: 'string' },
        'expect-board': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        json: { type: 'boolean' },
        key: { type: 'string' },
      },
    });
    if (values.help === true) {
      process.stdout.write(USAGE);
      return 0;
    }
    const [first, ...rest] = positionals;
    if (first === undefined || (first !== 'mix' && rest.length > 0)) throw new Usage('name the directory that holds bundle.json');
    const options = {
      accept: values.accept,
      ...(values.expect === undefined ? {} : { expect: values.expect }),
      ...(values['expect-board'] === undefined ? {} : { board: values['expect-board'] }),
    };
    const printed = first === 'mix' ? await mix(values.key, rest) : await bundle(first, options);
    process.stdout.write(isJson ? `${compact(printed.json)}\n` : printed.text);
    return printed.code;
  } catch (error) {
    return fail(error, isJson);
  }
}

const isInput = (error: unknown): error is Error =>
  error instanceof Usage || (error instanceof Error && ('syscall' in error || ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))));

function fail(error: unknown, isJson: boolean): number {
  const isRefused = error instanceof Refusal && error.fault === 'claim';
  if (!(error instanceof Refusal) && !isInput(error)) throw error;
  const message = error instanceof Error ? error.message : String(error);
  const about = { kind: isRefused ? 'refused' : 'input', message };
  const check = error instanceof Refusal ? { check: error.check } : {};
  if (isJson) process.stdout.write(`${compact(object({ error: object({ ...about, ...check }) }))}\n`);
  else process.stderr.write(`${isRefused ? 'refused' : 'error'}: ${message}\n`);
  return isRefused ? 1 : 2;
}
