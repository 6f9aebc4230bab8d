import type { Json } from 'subrosa-verify';
import { el } from './dom.js';

/** A contribution as a statement has it. */
interface Contribution {
  /** Where it stands, from 1, and in which phase. */
  place: string;
  name: string | null;
  hash: string;
  beacon: string | null;
}

const member = (value: Json | undefined, name: string): Json | undefined => (value instanceof Map ? value.get(name) : undefined);

function listed(list: Json | undefined, phase: string): Contribution[] {
  return (Array.isArray(list) ? list : []).map((item, i) => {
    const [name, beacon] = [member(item, 'name'), member(item, 'beacon')];
    const hash = member(item, 'hash');
    return {
      place: `Contribution ${i + 1} to ${phase}`,
      name: typeof name === 'string' ? name : null,
      hash: typeof hash === 'string' ? hash : '',
      beacon: beacon instanceof Map ? `a beacon, hashed 2^${String(beacon.get('iterations_exp'))} times` : null,
    };
  });
}

/** All contributions that a statement names: those to the key, or to phase 1, and to the phase 1 below a key. */
export function contributions(statement: Json): Contribution[] {
  const isKey = member(statement, 'key') !== null;
  return [
    ...listed(member(statement, 'contributions'), isKey ? 'the key' : 'phase 1'),
    ...listed(member(member(statement, 'phase1'), 'contributions'), 'phase 1'),
  ];
}

const several = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** What a ceremony's claim says, in a sentence or two. */
export function ceremonyInWords(statement: Json): string {
  const all = listed(member(statement, 'contributions'), '');
  const people = all.filter(({ beacon }) => beacon === null).length;
  const by = `${several(people, 'contribution')}${all.length > people ? ` and ${several(all.length - people, 'beacon')}` : ''}`;
  const curve = String(member(statement, 'curve'));
  if (member(statement, 'key') === null) return `Parameters of 2^${String(member(statement, 'power'))} powers on ${curve}, made by ${by}.`;
  const whole = member(statement, 'phase1') === null
    ? 'Its record shows who contributed, and not what to: somebody has to have checked the whole file.'
    : 'It was made again from its circuit and phase 1.';
  return `A key of Groth16 on ${curve}, made by ${by}. ${whole}`;
}

/** A hash as tools print it: in groups, over several lines. */
const plain = (hash: string): string => hash.toLowerCase().replace(/\s/g, '').replace(/^0x/, '');

const shown = (hash: string): string => hash.replace(/(.{8})/g, '$1 ').trim();

/** A form in which a contributor finds out whether a contribution is among those of a ceremony. */
export function contributionForm(statement: Json, number: number, say: (what: string) => void): HTMLElement {
  const id = (part: string): string => `contribution-${number}-${part}`;
  const all = contributions(statement);
  const typed = el('input', { id: id('typed'), autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true, 'aria-describedby': id('hint') });
  const answer = el('div', { class: 'verdict', hidden: true, tabindex: '-1' });
  const submit = (event: Event): void => {
    event.preventDefault();
    const hash = plain(typed.value);
    const isHash = /^[0-9a-f]{128}$/.test(hash);
    const name = typed.value.trim();
    const found = all.filter((one) => (isHash ? one.hash === hash : one.name !== null && one.name.toLowerCase() === name.toLowerCase()));
    const what = said(found, isHash);
    answer.className = `verdict ${found.length === 0 ? 'false' : isHash ? '' : 'open'}`;
    answer.replaceChildren(el('p', {}, what), ...found.map(described));
    answer.hidden = false;
    answer.focus();
    say(what);
  };
  return el(
    'section',
    { 'aria-labelledby': id('title') },
    el('h3', { id: id('title') }, 'Is my contribution in?'),
    el('p', { class: 'note', id: id('hint') }, 'Your tool printed a hash of 128 digits when you contributed. Spaces and lines do not matter.'),
    el(
      'form',
      { class: 'find', submit },
      el('label', {}, 'The hash of your contribution, or your name', typed),
      el('div', {}, el('button', { class: 'button', type: 'submit' }, 'Find my contribution')),
    ),
    answer,
    el('details', {}, el('summary', {}, `All ${all.length} contributions`), el('ol', { class: 'contributions' }, ...all.map((one) => el('li', {}, described(one))))),
  );
}

function said(found: Contribution[], isHash: boolean): string {
  if (found.length === 0) return isHash ? '✗ No contribution has this hash. Without yours, your secret protects nobody.' : '✗ No contribution has this name. Enter its hash.';
  if (isHash) return '✓ Your contribution is in.';
  return 'A contribution has this name. Anybody can write any name: compare the hash with the one that your tool printed.';
}

const described = ({ place, name, hash, beacon }: Contribution): HTMLElement =>
  el('p', {}, `${place}, `, name === null ? 'without a name' : el('strong', {}, name), beacon === null ? '' : `, ${beacon}`, ': ', el('code', {}, shown(hash)));
