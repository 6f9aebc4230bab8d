import { ed25519 } from '@noble/curves/ed25519.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hex, text, unhex } from '../src/bytes.js';
import { digest } from '../src/digest.js';
import { format, object, parse, type Json, type JsonObject } from '../src/json.js';
import { lunchKeyOf, resigned } from './boards.js';
import { relogged, type SaidLeaf } from './logged.js';
import { readFiles, replace, VECTORS, type Files } from './vectors.js';

type How = Map<string, Json>;

const ROOT = join(VECTORS, '..');
const textIn = (how: How, name: string): string => how.get(name) as string;
const numberIn = (how: How, name: string): number => Number(how.get(name));

function flipped(bytes: Uint8Array, at: number, xor: number): Uint8Array {
  const out = bytes.slice();
  out[at]! ^= xor;
  return out;
}

function stated(files: Files, how: How): Files {
  const path = textIn(how, 'claim');
  const claim = parse(files.get(path)!, 'CB-6') as JsonObject;
  const statement = Object.fromEntries(claim.get('statement') as JsonObject);
  const value = how.get('value')!;
  if (value === null) delete statement[textIn(how, 'member')];
  else statement[textIn(how, 'member')] = value;
  claim.set('statement', object(statement));
  return replace(files, path, text(`${format(claim)}\n`));
}

const substituted = (bytes: Uint8Array, how: How): Uint8Array => text(new TextDecoder().decode(bytes).replace(textIn(how, 'from'), () => textIn(how, 'to')));

/** Bytes of files in the place of others: places are those of the right file, so the last one goes first. */
function patched(files: Files, pieces: How[]): Files {
  const changed = new Map<string, Uint8Array>();
  for (const piece of [...pieces].reverse()) {
    const [file, at] = [textIn(piece, 'file'), numberIn(piece, 'at')];
    const put = textIn(piece, 'put');
    const bytes = changed.get(file) ?? files.get(file)!;
    const behind = bytes.subarray(at + numberIn(piece, 'take'));
    changed.set(file, new Uint8Array([...bytes.subarray(0, at), ...unhex(put, put.length / 2)!, ...behind]));
  }
  return [...changed].reduce((out, [file, bytes]) => replace(out, file, bytes), files);
}

/** A party's public key, by the seeds beside the bundle. */
function keyOf(bundle: string, party: string): Uint8Array {
  const seeds = parse(new Uint8Array(readFileSync(join(ROOT, `${bundle}-keys.json`))), 'JSON') as JsonObject;
  return ed25519.getPublicKey(unhex(seeds.get(party) as string, 32)!);
}

/** An author says something else; the author signs it. */
function says(leaf: SaidLeaf, change: Partial<SaidLeaf>): void {
  Object.assign(leaf, change, { header: undefined });
}

/** A byte of a mix that a leaf announces, and whose parts follow. */
function remixed(leaves: SaidLeaf[], place: number, at: number, xor: number): void {
  const announced = leaves[place]!;
  const turn = hex(announced.payload.subarray(0, 4));
  const parts = leaves.slice(place).filter(({ kind, payload }) => kind === 'mix/part' && hex(payload.subarray(0, 4)) === turn);
  let before = 0;
  for (const part of parts) {
    const length = part.payload.length - 12;
    if (at >= before && at < before + length) says(part, { payload: flipped(part.payload, 12 + at - before, xor) });
    before += length;
  }
  const mix = new Uint8Array(parts.flatMap(({ payload }) => [...payload.subarray(12)]));
  says(announced, { payload: new Uint8Array([...announced.payload.subarray(0, 12), ...digest('subrosa/election/mix/parts/v2', mix)]) });
}

/** A leaf of a log is otherwise. */
function leafChanged(bundle: string, leaves: SaidLeaf[], place: number, [what, how]: [string, How], head: (place: number) => Uint8Array): void {
  const leaf = leaves[place]!;
  const flip = (): Uint8Array => flipped(leaf.payload, numberIn(how, 'at'), numberIn(how, 'xor'));
  switch (what) {
    case 'byte':
      return says(leaf, { payload: flip() });
    case 'by':
      return says(leaf, { author: keyOf(bundle, textIn(how, 'author')) });
    case 'kind':
      return says(leaf, { kind: textIn(how, 'kind') });
    case 'subject':
      return says(leaf, { subject: text('x') });
    case 'time':
      leaf.time = BigInt(numberIn(how, 'time'));
      return;
    case 'head': {
      const other = head(numberIn(how, 'place'));
      return says(leaf, { payload: new Uint8Array([...leaf.payload.subarray(0, -other.length), ...other]) });
    }
    case 'again':
      leaves.splice(place + 1, 0, { ...leaf, payload: flip(), header: undefined });
      return;
    case 'without':
      leaves.splice(place, 1);
      return;
    case 'mix':
      return remixed(leaves, place, numberIn(how, 'at'), numberIn(how, 'xor'));
    default:
      throw new Error(`an unknown change of a leaf: ${what}`);
  }
}

/** A change that is a name alone, or a name and how. */
const namedIn = (edit: Json): [string, How] => (edit instanceof Map ? ([...edit][0] as [string, How]) : [edit as string, new Map()]);

/** The files of the wrong bundle. */
function edited(bundle: string, files: Files, what: string, how: How): Files {
  const own = (): Uint8Array => files.get(textIn(how, 'file'))!;
  switch (what) {
    case 'flip':
      return replace(files, textIn(how, 'file'), flipped(own(), numberIn(how, 'at'), numberIn(how, 'xor')));
    case 'cut':
      return replace(files, textIn(how, 'file'), own().slice(0, -numberIn(how, 'bytes')));
    case 'grow':
      return replace(files, textIn(how, 'file'), new Uint8Array([...own(), 0]));
    case 'state':
      return stated(files, how);
    case 'entry':
      return resigned(files, (entries) => {
        const entry = entries[numberIn(how, 'entry')]!;
        entry.payload = flipped(entry.payload, numberIn(how, 'at'), numberIn(how, 'xor'));
      });
    case 'author':
      return resigned(files, (entries) => (entries[numberIn(how, 'entry')]!.author = lunchKeyOf(textIn(how, 'author'))));
    case 'shorten':
      return resigned(files, (entries) => entries.pop());
    case 'replace':
      return new Map(files).set(textIn(how, 'file'), substituted(own(), how));
    case 'reword':
      return replace(files, textIn(how, 'file'), substituted(own(), how));
    case 'list': {
      const listed = `",\n    "${textIn(how, 'file')}": "${hex(digest('subrosa/bundle/file', text('more')))}"\n  }\n}\n`;
      const manifest = new TextDecoder().decode(files.get('bundle.json')).replace('"\n  }\n}\n', listed);
      return new Map(files).set('bundle.json', text(manifest)).set(textIn(how, 'file'), text('more'));
    }
    case 'add':
      return new Map(files).set(textIn(how, 'file'), text('more'));
    case 'patch':
      return patched(files, how.get('pieces') as How[]);
    case 'relog':
      return relogged(files, (leaves, head) => leafChanged(bundle, leaves, numberIn(how, 'place'), namedIn(how.get('change')!), head));
    case 'remove': {
      const out = new Map(files);
      out.delete(textIn(how, 'file'));
      return out;
    }
    default:
      throw new Error(`an unknown change: ${what}`);
  }
}

/** All wrong bundles of the vectors, by what they are, made when asked for; mutants of other things have a `kind`. */
export function mutants(): { name: string; check: string; files: () => Files }[] {
  const list = parse(new Uint8Array(readFileSync(join(VECTORS, 'mutants.json'))), 'JSON') as JsonObject[];
  const bundles = list.filter((mutant) => !mutant.has('kind'));
  return bundles.map((mutant) => {
    const [bundle, edit] = [mutant.get('bundle') as string, mutant.get('edit')!];
    const files = (): Files => edited(bundle, readFiles(join(ROOT, bundle)), ...namedIn(edit));
    return { name: `${bundle}: ${format(edit)}`, check: mutant.get('check') as string, files };
  });
}
