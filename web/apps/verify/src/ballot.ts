import type { CastBallot } from 'subrosa-verify';
import { el } from './dom.js';

/** A tracking code as people copy it: in small letters, without dashes, with letters that look like digits. */
const plain = (code: string): string =>
  code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');

/** A form in which a voter finds out whether a ballot is among the accepted ones. */
export function ballotForm(ballots: CastBallot[], number: number, say: (what: string) => void): HTMLElement {
  const id = (part: string): string => `ballot-${number}-${part}`;
  const known = new Map(ballots.map((ballot) => [plain(ballot.code), ballot]));
  const code = el('input', { id: id('code'), autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false', required: true, 'aria-describedby': id('hint') });
  const answer = el('div', { class: 'verdict', hidden: true, tabindex: '-1' });
  const submit = (event: Event): void => {
    event.preventDefault();
    const typed = plain(code.value);
    const found = known.get(typed);
    const isCode = /^[0-9A-HJKMNP-TV-Z]{20}$/.test(typed);
    const state = found !== undefined ? '' : isCode ? 'false' : 'open';
    const what =
      found !== undefined
        ? `✓ Your ballot is in: ${found.code} was accepted, ${found.opened ? 'and was mixed and counted with the others' : 'and stays sealed, as its class has too few ballots to be counted'}.`
        : isCode
          ? '✗ No accepted ballot has this code. Ask the station that took it, with the code in hand.'
          : 'Please look again: a code has twenty letters and digits, such as 7K2M-0XQA-9ZPT-4R6B-HD13.';
    const beside = found === undefined ? undefined : el('p', {}, 'It stands beside the name ', el('strong', {}, found.voter), '. If that is not you, somebody gave you another voter’s code.');
    answer.className = `verdict ${state}`;
    answer.replaceChildren(el('p', {}, what), ...(beside === undefined ? [] : [beside]));
    answer.hidden = false;
    answer.focus();
    say(what);
  };
  return el(
    'section',
    { 'aria-labelledby': id('title') },
    el('h3', { id: id('title') }, 'Is my ballot in?'),
    el('p', { class: 'note', id: id('hint') }, 'Your device showed a code of five groups when you voted. It stays in this page, and does not tell how you voted.'),
    el(
      'form',
      { class: 'search', submit },
      el('label', {}, 'Tracking code', code),
      el('div', {}, el('button', { class: 'button', type: 'submit' }, 'Find my ballot')),
    ),
    answer,
  );
}
