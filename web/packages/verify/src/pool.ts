import { run, type Job, type Outcome } from './kernel.js';

/** Computes jobs, on as many cores as it has. */
export interface Pool {
  /** How many jobs it computes at a time. */
  readonly width: number;
  /** Outcomes in the order of the jobs; `done` is called with each. */
  run(jobs: Job[], done: () => void): Promise<Outcome[]>;
}

/** A pool of this very thread. */
export const here: Pool = {
  width: 1,
  run: (jobs, done) =>
    Promise.resolve(
      jobs.map((job) => {
        const outcome = run(job);
        done();
        return outcome;
      }),
    ),
};

/** A worker of either platform, as far as a pool uses it. */
export interface Port {
  send(message: { id: number; job: Job }): void;
  onMessage(listener: (message: { id: number; outcome: Outcome }) => void): void;
  onError(listener: (error: unknown) => void): void;
}

/** A pool of workers that answer each job with its outcome. */
export function pool(ports: Port[]): Pool {
  return {
    width: ports.length,
    run: (jobs, done) =>
      new Promise((resolve, reject) => {
        const outcomes: Outcome[] = new Array(jobs.length);
        let next = 0;
        let open = jobs.length;
        if (open === 0) return resolve(outcomes);
        const feed = (port: Port): void => {
          if (next < jobs.length) port.send({ id: next, job: jobs[next++]! });
        };
        for (const port of ports) {
          port.onError(reject);
          port.onMessage(({ id, outcome }) => {
            outcomes[id] = outcome;
            done();
            if (--open === 0) resolve(outcomes);
            else feed(port);
          });
          feed(port);
        }
      }),
  };
}
