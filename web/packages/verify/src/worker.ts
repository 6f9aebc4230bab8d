import { parentPort } from 'node:worker_threads';
import { run, type Job } from './kernel.js';

// A worker of Node: answers each job with its outcome.
parentPort?.on('message', ({ id, job }: { id: number; job: Job }) => {
  parentPort?.postMessage({ id, outcome: run(job) });
});
