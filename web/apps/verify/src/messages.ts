import type { BundleVerdict, MixFiles, MixVerdict } from 'subrosa-verify';

/** A file of what was dropped, by its path in it. */
export interface Dropped {
  path: string;
  file: Blob;
}

/** What the leading worker is asked. */
export interface Task {
  files: Dropped[];
  mix: MixFiles | undefined;
  ports: MessagePort[];
}

/** What it says. */
export type Answer =
  | { kind: 'progress'; done: number; all: number }
  | { kind: 'bundle'; verdict: BundleVerdict }
  | { kind: 'mix'; verdict: MixVerdict }
  | { kind: 'refused'; check: string; what: string; fault: 'claim' | 'input' }
  | { kind: 'failed'; what: string };
