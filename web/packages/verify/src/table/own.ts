import { unhex } from '../bytes.js';
import { Refusal } from '../refusal.js';
import type { Genesis } from './genesis.js';
import type { UserKeys } from './row.js';

const fail = (what: string): never => {
  throw new Refusal('TB-13', what, 'input');
};

/** Reads the keys that an operator gave a user, as `table keys` writes them. */
export function readUserKeys(source: string): UserKeys {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return fail('the file of keys is not JSON');
  }
  const { user, keys } = (value ?? {}) as { user?: unknown; keys?: unknown };
  const bytes = typeof keys === 'string' ? unhex(keys, 64) : undefined;
  if (typeof user !== 'string' || user === '' || bytes === undefined) return fail('the file has not `user` and `keys`');
  return { user, blinding: bytes.subarray(0, 32), pseudonym: bytes.subarray(32) };
}

/** The code of a type from what a person wrote or chose. */
export function codeOf(type: Genesis['types'][number], written: string): bigint {
  if (type.names !== undefined) {
    const code = type.names.indexOf(written);
    return code < 0 ? fail(`\`${type.name}\` has no value \`${written}\``) : BigInt(code);
  }
  if (type.bytes === 1) return written === 'true' ? 1n : written === 'false' ? 0n : fail(`\`${type.name}\` is true or false`);
  const code = /^[0-9]{1,20}$/.test(written) ? BigInt(written) : type.greatest + 1n;
  return code > type.greatest ? fail(`\`${type.name}\` is a number up to ${type.greatest}`) : code;
}

/** The committed value, an offset from the least one, from a decimal number in units. */
export function offsetOf(value: Genesis['values'][number], written: string): bigint {
  const parts = /^([-−]?)([0-9]{1,20})(?:[.,]([0-9]{1,18}))?$/.exec(written.trim());
  if (parts === null || (parts[3] ?? '').length > value.scale) {
    return fail(`\`${value.name}\` is a number with at most ${value.scale} digits after the point`);
  }
  const steps = BigInt(parts[2]! + (parts[3] ?? '').padEnd(value.scale, '0'));
  const signed = parts[1] === '' ? steps : -steps;
  return signed < value.min || signed > value.max ? fail(`\`${value.name}\` is out of its bounds`) : signed - value.min;
}
