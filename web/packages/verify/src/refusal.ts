/** Whose fault a refusal is: a claim is false (exit code 1), or the input is not what it should be (2). */
export type Fault = 'claim' | 'input';

/** A check that failed, by the name that the specification gives it. */
export class Refusal extends Error {
  constructor(
    readonly check: string,
    readonly what: string,
    readonly fault: Fault = 'claim',
  ) {
    super(`${check}: ${what}`);
    this.name = 'Refusal';
  }

  /** The same refusal, saying where. */
  within(where: string): Refusal {
    return new Refusal(this.check, `${where}: ${this.what}`, this.fault);
  }

  /** The same refusal, by the check of which this one is a part. */
  by(check: string): Refusal {
    return new Refusal(check, `${this.check}: ${this.what}`, this.fault);
  }

  /** The same refusal, by another's fault. */
  blame(fault: Fault): Refusal {
    return new Refusal(this.check, this.what, fault);
  }
}

/** Something valid that this verifier does not know how to check: neither true nor false (exit code 4). */
export class NotChecked extends Error {
  constructor(readonly what: string) {
    super(what);
    this.name = 'NotChecked';
  }
}

/** Refuses unless `condition` holds. */
export function must(condition: boolean, check: string, what: string): asserts condition {
  if (!condition) throw new Refusal(check, what);
}

/** Runs `body`; whatever it refuses says that it was found `where`. */
export function within<T>(where: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw error instanceof Refusal ? error.within(where) : error;
  }
}

/** Runs `body`; what a check refuses whose name begins as `parts` says is refused by `check`, a part of which it is. */
export function asPartOf<T>(check: string, parts: RegExp, body: () => T): T {
  const renamed = (error: unknown): unknown => (error instanceof Refusal && error.check !== check && parts.test(error.check) ? error.by(check) : error);
  try {
    const value = body();
    return value instanceof Promise ? (value.catch((error: unknown) => Promise.reject(renamed(error))) as T) : value;
  } catch (error) {
    throw renamed(error);
  }
}
