import { compact, type ClaimVerdict, type Json } from 'subrosa-verify';

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

function outcome(statement: Json): string {
  const found = member(statement, 'outcome');
  const unit = word(member(statement, 'unit'));
  const statistic = word(member(statement, 'statistic'));
  const count = word(member(found, 'count'));
  const value = member(found, 'value');
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
export function inWords({ kind, statement }: ClaimVerdict): string {
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
    default:
      return `A claim of the kind “${kind}”.`;
  }
}

/** What a claim rests on, in words. */
export function premiseInWords(premise: string): string {
  return premise === 'unaudited' ? 'No auditor vouched for these epochs: that values are within their bounds, and were entered as they were handed in, is the operator’s word.' : premise;
}

/** The members of a statement, as text. */
export const membersOf = (statement: Json): [string, string][] =>
  statement instanceof Map ? [...statement].map(([name, value]) => [name, word(value)]) : [];

/** Names in the marks of prose. */
export const quoted = (what: string): string => what.replace(/`([^`]*)`/g, '“$1”');

/** With a capital at the beginning. */
export const sentence = (what: string): string => what.charAt(0).toUpperCase() + what.slice(1);
