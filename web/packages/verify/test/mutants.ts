import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hex, text } from '../src/bytes.js';
import { digest } from '../src/digest.js';
import { format, object, parse, type Json, type JsonObject } from '../src/json.js';
import { lunchKeyOf, resigned } from './boards.js';
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

/** The files of the wrong bundle. */
function edited(files: Files, what: string, how: How): Files {
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
    case 'remove': {
      const out = new Map(files);
      out.delete(textIn(how, 'file'));
      return out;
    }
    default:
      throw new Error(`an unknown change: ${what}`);
  }
}

/** All wrong bundles of the vectors, by what they are. */
export function mutants(): { name: string; check: string; files: Files }[] {
  const list = parse(new Uint8Array(readFileSync(join(VECTORS, 'mutants.json'))), 'JSON') as JsonObject[];
  return list.map((mutant) => {
    const [bundle, edit] = [mutant.get('bundle') as string, mutant.get('edit')!];
    const [what, how] = edit instanceof Map ? ([...edit][0] as [string, How]) : ([edit as string, new Map()] as [string, How]);
    return { name: `${bundle}: ${format(edit)}`, check: mutant.get('check') as string, files: edited(readFiles(join(ROOT, bundle)), what, how) };
  });
}
