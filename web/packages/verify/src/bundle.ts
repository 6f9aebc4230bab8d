import { hex, unhex } from './bytes.js';
import { digest } from './digest.js';
import { format, Members, parse, sorted, type Json } from './json.js';
import { kinds, type Arity, type Objects } from './kinds.js';
import { must, NotChecked, Refusal } from './refusal.js';
import type { Pool } from './pool.js';
import type { BundleVerdict, ClaimVerdict, Progress } from './verdict.js';

const MANIFEST = 'bundle.json';
const DOMAIN = 'subrosa/bundle/file';
const MAX_JSON = 2 ** 28;
const MAX_FILE = 2 ** 32;

/** A directory, wherever it lies. */
export interface Directory {
  /** Paths of all plain files; what is neither file nor folder is refused by `CB-4`. */
  list(): Promise<{ path: string; size: number }[]>;
  read(path: string): Promise<Uint8Array>;
}

/** The version of the specification that this verifier follows. */
const SPECIFICATION = 1n;

interface Manifest {
  version: bigint;
  claims: string[];
  files: Map<string, string>;
}

interface Claim {
  path: string;
  kind: string;
  version: number;
  roles: Map<string, string[]>;
  statement: Json;
}

const U16 = 2n ** 16n - 1n;
const isDigest = (value: Json): value is string => typeof value === 'string' && unhex(value, 32) !== undefined;

/** Whether a path stays within the directory, whatever the system. */
function isInside(path: string): boolean {
  const parts = path.split('/');
  return (
    !path.includes('\\') &&
    !path.includes('\0') &&
    !/^[A-Za-z]:/.test(path) &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

function readManifest(bytes: Uint8Array): Manifest {
  must(bytes.length <= MAX_JSON, 'CB-1', 'bundle.json is too large');
  const members = new Members(parse(bytes, 'CB-1'), 'CB-1', MANIFEST);
  const kind = members.text('format');
  const version = members.integer('version', 0n, 2n ** 64n - 1n);
  must(kind === 'subrosa-bundle' && (version === 1n || version === 2n), 'CB-1', 'this verifier reads `subrosa-bundle`, versions 1 and 2');
  if (version === 2n) {
    const specification = members.integer('specification', 0n, U16);
    must(specification === SPECIFICATION, 'CB-1', `this verifier follows version ${SPECIFICATION} of the specification`);
  }
  const claims = members.texts('claims');
  const files = members.any('files');
  members.end();
  must(files instanceof Map && sorted(files), 'CB-1', '`files` is not a sorted object');
  const digests = new Map<string, string>();
  for (const [path, value] of files) {
    must(isDigest(value), 'CB-1', `\`${path}\` has no digest`);
    must(isInside(path) && path !== MANIFEST, 'CB-2', `\`${path}\` is not a path inside the bundle`);
    digests.set(path, value);
  }
  must(new Set(claims).size === claims.length, 'CB-3', 'a path is twice in `claims`');
  return { version, claims, files: digests };
}

/** Whether names of members have one order by bytes and by units of UTF-16: what is sorted by bytes is sorted by both. */
function isInteroperable(value: Json): boolean {
  if (Array.isArray(value)) return value.every(isInteroperable);
  if (!(value instanceof Map)) return true;
  const names = [...value.keys()];
  return names.every((name, i) => i === 0 || names[i - 1]! < name) && [...value.values()].every(isInteroperable);
}

function readClaim(path: string, bytes: Uint8Array, format: bigint): Claim {
  const members = new Members(parse(bytes, 'CB-6'), 'CB-6', path);
  const kind = members.text('kind');
  const version = Number(members.integer('version', 0n, U16));
  const objects = members.any('objects');
  const statement = members.any('statement');
  members.end();
  must(objects instanceof Map && sorted(objects) && sorted(statement), 'CB-6', `${path}: members are not sorted`);
  must(format === 1n || isInteroperable(statement), 'CB-6', `${path}: names of members have another order in UTF-16`);
  const roles = new Map<string, string[]>();
  for (const [role, digests] of objects) {
    must(Array.isArray(digests) && digests.every(isDigest), 'CB-6', `${path}: \`${role}\` is not a list of digests`);
    roles.set(role, digests);
  }
  return { path, kind, version, roles, statement };
}

/** Reads every file, and checks `CB-1` to `CB-8`. */
async function open(directory: Directory): Promise<{ bundle: string; claims: Claim[]; objects: Map<string, Uint8Array>; files: number }> {
  const listed = await directory.list();
  if (!listed.some(({ path }) => path === MANIFEST)) throw new Refusal('CB-1', 'there is no bundle.json', 'input');
  const bytes = await directory.read(MANIFEST);
  const manifest = readManifest(bytes);
  const sizes = new Map(listed.map(({ path, size }) => [path, size]));
  for (const { path } of listed) {
    must(path === MANIFEST || manifest.files.has(path), 'CB-4', `\`${path}\` is not in bundle.json`);
  }
  const isClaim = new Set(manifest.claims);
  const contents = new Map<string, Uint8Array>();
  for (const [path, expected] of manifest.files) {
    const size = sizes.get(path);
    must(size !== undefined, 'CB-5', `\`${path}\` is not there`);
    must(size <= (isClaim.has(path) ? MAX_JSON : MAX_FILE), 'CB-5', `\`${path}\` is too large`);
    const content = await directory.read(path);
    must(hex(digest(DOMAIN, content)) === expected, 'CB-5', `\`${path}\`: its bytes do not have the digest in bundle.json`);
    contents.set(path, content);
  }
  const claims = manifest.claims.map((path) => {
    const content = contents.get(path);
    must(content !== undefined, 'CB-6', `\`${path}\` is not in \`files\``);
    return readClaim(path, content, manifest.version);
  });
  must(claims.length > 0, 'CB-7', 'there is no claim');
  const named = new Set(claims.flatMap((claim) => [...claim.roles.values()].flat()));
  const objects = new Map<string, Uint8Array>();
  for (const [path, content] of contents) {
    const name = manifest.files.get(path)!;
    must(isClaim.has(path) || named.has(name), 'CB-8', `no claim names \`${path}\``);
    objects.set(name, content);
  }
  return { bundle: hex(digest(DOMAIN, bytes)), claims, objects, files: contents.size };
}

/** `CB-9` and `CB-10`, and what `CB-11` says of sizes. */
export function objectsOf(claim: Pick<Claim, 'kind' | 'roles'>, arities: Record<string, Arity>, files: Map<string, Uint8Array>): Objects {
  for (const role of claim.roles.keys()) {
    must(role in arities, 'CB-9', `a claim of kind \`${claim.kind}\` has no role \`${role}\``);
  }
  const objects: Objects = {};
  for (const [role, [least, most, limit = MAX_FILE]] of Object.entries(arities)) {
    const digests = claim.roles.get(role) ?? [];
    must(digests.length >= least && digests.length <= most, 'CB-9', `${digests.length} objects in the role \`${role}\``);
    objects[role] = digests.map((name) => {
      const content = files.get(name);
      must(content !== undefined, 'CB-10', `no file has the digest ${name}`);
      must(content.length <= limit, 'CB-11', `an object in the role \`${role}\` has more than ${limit} bytes`);
      return content;
    });
  }
  return objects;
}

/** The first member in which two statements differ. */
function difference(claimed: Json, computed: Json): string | undefined {
  if (format(claimed) === format(computed)) return undefined;
  if (!(claimed instanceof Map) || !(computed instanceof Map)) return 'the statement';
  const names = [...new Set([...claimed.keys(), ...computed.keys()])];
  return names.find((name) => {
    const [x, y] = [claimed.get(name), computed.get(name)];
    return x === undefined || y === undefined || format(x) !== format(y);
  });
}

async function verifyClaim(
  claim: Claim,
  files: Map<string, Uint8Array>,
  pool: Pool,
  progress: Progress,
): Promise<ClaimVerdict> {
  const about = { claim: claim.path, kind: claim.kind, version: claim.version, statement: claim.statement };
  try {
    const known = Object.hasOwn(kinds, claim.kind) ? kinds[claim.kind] : undefined;
    if (known === undefined) throw new NotChecked(`this verifier does not check claims of kind \`${claim.kind}\``);
    const kind = known.find(({ versions }) => versions.includes(claim.version));
    if (kind === undefined) throw new NotChecked(`this verifier does not check version ${claim.version} of \`${claim.kind}\``);
    const found = await kind.verify(objectsOf(claim, kind.roles, files), pool, progress, claim.statement);
    const wrong = difference(claim.statement, found.statement);
    must(wrong === undefined, 'CB-12', `\`${wrong}\` is not what the objects bear out`);
    const checks = [...found.checks, { check: 'CB-12', count: 1, what: 'statement, equal to what was computed' }];
    return { ...about, status: 'holds', checks, premises: found.premises, shows: found.shows ?? [], ...(found.ballots === undefined ? {} : { ballots: found.ballots }) };
  } catch (error) {
    const open = { ...about, checks: [], premises: [], shows: [] };
    if (error instanceof NotChecked) return { ...open, status: 'not checked', why: { what: error.what } };
    if (error instanceof Refusal) {
      return { ...open, status: 'false', why: { check: error.check, what: error.what } };
    }
    throw error;
  }
}

/** Verifies a bundle. A refusal says that it is none; what claims are worth stands in the verdict. */
export async function verifyBundle(directory: Directory, pool: Pool, progress: Progress = () => {}): Promise<BundleVerdict> {
  const { bundle, claims, objects, files } = await open(directory);
  const verdicts: ClaimVerdict[] = [];
  for (const claim of claims) verdicts.push(await verifyClaim(claim, objects, pool, progress));
  return { bundle, files, claims: verdicts };
}

/** Whether another claim of the bundle shows what a claim rests on. */
export const isShown = ({ claims }: BundleVerdict, claim: ClaimVerdict, premise: string): boolean =>
  claims.some((other) => other !== claim && other.status === 'holds' && other.shows.includes(premise));

/** What is not established, for a reader who accepts these premises: nothing if the verdict is good. */
export function openQuestions(verdict: BundleVerdict, accepted: string[]): string[] {
  return verdict.claims.flatMap((claim) =>
    claim.status === 'not checked'
      ? [`${claim.claim}: ${claim.why?.what ?? 'not checked'}`]
      : claim.premises.filter((p) => !accepted.includes(p) && !isShown(verdict, claim, p)).map((p) => `${claim.claim} rests on \`${p}\``),
  );
}

/** 0 every claim holds, 1 one is false, 4 none is false and something is not established. */
export function exitCode(verdict: BundleVerdict, accepted: string[]): 0 | 1 | 4 {
  if (verdict.claims.some((claim) => claim.status === 'false')) return 1;
  return openQuestions(verdict, accepted).length > 0 ? 4 : 0;
}
