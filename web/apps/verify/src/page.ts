import { exitCode, isShown, type BundleVerdict, type Check, type ClaimVerdict, type Json, type MixVerdict } from 'subrosa-verify';
import { ballotForm } from './ballot.js';
import { contributionForm } from './ceremony.js';
import { byId, el } from './dom.js';
import { chosen, dropped, mixFiles } from './drop.js';
import { results } from './election.js';
import { replies } from './inquiry.js';
import type { Answer, Dropped, Task } from './messages.js';
import { rowForm, shownRows } from './row.js';
import { BadZip } from './unzip.js';
import { inWords, membersOf, premiseInWords, quoted, sentence, shownInWords } from './words.js';

/** The script of the workers, put here by the build. */
declare const WORKER: string;

const sections = ['start', 'work', 'result'] as const;
const say = (what: string): void => void (byId('status').textContent = what);

function show(section: (typeof sections)[number]): void {
  for (const id of sections) byId(id).hidden = id !== section;
  const title = byId(section).querySelector('h1');
  title?.setAttribute('tabindex', '-1');
  title?.focus();
  scrollTo(0, 0);
}

let workers: Worker[] = [];

function stop(): void {
  for (const worker of workers) worker.terminate();
  workers = [];
}

/** Starts the workers: one that leads, and one for each core that computes. */
function start(task: Omit<Task, 'ports'>): Promise<Answer> {
  const url = URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' }));
  const width = Math.max(1, Math.min(navigator.hardwareConcurrency || 2, 16));
  const ports = Array.from({ length: width }, () => {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(url);
    workers.push(worker);
    worker.postMessage({ kernel: port2 }, [port2]);
    return port1;
  });
  const leader = new Worker(url);
  workers.push(leader);
  return new Promise((resolve) => {
    leader.onerror = (event) => resolve({ kind: 'failed', what: event.message });
    leader.onmessage = ({ data }: MessageEvent<Answer>) => (data.kind === 'progress' ? progress(data.done, data.all) : resolve(data));
    leader.postMessage({ ...task, ports }, ports);
  });
}

let told = 0;

function progress(done: number, all: number): void {
  const bar = byId<HTMLProgressElement>('progress');
  bar.max = all;
  bar.value = done;
  byId('work-text').textContent = `${done} of ${all} parts of the equations computed.`;
  const quarter = Math.floor((4 * done) / all);
  if (quarter > told) say(`${25 * (told = quarter)} percent`);
}

async function check(gather: () => Promise<Dropped[]>): Promise<void> {
  told = 0;
  byId('progress').removeAttribute('value');
  byId('work-text').textContent = 'Reading the files.';
  show('work');
  say('Checking');
  try {
    const files = await gather();
    const mix = await mixFiles(files);
    present(await start({ files: mix === undefined ? files : [], mix }), files);
  } catch (error) {
    present({ kind: 'refused', check: '', fault: 'input', what: error instanceof BadZip ? error.message : `the files cannot be read (${String(error)})` }, []);
  } finally {
    stop();
  }
}

type State = '' | 'false' | 'open';

function head(state: State, title: string, text: string): HTMLElement {
  return el('div', { class: `verdict ${state}` }, el('h1', { id: 'result-title' }, title), el('p', { class: 'says' }, text));
}

const again = (): HTMLElement =>
  el('p', { class: 'again' }, el('button', { class: 'button secondary', type: 'button', click: () => show('start') }, 'Check another one'));

const checkList = (checks: Check[]): HTMLElement =>
  el(
    'ol',
    { class: 'checks' },
    ...checks.map(({ check, count, what }) =>
      el('li', {}, el('span', {}, el('span', { class: 'count' }, String(count)), ` × ${what}`), el('span', { class: 'names' }, check)),
    ),
  );

function present(answer: Answer, files: Dropped[]): void {
  const result = byId('result');
  result.replaceChildren(...contents(answer, files), again());
  result.setAttribute('aria-labelledby', 'result-title');
  show('result');
  say(result.querySelector('h1')!.textContent);
}

function contents(answer: Answer, files: Dropped[]): HTMLElement[] {
  switch (answer.kind) {
    case 'bundle':
      return bundle(answer.verdict, files);
    case 'mix':
      return [mix(answer.verdict)];
    case 'refused':
      return answer.fault === 'claim'
        ? [head('false', 'This is not true', `The check ${answer.check} fails: ${quoted(answer.what)}. Believe nothing that it says.`)]
        : [head('open', 'Nothing to check', `${sentence(quoted(answer.what))}. Choose the folder that has bundle.json in it, or the files of a mix.`)];
    default:
      return [head('open', 'The check broke off', `This is a fault of this page and says nothing about the bundle: ${answer.kind === 'failed' ? answer.what : ''}`)];
  }
}

function bundle(verdict: BundleVerdict, files: Dropped[]): HTMLElement[] {
  const count = verdict.claims.length;
  const claims = count === 1 ? 'The claim' : `All ${count} claims`;
  const code = exitCode(verdict, []);
  const top =
    code === 0
      ? head('', count === 1 ? 'The claim holds' : 'Every claim holds', `${claims} of this bundle follow${count === 1 ? 's' : ''} from what is in it. This device computed everything again.`)
      : code === 1
        ? head('false', 'A claim is false', 'Do not rely on this bundle. Below is which claim it is, and by which check.')
        : head('open', 'Not all is established', 'Nothing is wrong, and something was not checked here or rests on what no bundle shows. Below is what.');
  return [top, identity(verdict), ...verdict.claims.map((claim, i) => claimSection(claim, i, verdict, files))];
}

/** The digest, and a field to hold against it what was published elsewhere. */
function identity({ bundle: digest, files }: BundleVerdict): HTMLElement {
  const input = el('input', { id: 'expected', autocomplete: 'off', spellcheck: 'false' });
  const answer = el('p', { 'aria-live': 'polite', class: 'mark' });
  input.addEventListener('input', () => {
    const typed = input.value.trim().toLowerCase();
    const isSame = typed === digest;
    answer.className = isSame ? 'mark' : 'mark false';
    answer.textContent = typed === '' ? '' : isSame ? '✓ This is the bundle that was published.' : '✗ This is another bundle.';
  });
  return el(
    'div',
    {},
    el('p', {}, `${files} files, every one with its digest in the manifest (CB-5). The bundle’s name is`),
    el('p', {}, el('code', {}, digest)),
    el('details', {}, el('summary', {}, 'Compare it with the name that was published'), el('label', { for: 'expected' }, 'The name as you found it elsewhere'), input, answer),
  );
}

const MARKS = { holds: ['', '✓ holds'], false: ['false', '✗ is false'], 'not checked': ['open', '– is not checked'] } as const;

function claimSection(claim: ClaimVerdict, number: number, verdict: BundleVerdict, files: Dropped[]): HTMLElement {
  const count = verdict.claims.length;
  const [shown, open] = [true, false].map((wanted) => claim.premises.filter((premise) => isShown(verdict, claim, premise) === wanted)) as [string[], string[]];
  const rests = claim.status === 'holds' && open.length > 0;
  const [state, mark] = rests ? (['open', '✓ holds on a premise'] as const) : MARKS[claim.status];
  const id = `claim-${number}`;
  const section = el(
    'section',
    { class: 'claim', 'aria-labelledby': id },
    el('h2', { id }, `${count === 1 ? 'The claim' : `Claim ${number + 1}`} `, el('span', { class: `mark ${state}` }, mark)),
    el('p', { class: 'says' }, inWords(claim)),
    claim.kind === 'election' && claim.status === 'holds' ? resultList(claim.statement) : undefined,
    claim.kind === 'election-trace' && claim.status === 'holds' ? replyList(claim.statement) : undefined,
    claim.kind === 'ceremony' && claim.status === 'holds' ? contributionForm(claim.statement, number, say) : undefined,
    claim.ballots === undefined ? undefined : ballotForm(claim.ballots, number, say),
    claim.why === undefined ? undefined : el('p', {}, claim.why.check === undefined ? `${sentence(quoted(claim.why.what))}.` : `${claim.why.check}: ${quoted(claim.why.what)}.`),
    ...open.map((premise) => el('p', { class: 'mark open' }, premiseInWords(premise))),
    ...shown.map((premise) => el('p', {}, shownInWords(premise))),
    claim.checks.length === 0 ? undefined : el('h3', {}, 'What was checked'),
    claim.checks.length === 0 ? undefined : checkList(claim.checks),
    el(
      'details',
      {},
      el('summary', {}, 'The statement, word for word'),
      el('dl', {}, ...membersOf(claim.statement).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, el('code', {}, value))])),
    ),
  );
  if (claim.kind === 'table-lookup' && claim.status === 'holds') void addRows(section, claim, files);
  return section;
}

/** Who is elected by which rule, question by question. */
const resultList = (statement: Json): HTMLElement =>
  el(
    'dl',
    { class: 'results' },
    ...results(statement).flatMap(({ question, elected, rule }) => [
      el('dt', {}, question),
      el('dd', {}, el('strong', {}, elected.length === 0 ? 'Nobody' : elected.join(', ')), el('span', { class: 'note' }, `by ${rule}`)),
    ]),
  );

/** What was asked about an election's mix, and the answers. */
const replyList = (statement: Json): HTMLElement =>
  el(
    'dl',
    { class: 'results' },
    ...replies(statement).flatMap(({ title, about, said }) => [
      el('dt', {}, title),
      el('dd', {}, el('strong', {}, said), el('span', { class: 'note' }, about)),
    ]),
  );

/** Adds the question “is my row in?” for the row of a look-up. */
async function addRows(section: HTMLElement, { statement }: ClaimVerdict, files: Dropped[]): Promise<void> {
  if (!(statement instanceof Map)) return;
  const rows = await shownRows(files);
  rows.forEach((row, i) => {
    const name = Array.from(row.row.pseudonym, (b) => b.toString(16).padStart(2, '0')).join('');
    if (name === statement.get('pseudonym')) section.append(rowForm(row, i, say));
  });
}

function mix(verdict: MixVerdict): HTMLElement {
  const { rows, mixers } = verdict;
  return el(
    'div',
    {},
    head('', 'The mix is right', `The last mixer’s output holds the messages of the ${rows} rows, no more and no less.`),
    el('p', {}, `Mix “${verdict.mix}” of “${verdict.study}”, by the mixers ${mixers.join(', ')}. Whether these are the ones that you mean, only you can say.`),
    el('h2', {}, 'What was checked'),
    checkList(verdict.checks),
  );
}

const drop = byId('drop');
for (const id of ['folder', 'zip']) {
  const input = byId<HTMLInputElement>(id);
  input.addEventListener('change', () => {
    const files = Array.from(input.files ?? []);
    // The same folder may be chosen again.
    input.value = '';
    if (files.length > 0) void check(() => chosen(files));
  });
}
for (const type of ['dragenter', 'dragover']) {
  addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.add('over');
  });
}
addEventListener('dragleave', () => drop.classList.remove('over'));
addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  const { dataTransfer } = event;
  if (dataTransfer !== null) {
    const files = dropped(dataTransfer);
    void check(() => files);
  }
});
byId('cancel').addEventListener('click', () => {
  stop();
  show('start');
});
