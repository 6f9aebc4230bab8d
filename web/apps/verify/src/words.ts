import { compact, type ClaimVerdict, type Json } from 'subrosa-verify';
import { ceremonyInWords } from './ceremony.js';
import { electionInWords } from './election.js';
import { inquiryInWords } from './inquiry.js';

const member = (value: Json | undefined, name: string): Json | undefined =>
  value instanceof Map ? value.get(name) : undefined;

const word = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '?' : compact(value);

/** A group of rows, as a box of the question names it. */
function group(box: Json): string {
  if (!(box instanceof Map)) return word(box);
  const parts = [...box]
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      if (!Array.isArray(value)) return `${name} ${word(value)}`;
      return typeof value[0] === 'string' ? `${name} ${value.map(word).join(' or ')}` : `${name} ${value.map(word).join(' to ')}`;
    });
  return parts.length === 0 ? 'all rows' : parts.join(', ');
}

function groups(statement: Json): string {
  const keys = member(statement, 'keys');
  if (!Array.isArray(keys)) return 'all rows';
  const all = keys.map(group);
  return all.length > 3 ? `${all.length} groups` : all.join('; or ');
}

function epochs(statement: Json): string {
  const both = member(statement, 'epochs');
  if (!Array.isArray(both)) return '';
  return both[0] === both[1] ? `epoch ${word(both[0])}` : `epochs ${word(both[0])} to ${word(both[1])}`;
}

const STATISTICS: Record<string, string> = {
  min: 'least value',
  max: 'greatest value',
  'quantile 1/2': 'median',
};

const WITHHELD: Record<string, string> = {
  small: 'because it is about too few rows',
  'to protect another': 'because another answer and this one together would tell of too few rows',
  'small parts': 'because it would show how few rows of a group stand where',
};

const OFFENCES: Record<string, string> = {
  omission: 'signed a receipt for a row, and left the row out of its epoch',
  alteration: 'signed a receipt for a row, and entered another one',
  withholding: 'signed a receipt for a row, and did not close the epoch in time',
  'two roots': 'signed two different logs of one size',
  fork: 'signed a log that does not continue what it signed before',
  'two successors': 'handed its key over twice',
  'retired key': 'signed with a key that it had handed over',
};

const SYSTEMS: Record<string, string> = { groth16: 'Groth16', gm17: 'GM17', sonic: 'Sonic' };

function proofs(statement: Json): string {
  const list = member(statement, 'public');
  const all = Array.isArray(list) ? list : [];
  const system = word(member(statement, 'system'));
  const about = `${SYSTEMS[system] ?? system} on ${word(member(statement, 'curve'))}, under the key ${word(member(statement, 'key')).slice(0, 12)}…`;
  if (all.length !== 1) return `${all.length} proofs of ${about} hold, each for its public inputs.`;
  const names = member(statement, 'names');
  const inputs = Array.isArray(all[0]) ? all[0] : [];
  const named = inputs.slice(0, 4).map((x, i) => (Array.isArray(names) ? `${word(names[i])} = ${word(x)}` : word(x)));
  const rest = inputs.length > 4 ? ` and ${inputs.length - 4} more` : '';
  return `A proof of ${about} holds. Public inputs: ${named.length === 0 ? 'none' : named.join(', ')}${rest}.`;
}

function verdict(statement: Json): string {
  const at = (name: string): string => word(member(statement, name));
  const whom = member(statement, 'subject') === undefined ? `the holder of the key ${at('prover').slice(0, 12)}…` : `“${at('subject')}”`;
  const date = new Date(1000 * Number(at('time')));
  const when = Number.isNaN(date.getTime()) ? `second ${at('time')} since 1970` : date.toISOString().slice(0, 10);
  const outputs = membersOf(member(statement, 'outputs') ?? null).map(([name, value]) => `${name} = ${value}`);
  return `On ${when} the holder of the key ${at('verifier').slice(0, 12)}… signed that ${whom} had proven to it that a circuit gives ${outputs.join(', ') || 'no output'}. Nobody else can check that proof.`;
}

function outcome(statement: Json): string {
  const found = member(statement, 'outcome');
  const unit = word(member(statement, 'unit'));
  const statistic = word(member(statement, 'statistic'));
  const count = word(member(found, 'count'));
  const value = member(found, 'value');
  const withheld = member(found, 'withheld');
  if (withheld !== undefined) return `the answer is withheld, ${WITHHELD[word(withheld)] ?? word(withheld)}, as the table’s rule says that it must be`;
  if (value !== undefined) return `the ${STATISTICS[statistic] ?? statistic} of ${count} rows is ${word(value)} ${unit}`;
  const sum = member(found, 'sum');
  if (Array.isArray(sum)) return `${count} rows have a sum between ${word(sum[0])} and ${word(sum[1])} ${unit}`;
  if (sum !== undefined) return `${count} rows have a sum of ${word(sum)} ${unit} and a mean of ${word(member(found, 'mean'))} ${unit}`;
  const top = member(found, 'top');
  if (top !== undefined) {
    return `the ${statistic} of ${count} rows, those above ${word(member(found, 'threshold'))} ${unit}, have a mean of ${word(member(top, 'mean'))} ${unit}`;
  }
  const parts = member(found, 'parts');
  if (Array.isArray(parts)) return `a histogram with ${parts.length} parts`;
  return count === '0' ? 'there are no rows' : word(found);
}

/** What a claim says, in a sentence. */
export function inWords({ kind, statement, status }: ClaimVerdict): string {
  // Of what was not checked nothing is known, not even that it has the members of its kind.
  if (status !== 'holds') return `A claim of the kind “${kind}”.`;
  const at = (name: string): string => word(member(statement, name));
  switch (kind) {
    case 'table-lookup':
      return `A row stands in epoch ${at('epoch')} of the table “${at('name')}”, column ${at('column')}, under the pseudonym ${at('pseudonym').slice(0, 12)}….`;
    case 'table-absence':
      return `No row of the pseudonym ${at('pseudonym').slice(0, 12)}… stands in epoch ${at('epoch')} of the table “${at('name')}”, column ${at('column')}.`;
    case 'table-answer':
      return `In the table “${at('name')}”, ${epochs(statement)}, ${at('column')} of ${groups(statement)}: ${outcome(statement)}.`;
    case 'table-audit':
      return `Epoch ${at('epoch')} of the table “${at('name')}” has ${at('rows')} rows in ${at('keys')} groups. Every value is within its bounds, rows are sorted, and every user is there once.`;
    case 'table-audit-part':
      return `Of epoch ${at('epoch')} of the table “${at('name')}”, a part was checked: ${quoted(at('part'))}.`;
    case 'table-evidence':
      return `The operator of the table “${at('name')}” cheated: it ${OFFENCES[at('offence')] ?? at('offence')}.`;
    case 'election':
      return electionInWords(statement);
    case 'election-trace':
      return inquiryInWords(statement);
    case 'ceremony':
      return ceremonyInWords(statement);
    case 'snark-proof':
      return proofs(statement);
    case 'vole-verdict':
      return verdict(statement);
    default:
      return `A claim of the kind “${kind}”.`;
  }
}

/** What a claim rests on, in words. */
export function premiseInWords(premise: string): string {
  const [name, digest = ''] = premise.split(':');
  const about = `${digest.slice(0, 12)}…`;
  switch (name) {
    case 'unaudited':
      return 'No auditor vouched for these epochs: that values are within their bounds, and were entered as they were handed in, is the operator’s word.';
    case 'key':
      return `Nothing here shows where the key ${about} comes from. Whoever knows its secrets can prove what is false.`;
    case 'parameters':
      return `That one of the contributors to the file ${about} forgot their secret, nothing can show. Compare their hashes with those that they published: anybody can invent contributors.`;
    case 'word':
      return `This is worth as much as the word of the holder of the key ${about}.`;
    default:
      return premise;
  }
}

/** What a claim rests on and another one of the bundle shows, in words. */
export const shownInWords = (premise: string): string =>
  `Where the ${premise.split(':')[0]!} ${(premise.split(':')[1] ?? '').slice(0, 12)}… comes from, another claim of this bundle shows.`;

/** The members of a statement, as text. */
export const membersOf = (statement: Json): [string, string][] =>
  statement instanceof Map ? [...statement].map(([name, value]) => [name, word(value)]) : [];

/** Names in the marks of prose. */
export const quoted = (what: string): string => what.replace(/`([^`]*)`/g, '“$1”');

/** With a capital at the beginning. */
export const sentence = (what: string): string => what.charAt(0).toUpperCase() + what.slice(1);
