import { checkOwnRow, codeOf, offsetOf, openLog, readLookup, readUserKeys, Refusal, type Genesis, type Lookup } from 'subrosa-verify';
import { el } from './dom.js';
import { quoted } from './words.js';
import type { Dropped } from './messages.js';

/** A row that a verified bundle shows. */
export interface ShownRow {
  genesis: Genesis;
  row: Lookup;
}

/** The rows that a bundle of one table's look-ups shows. */
export async function shownRows(files: Dropped[]): Promise<ShownRow[]> {
  const read = async (name: RegExp): Promise<Uint8Array[]> =>
    Promise.all(files.filter(({ path }) => name.test(path)).map(async ({ file }) => new Uint8Array(await file.arrayBuffer())));
  const [genesis] = await read(/\/genesis\.json$/);
  const [checkpoint] = await read(/\/checkpoint\.txt$/);
  const proofs = await read(/\/lookup-[0-9]+\.proof$/);
  if (genesis === undefined || checkpoint === undefined) return [];
  const log = openLog({ genesis: [genesis], checkpoint: [checkpoint], rotations: await read(/\/rotation[^/]*$/) });
  return proofs.map((bytes) => ({ genesis: log.genesis, row: readLookup(bytes, log.genesis) }));
}

function field(name: string, hint: string, control: HTMLElement): HTMLElement {
  return el('label', {}, `${name}${hint}`, control);
}

function typeControl(type: Genesis['types'][number], id: string): HTMLElement {
  const names = type.names ?? (type.bytes === 1 ? ['false', 'true'] : undefined);
  if (names === undefined) return el('input', { id, inputmode: 'numeric', required: true, autocomplete: 'off' });
  return el('select', { id }, ...names.map((name) => el('option', { value: name }, name)));
}

/** A form in which a person finds out whether a shown row is her own. */
export function rowForm({ genesis, row }: ShownRow, number: number, say: (what: string) => void): HTMLElement {
  const id = (part: string): string => `row-${number}-${part}`;
  const keys = el('input', { id: id('keys'), type: 'file', accept: '.keys,.json,application/json', required: true });
  const types = genesis.types.map((type, i) => typeControl(type, id(`type-${i}`)) as HTMLInputElement | HTMLSelectElement);
  const values = genesis.values.map((_, i) => el('input', { id: id(`value-${i}`), inputmode: 'decimal', required: true, autocomplete: 'off' }));
  const answer = el('p', { class: 'verdict', hidden: true, tabindex: '-1' });
  const show = (state: string, what: string): void => {
    answer.className = `verdict ${state}`;
    answer.textContent = what;
    answer.hidden = false;
    answer.focus();
    say(what);
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    answer.hidden = true;
    try {
      const own = readUserKeys(await keys.files![0]!.text());
      const codes = genesis.types.map((type, i) => codeOf(type, types[i]!.value));
      const offsets = genesis.values.map((value, i) => offsetOf(value, values[i]!.value));
      checkOwnRow(genesis, row, own, codes, offsets);
      show('', `✓ Your row is in: epoch ${row.epoch.header.epoch} has it with exactly these values.`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      show(error.fault === 'input' ? 'open' : 'false', error.fault === 'input' ? `Please look again: ${quoted(error.what)}.` : `✗ This is not your row as you know it: ${quoted(error.what)} (${error.check}).`);
    }
  };
  return el(
    'section',
    { 'aria-labelledby': id('title') },
    el('h3', { id: id('title') }, 'Is my row in?'),
    el('p', { class: 'note' }, `Epoch ${row.epoch.header.epoch}, column ${genesis.values[row.column]!.name}. Your keys and values stay in this page.`),
    el(
      'form',
      { submit: (event) => void submit(event) },
      field('The file with your keys', '', keys),
      ...genesis.types.map((type, i) => field(type.name, '', types[i]!)),
      ...genesis.values.map((value, i) => field(value.name, value.unit === '' ? '' : `, in ${value.unit}`, values[i]!)),
      el('div', {}, el('button', { class: 'button', type: 'submit' }, 'Check my row')),
    ),
    answer,
  );
}
