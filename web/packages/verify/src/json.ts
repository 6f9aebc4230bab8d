import { compare, decodeText, equal, text } from './bytes.js';
import { must, Refusal } from './refusal.js';

/** A JSON value; members of an object are in the order of the bytes, and integers are integers. */
export type Json = null | boolean | bigint | string | Json[] | JsonObject;
export type JsonObject = Map<string, Json>;

/** How deep objects and lists may be nested. */
const MAX_DEPTH = 127;
const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function quote(s: string): string {
  const escaped = s.replace(
    // eslint-disable-next-line no-control-regex
    /["\\\u0000-\u001f]/g,
    (c) => ESCAPES[c] ?? `\\u00${c.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `"${escaped}"`;
}

/** The only form of a value in a bundle, without the newline at the end. */
export function format(value: Json, indent = ''): string {
  const deeper = indent + '  ';
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => deeper + format(item, deeper)).join(',\n')}\n${indent}]`;
  }
  if (value instanceof Map) {
    if (value.size === 0) return '{}';
    const members = [...value].map(([name, item]) => `${deeper}${quote(name)}: ${format(item, deeper)}`);
    return `{\n${members.join(',\n')}\n${indent}}`;
  }
  return String(value);
}

/** A value for programs that read `JSON`: integers beyond 2^53 lose nothing, as they stay digits. */
export function compact(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(compact).join(',')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([name, item]) => `${JSON.stringify(name)}:${compact(item)}`).join(',')}}`;
  }
  return String(value);
}

/** Reads JSON in the form of bundles, and in no other: what it says must be written in exactly these bytes. */
export function parse(bytes: Uint8Array, check: string): Json {
  let value: Json;
  try {
    value = new Parser(decodeText(bytes)).all();
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(check, error.what);
    throw error;
  }
  must(equal(text(format(value) + '\n'), bytes), check, 'the JSON is not in its only form');
  return value;
}

/** Reads JSON with whatever spaces, order of members and escapes: files of other tools. */
export function parseAny(bytes: Uint8Array, check: string): Json {
  try {
    return new Parser(decodeText(bytes)).all();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(check, error.what) : error;
  }
}

class Parser {
  private at = 0;

  constructor(private readonly source: string) {}

  all(): Json {
    const value = this.value(0);
    this.space();
    if (this.at !== this.source.length) this.fail();
    return value;
  }

  private fail(): never {
    throw new Refusal('CV-1', `not JSON at character ${this.at}`);
  }

  private space(): void {
    while (this.at < this.source.length && ' \n\t\r'.includes(this.source[this.at]!)) this.at++;
  }

  private next(token: string): boolean {
    this.space();
    if (!this.source.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private value(depth: number): Json {
    if (this.next('{')) return this.object(depth + 1);
    if (this.next('[')) return this.list(depth + 1);
    if (this.next('null')) return null;
    if (this.next('true')) return true;
    if (this.next('false')) return false;
    if (this.source[this.at] === '"') return this.string();
    return this.integer();
  }

  private object(depth: number): JsonObject {
    if (depth > MAX_DEPTH) this.fail();
    const members: JsonObject = new Map();
    if (this.next('}')) return members;
    do {
      this.space();
      const name = this.string();
      if (members.has(name) || !this.next(':')) this.fail();
      members.set(name, this.value(depth));
    } while (this.next(','));
    if (!this.next('}')) this.fail();
    return members;
  }

  private list(depth: number): Json[] {
    if (depth > MAX_DEPTH) this.fail();
    const items: Json[] = [];
    if (this.next(']')) return items;
    do items.push(this.value(depth));
    while (this.next(','));
    if (!this.next(']')) this.fail();
    return items;
  }

  private string(): string {
    const literal = /"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y;
    literal.lastIndex = this.at;
    const found = literal.exec(this.source);
    if (found === null) this.fail();
    this.at = literal.lastIndex;
    return JSON.parse(found[0]) as string;
  }

  private integer(): bigint {
    const literal = /-?[0-9]{1,20}(?![0-9.eE])/y;
    literal.lastIndex = this.at;
    const found = literal.exec(this.source);
    if (found === null) this.fail();
    const value = BigInt(found[0]);
    if (value < -(2n ** 63n) || value >= 2n ** 64n) this.fail();
    this.at = literal.lastIndex;
    return value;
  }
}

/** Whether the members of all objects are sorted by the bytes of their names. */
export function sorted(value: Json): boolean {
  if (Array.isArray(value)) return value.every(sorted);
  if (!(value instanceof Map)) return true;
  const names = [...value.keys()].map(text);
  return names.every((name, i) => i === 0 || compare(names[i - 1]!, name) < 0) && [...value.values()].every(sorted);
}

/** Sorted members, from an object of this program. */
export function object(members: Record<string, Json>): JsonObject {
  return new Map(Object.entries(members).sort(([a], [b]) => compare(text(a), text(b))));
}

/** Reads the members of an object, in their order or in any: none more, none less. */
export class Members {
  private readonly entries: [string, Json][];

  constructor(
    value: Json | undefined,
    private readonly check: string,
    private readonly where: string,
    private readonly order: 'in order' | 'any order' = 'in order',
  ) {
    must(value instanceof Map, check, `${where} is not an object`);
    this.entries = [...value];
  }

  private refuse(name: string, what: string): never {
    throw new Refusal(this.check, `${this.where}: \`${name}\` ${what}`);
  }

  /** Where the member of this name is among those that were not read yet; -1 if it is not due. */
  private find(name: string): number {
    const at = this.entries.findIndex(([own]) => own === name);
    return at > 0 && this.order === 'in order' ? -1 : at;
  }

  /** The next member, which must have this name. */
  any(name: string): Json {
    const at = this.find(name);
    if (at < 0) this.refuse(name, 'is missing, or not in its place');
    return this.entries.splice(at, 1)[0]![1];
  }

  /** Whether the next member has this name. */
  has(name: string): boolean {
    return this.find(name) >= 0;
  }

  text(name: string): string {
    const value = this.any(name);
    if (typeof value !== 'string') this.refuse(name, 'is not text');
    return value;
  }

  boolean(name: string): boolean {
    const value = this.any(name);
    if (typeof value !== 'boolean') this.refuse(name, 'is neither true nor false');
    return value;
  }

  integer(name: string, least: bigint, greatest: bigint): bigint {
    const value = this.any(name);
    if (typeof value !== 'bigint' || value < least || value > greatest) this.refuse(name, 'is not an integer in its bounds');
    return value;
  }

  unsigned(name: string, bits: 8 | 16 | 32): number {
    return Number(this.integer(name, 0n, 2n ** BigInt(bits) - 1n));
  }

  list(name: string): Json[] {
    const value = this.any(name);
    if (!Array.isArray(value)) this.refuse(name, 'is not a list');
    return value;
  }

  texts(name: string): string[] {
    return this.list(name).map((item) => {
      if (typeof item !== 'string') this.refuse(name, 'has something other than text');
      return item;
    });
  }

  /** Refuses further members. */
  end(): void {
    const [entry] = this.entries;
    if (entry !== undefined) this.refuse(entry[0], 'is not expected');
  }
}
