import { equal, hex, Reader } from '../bytes.js';
import { digest } from '../digest.js';
import { Equations } from '../equations.js';
import { object } from '../json.js';
import type { Found, Objects } from '../kinds.js';
import type { Pool } from '../pool.js';
import { asPartOf, must } from '../refusal.js';
import type { Progress } from '../verdict.js';
import { addPowers, addRun, checkColumns, checkPseudonyms, countRows, keyLeaves, readColumn, runsOf } from './epoch.js';
import { orderedColumns, readGenesis } from './genesis.js';
import { hash } from './hash.js';
import { core, epochDigest, readHeader } from './log.js';
import { addMatrix } from './matrix.js';
import { readRollups, rollupRun } from './rollup.js';
import { leafHash } from './tree.js';
import { buildRoot, EMPTY } from './trie.js';

/** From how many statements on a table that wants it proves order by the bit matrix. */
const MATRIX_FROM = 1024;

/** A claim that an epoch's commitments are what answers rest on. */
export async function verifyAudit(objects: Objects, pool: Pool, progress: Progress): Promise<Found> {
  const genesis = readGenesis(objects['genesis']![0]!);
  const header = readWhole(objects['header']![0]!, (reader) => readHeader(reader, genesis));
  const bundle = objects['audit']![0]!;
  const named = hash('audit bundle', digest('subrosa/table/audit', bundle));
  must(equal(named, header.audit), 'TC-1', "the bundle's hash is not the header's");

  const reader = new Reader(bundle);
  const columns = orderedColumns(genesis).map((column, place) => readColumn(reader, genesis, header, column, place));
  const rollups = equal(header.rollups, EMPTY) ? [] : asPartOf('TC-8', /^TA-20$/, () => readRollups(reader, genesis, header));
  checkColumns(genesis, columns);
  must(columns.every(({ keys }) => BigInt(countRows(keys)) === header.rows), 'TC-2', 'not as many rows as the header says');
  columns.forEach((column) => {
    const roots = header.columns[column.place]!;
    must(equal(buildRoot(keyLeaves(genesis, header, column)), roots.keys), 'TC-3', 'the rows do not make the root of keys');
    const rows = column.keys.flatMap((own) => own.rows);
    checkPseudonyms(rows.map(({ pseudonym, leaf }) => ({ pseudonym, leaf: leafHash(leaf) })), roots.pseudonyms, 'TC-3');
  });

  const runs = [...runsOf(genesis, header, columns), ...rollups.map((rollup) => rollupRun(genesis, rollup))];
  const count = runs.reduce((sum, { statements }) => sum + statements.length, 0);
  const isMatrix = genesis.matrix && count >= MATRIX_FROM;
  const equations = new Equations();
  const E = core(genesis, header);
  if (isMatrix) addMatrix(equations, reader, E, runs);
  else for (const run of runs) addRun(equations, reader, E, run);
  const powers = addPowers(equations, reader, genesis, E, columns);
  reader.end();
  await asPartOf('TC-4', /^(TC-[57]|CV-6)$/, () => equations.verify(pool, progress));

  const keys = columns[0]!.keys.length;
  return {
    statement: object({
      table: hex(genesis.name),
      name: genesis.table,
      epoch: BigInt(header.epoch),
      digest: hex(epochDigest(genesis, header)),
      rows: header.rows,
      keys: BigInt(keys),
      rollups: BigInt(rollups.length),
      audited: true,
    }),
    checks: [
      { check: 'TB-1', count: 1, what: 'genesis, which names the table' },
      { check: 'TC-1', count: 1, what: 'bundle of the audit, named by the header' },
      { check: 'TC-2', count: keys, what: 'keys, in all columns the same' },
      { check: 'TC-3', count: Number(header.rows), what: 'rows, each under a pseudonym of its own' },
      { check: 'TC-8', count: rollups.length, what: 'roll-ups, with every row of their regions once' },
      { check: isMatrix ? 'TC-4, TC-7' : 'TC-4, TC-5', count, what: 'bounds of values and of the steps between them' },
      { check: 'TC-6', count: powers, what: 'proofs that powers are powers' },
    ].filter((check) => check.count > 0 || check.check !== 'TC-8'),
    premises: [],
  };
}

/** Reads a value that makes up all bytes. */
export function readWhole<T>(bytes: Uint8Array, read: (reader: Reader) => T): T {
  const reader = new Reader(bytes);
  const value = read(reader);
  reader.end();
  return value;
}
