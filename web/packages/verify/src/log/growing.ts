import { sha256 } from '@noble/hashes/sha2.js';
import { concat } from '../bytes.js';
import { logNode } from '../table/log.js';

/** A tree of RFC 6962 that leaves are added to. */
export class GrowingTree {
  /** How many leaves there are. */
  size = 0;
  /** Roots of the complete subtrees, from left to right. */
  private readonly peaks: Uint8Array[] = [];

  push(data: Uint8Array): void {
    let node: Uint8Array = sha256(concat(Uint8Array.of(0), data));
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2) node = logNode(this.peaks.pop()!, node);
    this.peaks.push(node);
    this.size += 1;
  }

  root(): Uint8Array {
    return this.size === 0 ? sha256(new Uint8Array()) : this.peaks.reduceRight((right, left) => logNode(left, right));
  }
}
