import type { Json, JsonObject } from '../json.js';
import { byFalling, choose } from './choose.js';
import { list, members, notBlank, range, type Count } from './count.js';

/** A vote, in units of 10^-5. */
const ONE = 100_000n;

/** A number with exactly so many places. */
export function decimal(units: bigint, places: number): string {
  const digits = units.toString().padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Equal ballots that came to a candidate at one value. */
interface Parcel {
  picked: number[];
  votes: bigint;
  value: bigint;
}

/** The transferable vote of Scottish local elections. */
export function scottish(count: Count): JsonObject {
  const ballots = notBlank(count);
  const valid = ballots.reduce((sum, { votes }) => sum + votes, 0n);
  const quota = valid / BigInt(count.seats + 1) + 1n;
  const full = quota * ONE;
  const all = range(count.candidates);
  const parcels: Parcel[][] = all.map(() => []);
  const votes: bigint[] = all.map(() => 0n);
  const before: bigint[][] = [];
  const stages: Json[] = [];
  const elected: number[] = [];
  const untransferred = new Set<number>();
  let continuing = all;

  const move = ({ picked, votes: of, value }: Parcel): void => {
    const next = picked.find((c) => continuing.includes(c));
    if (next === undefined) return;
    parcels[next]!.push({ picked, votes: of, value });
    votes[next]! += of * value;
  };
  const elect = (candidates: number[]): number[] => {
    const order = byFalling(candidates, votes);
    for (const c of order) {
      elected.push(c);
      if (votes[c]! > full) untransferred.add(c);
    }
    continuing = continuing.filter((c) => !order.includes(c));
    return order;
  };
  const endStage = (transfer: Json): void => {
    const reached = elect(continuing.filter((c) => votes[c]! >= full));
    const remaining = continuing.length <= count.seats - elected.length ? elect(continuing) : [];
    const exhausted = valid * ONE - votes.reduce((sum, own) => sum + own, 0n);
    stages.push(
      members({ transfer, votes: votes.map((own) => decimal(own, 5)), exhausted: decimal(exhausted, 5), elected: list(reached), remaining: list(remaining) }),
    );
  };
  const transferSurplus = (): void => {
    const { candidate, tie } = choose('most', [...untransferred].sort((a, b) => a - b), votes, before);
    const [own, surplus] = [votes[candidate]!, votes[candidate]! - full];
    before.push([...votes]);
    untransferred.delete(candidate);
    for (const parcel of parcels[candidate]!.splice(0)) move({ ...parcel, value: (surplus * parcel.value) / own });
    votes[candidate] = full;
    endStage(members({ surplus: members({ candidate: BigInt(candidate), surplus: decimal(surplus, 5), tie }) }));
  };
  const exclude = (): void => {
    const { candidate, tie } = choose('fewest', continuing, votes, before);
    before.push([...votes]);
    continuing = continuing.filter((c) => c !== candidate);
    for (const parcel of parcels[candidate]!.splice(0)) move(parcel);
    votes[candidate] = 0n;
    endStage(members({ exclusion: members({ candidate: BigInt(candidate), tie }) }));
  };

  if (valid > 0n) {
    for (const { picked, votes: of } of ballots) move({ picked, votes: of, value: ONE });
    endStage('first_preferences');
    while (elected.length < count.seats) {
      if (untransferred.size > 0) transferSurplus();
      else exclude();
    }
  }
  return members({ valid, quota, stages, elected: list(elected) });
}
