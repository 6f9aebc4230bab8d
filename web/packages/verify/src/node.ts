import { readdir, readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Directory } from './bundle.js';
import { isSmall } from './kernel.js';
import { here, pool, type Pool, type Port } from './pool.js';
import { Refusal } from './refusal.js';

/** A directory of the file system. */
export function folder(root: string): Directory {
  const walk = async (path: string): Promise<{ path: string; size: number }[]> => {
    const entries = await readdir(join(root, path), { withFileTypes: true, encoding: 'buffer' });
    const found: { path: string; size: number }[] = [];
    for (const entry of entries) {
      const name = nameOf(entry.name);
      const inside = path === '' ? name : `${path}/${name}`;
      if (entry.isDirectory()) found.push(...(await walk(inside)));
      else if (entry.isFile()) found.push({ path: inside, size: (await stat(join(root, inside))).size });
      else throw new Refusal(inside === 'bundle.json' ? 'CB-1' : 'CB-4', `\`${inside}\` is neither a plain file nor a folder`);
    }
    return found;
  };
  return {
    list: () => walk(''),
    read: async (path) => new Uint8Array(await readFile(join(root, path))),
  };
}

function nameOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal('CB-4', 'the name of a file is not UTF-8');
  }
}

/** Runs `body` with a pool of one worker for each core, started when there is much to do, and ended with it. */
export async function withPool<T>(body: (pool: Pool) => Promise<T>): Promise<T> {
  const width = availableParallelism();
  let workers: Worker[] = [];
  const lazy: Pool = {
    width,
    run: (jobs, done) => {
      if (isSmall(jobs)) return here.run(jobs, done);
      if (workers.length === 0) {
        workers = Array.from({ length: width }, () => new Worker(new URL('./worker.js', import.meta.url)));
      }
      return pool(workers.map(port)).run(jobs, done);
    },
  };
  try {
    return await body(lazy);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

const port = (worker: Worker): Port => ({
  send: (message) => worker.postMessage(message),
  onMessage: (listener) => {
    worker.removeAllListeners('message').on('message', listener);
  },
  onError: (listener) => {
    worker.removeAllListeners('error').on('error', listener);
  },
});
