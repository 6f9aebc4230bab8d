import { object, type Json } from '../json.js';
import type { Value } from './genesis.js';

const abs = (x: bigint): bigint => (x < 0n ? -x : x);

/** `numerator / denominator` with this many digits after the point, halves away from zero, no sign for zero. */
export function decimal(numerator: bigint, denominator: bigint, digits: number): string {
  const scaled = abs(numerator) * 10n ** BigInt(digits);
  return written(numerator < 0n, (2n * scaled + denominator) / (2n * denominator), digits);
}

function written(isNegative: boolean, steps: bigint, digits: number): string {
  const all = steps.toString().padStart(digits + 1, '0');
  const shown = digits === 0 ? all : `${all.slice(0, -digits)}.${all.slice(-digits)}`;
  return isNegative && steps !== 0n ? `-${shown}` : shown;
}

/** The greatest integer whose square is at most `x`. */
function squareRoot(x: bigint): bigint {
  if (x < 2n) return x;
  let guess = 1n << BigInt(Math.ceil(x.toString(2).length / 2));
  for (;;) {
    const better = (guess + x / guess) >> 1n;
    if (better >= guess) return guess;
    guess = better;
  }
}

const unit = (value: Value): bigint => 10n ** BigInt(value.scale);

/** A committed value, in units. */
export const shown = (value: Value, offset: bigint): string => decimal(offset + value.min, unit(value), value.scale);

/** The mean of a sum of offsets, in units. */
export const mean = (value: Value, rows: bigint, sum: bigint): string =>
  decimal(sum + rows * value.min, rows * unit(value), value.scale + 4);

/** A sum of offsets, in units. */
export const total = (value: Value, rows: bigint, sum: bigint): string =>
  decimal(sum + rows * value.min, unit(value), value.scale);

function variance(value: Value, n: bigint, [V1, V2]: bigint[]): Json {
  if (n < 2n) return null;
  return decimal(n * V2! - V1! * V1!, n * (n - 1n) * unit(value) ** 2n, value.scale + 4);
}

/** `a / d^{3/2}` to 6 digits: of twice that the integer part decides on which side of a half it is. */
function skewness(n: bigint, [V1, V2, V3]: bigint[]): Json {
  const d = n * V2! - V1! * V1!;
  if (d === 0n) return null;
  const a = n * n * V3! - 3n * n * V1! * V2! + 2n * V1! ** 3n;
  const doubled = squareRoot((4n * a * a * 10n ** 12n) / d ** 3n);
  return written(a < 0n, (doubled + 1n) / 2n, 6);
}

/** Count, sum, mean, and as many further moments as there are sums of powers. */
export function momentsStatement(value: Value, rows: number, sums: bigint[]): Json {
  const n = BigInt(rows);
  const out: Record<string, Json> = {
    count: n,
    sum: total(value, n, sums[0]!),
    mean: n === 0n ? null : mean(value, n, sums[0]!),
  };
  if (sums.length >= 2) out['variance'] = variance(value, n, sums);
  if (sums.length >= 3) out['skewness'] = n === 0n ? null : skewness(n, sums);
  return object(out);
}
