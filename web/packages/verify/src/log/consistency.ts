import { equal } from '../bytes.js';
import { logNode } from '../table/log.js';

/**
 * The roots to which a consistency proof leads (`LG-4`): `first` stands before it also where the older size is a
 * power of two. Undefined if the proof has another length than the shape.
 */
export function foldConsistency(older: bigint, newer: bigint, proof: Uint8Array[]): { older: Uint8Array; newer: Uint8Array } | undefined {
  // Down from the newer root to the subtree that ends where the older log does.
  const sides: ('left' | 'right')[] = [];
  let [size, at] = [newer, older];
  while (at < size) {
    let split = 1n;
    while (2n * split < size) split *= 2n;
    if (at > split) {
      sides.push('left');
      [size, at] = [size - split, at - split];
    } else {
      sides.push('right');
      size = split;
    }
  }
  const [first, ...siblings] = proof;
  if (first === undefined || siblings.length !== sides.length) return undefined;
  let roots = { older: first, newer: first };
  sides.reverse().forEach((side, i) => {
    const sibling = siblings[i]!;
    if (side === 'left') roots = { older: logNode(sibling, roots.older), newer: logNode(sibling, roots.newer) };
    else roots = { older: roots.older, newer: logNode(roots.newer, sibling) };
  });
  return roots;
}

/** A state of a log. */
interface State {
  size: bigint;
  root: Uint8Array;
}

/** `LG-4`: whether a proof shows that a log, which is not empty, became another. */
export function isContinued(older: State, newer: State, proof: Uint8Array[]): boolean {
  if (older.size === 0n || older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && equal(older.root, newer.root);
  const isComplete = (older.size & (older.size - 1n)) === 0n;
  const roots = foldConsistency(older.size, newer.size, isComplete ? [older.root, ...proof] : proof);
  return roots !== undefined && equal(roots.older, older.root) && equal(roots.newer, newer.root);
}
