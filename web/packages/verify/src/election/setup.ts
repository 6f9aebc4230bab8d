import { hex, Reader } from '../bytes.js';
import { readKey } from '../ed25519.js';
import { must, NotChecked } from '../refusal.js';
import { DatedElection } from './dated.js';
import { readDescription } from './description.js';
import { Election } from './election.js';
import { ROLES, type Party, type Role } from './messages.js';
import type { Board } from './board.js';
import type { Pool } from '../pool.js';
import type { Progress } from '../verdict.js';

/** The election that the first entry sets up: `EL-1`, `EL-2`, `EL-26`. */
export function setUp({ name, entries }: Board, pool: Pool, progress: Progress): Election {
  const [first] = entries;
  must(first !== undefined && /^election\/setup(\/2)?$/.test(first.kind), 'EL-14', 'the first entry sets up no election');
  const isDated = first.kind === 'election/setup/2';
  must(!isDated || first.leaf !== undefined, 'EL-26', 'an election with times stands on a log');
  const reader = new Reader(first.payload);
  const description = readDescription(reader);
  const parties = readParties(reader);
  reader.end();
  must((description.schedule !== undefined) === isDated, 'EL-26', 'times where there are none, or none where they are due');
  const count = (role: Role): number => [...parties.values()].filter((party) => party.role === role).length;
  must(count('operator') === 1, 'EL-2', 'there is not one operator');
  must(count('trustee') === description.trustees && count('mixer') === description.mixers, 'EL-2', 'not as many trustees and mixers as the description says');
  must(parties.get(hex(first.author))?.role === 'operator', 'EL-2', 'the author of the first entry is not the operator');
  if (description.parameters !== undefined) throw new NotChecked('this verifier does not check elections with the shuffle tFLSZ');
  return isDated ? new DatedElection(first, name, description, parties, pool, progress) : new Election(name, description, parties, pool, progress);
}

function readParties(reader: Reader): Map<string, Party> {
  const parties = new Map<string, Party>();
  for (const role of ROLES) {
    const count = reader.limited(reader.u16(), 255, `keys of a ${role}`);
    for (let number = 1; number <= count; number++) {
      const key = hex(readKey(reader));
      must(!parties.has(key), 'EL-2', 'two parties have one key');
      parties.set(key, { role, number });
    }
  }
  return parties;
}
