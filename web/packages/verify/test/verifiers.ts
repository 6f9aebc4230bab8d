import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exitCode, verifyBundle } from '../src/bundle.js';
import { verifyMixes, type MixFiles } from '../src/mix.js';
import { here } from '../src/pool.js';
import { Refusal } from '../src/refusal.js';
import type { Case } from './cases.js';
import { directory, type Files } from './vectors.js';

/** An exit code, with what was said and by which check, if something is refused. */
interface Own {
  code: number;
  check?: string | undefined;
  why: string;
}

const fault = (error: unknown): Own => {
  if (!(error instanceof Refusal)) throw error;
  return { code: error.fault === 'claim' ? 1 : 2, check: error.check, why: error.message };
};

async function ofBundle(files: Files): Promise<Own> {
  try {
    const verdict = await verifyBundle(directory(files), here);
    // The other verifier stops at the first claim that is false.
    const wrong = verdict.claims.find(({ status }) => status === 'false') ?? verdict.claims.find(({ status }) => status === 'not checked');
    const { check, what = '' } = wrong?.why ?? {};
    return { code: exitCode(verdict, []), check, why: wrong === undefined ? '' : `${check ?? 'not checked'}: ${what}` };
  } catch (error) {
    return fault(error);
  }
}

async function ofMix(files: MixFiles): Promise<Own> {
  try {
    await verifyMixes(files, here, () => {});
    return { code: 0, why: '' };
  } catch (error) {
    return fault(error);
  }
}

/** The check by which the other verifier refuses, if it says so. */
function theirCheck(stdout: string): string | undefined {
  if (!stdout.startsWith('{')) return undefined;
  const { error } = JSON.parse(stdout) as { error?: { check?: string | null } };
  return error?.check ?? undefined;
}

/** A byte that is no encoding also changes what is hashed or proven. */
const isDecoding = (check: string): boolean => check.startsWith('CV-');

/** What came of comparisons. */
export interface Found {
  compared: number;
  /** How often both refused by one check. */
  same: number;
  /** How often one did when it decoded what the other decodes later, or never. */
  decoded: number;
  checks: Map<string, number>;
  differences: number;
}

/** This verifier, and the programs that it is held against. */
export class Verifiers {
  readonly found: Found = { compared: 0, same: 0, decoded: 0, checks: new Map(), differences: 0 };
  private readonly scratch = mkdtempSync(join(tmpdir(), 'subrosa-compare-'));

  constructor(
    private readonly verifier: string,
    private readonly mixer: string,
  ) {}

  close(): void {
    rmSync(this.scratch, { recursive: true, force: true });
  }

  /** Both verifiers' verdicts about one case. */
  async compare(one: Case): Promise<void> {
    const { name, due } = one;
    let own: Own;
    let other: [command: string, args: string[]];
    if ('files' in one) {
      const files = one.files();
      own = await ofBundle(files);
      other = [this.verifier, [this.writeBundle(files)]];
    } else {
      const files = one.mix();
      own = await ofMix(files);
      other = [this.mixer, this.writeMix(files)];
    }
    this.judge(name, own, ...other);
    const isDue = due === undefined || own.check === due || own.why.startsWith('not checked') || isDecoding(own.check ?? '');
    if (!isDue) this.differs(`${name}: ${own.why} here, where ${due} is due`);
  }

  private write(name: string, bytes: Uint8Array): string {
    const path = join(this.scratch, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    return path;
  }

  private writeBundle(files: Files): string {
    const root = join(this.scratch, 'bundle');
    rmSync(root, { recursive: true, force: true });
    for (const [path, bytes] of files) this.write(join('bundle', path), bytes);
    return root;
  }

  private writeMix(files: MixFiles): string[] {
    const key = this.write('mix/key', files.key);
    const list = this.write('mix/list', files.ciphertexts);
    return ['mix', 'verify', list, '--key', key, ...files.mixes.map((mix, i) => this.write(`mix/${i}.mix`, mix.bytes))];
  }

  /** Says at once what differs. */
  private differs(what: string): void {
    this.found.differences += 1;
    process.stdout.write(`differs: ${what}\n`);
  }

  private judge(name: string, own: Own, command: string, args: string[]): void {
    const { status, stderr, stdout } = spawnSync(command, [...args, '--json'], { encoding: 'utf8' });
    const { found } = this;
    found.compared += 1;
    const check = own.why === '' ? `exit code ${own.code}` : own.why.split(':')[0]!;
    found.checks.set(check, (found.checks.get(check) ?? 0) + 1);
    // What is not checked here may be true or false; nothing that is checked may differ.
    if (check === 'not checked') return;
    const other = theirCheck(stdout);
    if (status !== own.code) this.differs(`${name}: ${own.code} here (${own.why}), ${status} there (${(stderr || stdout).trim().split('\n')[0]})`);
    else if (own.check === undefined || other === undefined) return;
    else if (other === own.check) found.same += 1;
    else if (isDecoding(own.check) || isDecoding(other)) found.decoded += 1;
    else this.differs(`${name}: ${own.why} here, ${other} there: ${stdout.trim().slice(0, 300)}`);
  }
}
