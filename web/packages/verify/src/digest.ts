import { sha256 } from '@noble/hashes/sha2.js';
import { concat, le64, text } from './bytes.js';

/** The digest of `bytes` in the domain `domain`. */
export const digest = (domain: string, bytes: Uint8Array): Uint8Array =>
  sha256(concat(le64(text(domain).length), text(domain), bytes));
