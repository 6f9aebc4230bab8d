import { here, isSmall, pool, Refusal, run, verifyBundle, verifyMixes, type Directory, type Job, type Pool, type Port } from 'subrosa-verify';
import type { Answer, Task } from './messages.js';

// One script for all workers: the first message says whether it computes jobs or leads a verification.
self.onmessage = ({ data }: MessageEvent<{ kernel: MessagePort } | Task>): void => {
  if ('kernel' in data) {
    data.kernel.onmessage = (event: MessageEvent<{ id: number; job: Job }>) => {
      data.kernel.postMessage({ id: event.data.id, outcome: run(event.data.job) });
    };
  } else {
    void lead(data);
  }
};

const tell = (answer: Answer): void => self.postMessage(answer);

async function lead(task: Task): Promise<void> {
  const workers = pool(task.ports.map(portOf));
  const kernels: Pool = {
    width: workers.width,
    run: (jobs, done) => (isSmall(jobs) ? here : workers).run(jobs, done),
  };
  const progress = (done: number, all: number): void => tell({ kind: 'progress', done, all });
  try {
    if (task.mix !== undefined) tell({ kind: 'mix', verdict: await verifyMixes(task.mix, kernels, progress) });
    else tell({ kind: 'bundle', verdict: await verifyBundle(directory(task.files), kernels, progress) });
  } catch (error) {
    if (error instanceof Refusal) tell({ kind: 'refused', check: error.check, what: error.what, fault: error.fault });
    else tell({ kind: 'failed', what: String(error) });
  }
}

const directory = (files: { path: string; file: Blob }[]): Directory => {
  const known = new Map(files.map(({ path, file }) => [path, file]));
  return {
    list: () => Promise.resolve(files.map(({ path, file }) => ({ path, size: file.size }))),
    read: async (path) => new Uint8Array(await known.get(path)!.arrayBuffer()),
  };
};

const portOf = (port: MessagePort): Port => ({
  send: (message) => port.postMessage(message),
  onMessage: (listener) => {
    port.onmessage = ({ data }) => listener(data);
  },
  onError: (listener) => {
    port.onmessageerror = listener;
  },
});
