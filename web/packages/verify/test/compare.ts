// Holds this verifier against another one: verdicts about all vectors, and about mutants of them, and the checks that refuse
// them. Threads take cases in turn, one for each core.
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { casesOf } from './cases.js';
import { Verifiers, type Found } from './verifiers.js';

interface Task {
  verifier: string;
  mixer: string;
  takesAll: boolean;
  pattern: string;
  /** The number of the next case. */
  next: Int32Array;
}

async function work({ verifier, mixer, takesAll, pattern, next }: Task): Promise<Found> {
  const wanted = new RegExp(pattern);
  const cases = casesOf(takesAll).filter(({ name }) => wanted.test(name));
  const verifiers = new Verifiers(verifier, mixer);
  try {
    for (let i = Atomics.add(next, 0, 1); i < cases.length; i = Atomics.add(next, 0, 1)) await verifiers.compare(cases[i]!);
  } finally {
    verifiers.close();
  }
  return verifiers.found;
}

const started = (task: Task): Promise<Found> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: task });
    worker.once('message', resolve);
    worker.once('error', reject);
  });

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean', default: false } } });
  const [verifier, mixer, pattern = ''] = positionals;
  if (verifier === undefined || mixer === undefined) {
    process.stderr.write('usage: node compare.js [--all] SUBROSA-VERIFY SUBROSA [PATTERN OF NAMES]\n');
    process.exit(2);
  }
  execFileSync(verifier, ['--version']);
  const task = { verifier, mixer, takesAll: values.all, pattern, next: new Int32Array(new SharedArrayBuffer(4)) };
  const found = await Promise.all(Array.from({ length: availableParallelism() }, () => started(task)));
  const sum = (of: (one: Found) => number): number => found.reduce((all, one) => all + of(one), 0);
  const names = [...new Set(found.flatMap(({ checks }) => [...checks.keys()]))].sort();
  const counts = names.map((check) => `${check} ${sum(({ checks }) => checks.get(check) ?? 0)}`);
  const [compared, same, decoded] = [sum((one) => one.compared), sum((one) => one.same), sum((one) => one.decoded)];
  process.stdout.write(`${compared} compared, ${same} of them refused by one and the same check, ${decoded} by one or the other when they were decoded: ${counts.join(', ')}\n`);
  process.exitCode = sum(({ differences }) => differences) === 0 ? 0 : 1;
}

if (isMainThread) await main();
else parentPort!.postMessage(await work(workerData as Task));
