// The page in Chromium: every vector dropped, verdicts read, accessibility checked, no request made.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { here, verifyBundle } from 'subrosa-verify';
import { directory, readFiles, restate } from '../../../packages/verify/dist/test/vectors.js';

const page_ = new URL('../dist/verify.html', import.meta.url).href;
const vectors = new URL('../../../../vectors/', import.meta.url).pathname;
const tables = new URL('../../../packages/verify/test/tables/', import.meta.url).pathname;
const traces = new URL('../../../packages/verify/test/traces/', import.meta.url).pathname;
const verdicts = new URL('../../../packages/verify/test/verdicts/', import.meta.url).pathname;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.SUBROSA_SCREENSHOTS;
if (shots) mkdirSync(shots, { recursive: true });

const DEVICES = [
  { name: 'desktop', viewport: { width: 1200, height: 900 } },
  { name: 'phone', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
];
let browser;
let scratch;
const requests = [];

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  scratch = mkdtempSync(join(tmpdir(), 'subrosa-page-'));
});
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

async function open(device = DEVICES[0]) {
  const { name: _, ...options } = device;
  const context = await browser.newContext({ ...options, colorScheme: 'light', offline: true });
  const page = await context.newPage();
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => assert.fail(String(error)));
  await page.goto(page_);
  return page;
}

/** Writes a bundle into a folder of its own. */
function write(name, files) {
  const root = join(scratch, name);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  }
  return root;
}

/** Chooses a folder or an archive, and gives the verdict's title. */
async function choose(page, id, path) {
  await page.setInputFiles(`#${id}`, path);
  await page.waitForSelector('#result h1', { state: 'visible', timeout: 60_000 });
  return (await page.textContent('#result h1')).trim();
}

async function accessible(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }),
  );
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], what);
}

/** Every look of a state: light and dark, desktop and phone at a time. What is looked at is verified once for each device. */
async function looks(name, state) {
  const look = async (device) => {
    const page = await open(device);
    await state(page);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await accessible(page, `${name}, ${device.name}, ${colorScheme}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${name}: nothing is wider than a ${device.name}`);
      if (shots) await page.screenshot({ path: join(shots, `${name}-${device.name}-${colorScheme}.png`), fullPage: true });
    }
    await page.context().close();
  };
  await Promise.all(DEVICES.map(look));
}

function crc32(bytes) {
  let crc = ~0;
  for (const b of bytes) {
    crc ^= b;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** A zip archive; `size` may lie about how large a file is. */
function zip(files, size = (bytes) => bytes.length) {
  const parts = [];
  const central = [];
  let at = 0;
  for (const [path, bytes] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(size(bytes), 18);
    fields.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), fields, name, packed);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(at, 10);
    central.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), fields, more, name);
    at += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, list, Buffer.from('PK\x05\x06'), end]);
}

/** The code of the first voter's ballot. */
async function ownCode() {
  const verdict = await verifyBundle(directory(readFiles(join(vectors, 'election/lunch'))), here);
  return verdict.claims[0].ballots.find(({ voter }) => voter === 'ana').code;
}

const PATHS = ['bundle.json', 'claims/lookup-0.json', 'objects/table/checkpoint.txt', 'objects/table/genesis.json', 'objects/table/lookup-0.proof'];
const lookup = () => PATHS.map((path) => [`lookup/${path}`, readFileSync(join(vectors, 'table/lookup', path))]);

test('the start', () => looks('start', async () => {}));

test('while it works', () =>
  looks('work', (page) =>
    page.evaluate(() => {
      document.getElementById('start').hidden = true;
      document.getElementById('work').hidden = false;
      const bar = document.getElementById('progress');
      bar.max = 16;
      bar.value = 5;
      document.getElementById('work-text').textContent = '5 of 16 parts of the equations computed.';
    }),
  ));

test('every vector holds', async () => {
  const page = await open();
  for (const name of ['lookup', 'absence', 'sum', 'hours', 'median', 'audit']) {
    assert.equal(await choose(page, 'folder', join(vectors, 'table', name)), 'The claim holds', name);
    await page.click('text=Check another one');
  }
  for (const name of ['groth16', 'gm17', 'sonic', 'batch', 'bls12-381']) {
    assert.equal(await choose(page, 'folder', join(vectors, 'snark', name)), 'Not all is established', name);
    assert.match(await page.textContent('#result'), /holds on a premise/);
    await page.click('text=Check another one');
  }
  assert.equal(await choose(page, 'folder', join(vectors, 'mix')), 'The mix is right');
});

test('an election, and a ballot in it', async () => {
  await looks('election', async (page) => {
    assert.equal(await choose(page, 'folder', join(vectors, 'election/lunch')), 'The claim holds');
    const said = await page.textContent('#result');
    assert.match(said, /6 ballots of 6 voters on the roll, mixed by 2 mixers, opened by 3 trustees/);
    assert.match(said, /Saladby instant runoff/);
    const find = async (code) => {
      await page.fill('form.search input', code);
      await page.click('text=Find my ballot');
      return (await page.waitForSelector('form.search + .verdict', { state: 'visible' })).textContent();
    };
    assert.match(await find('7K2M'), /twenty letters and digits/);
    assert.match(await find('0000-0000-0000-0000-0000'), /No accepted ballot has this code/);
    const code = await ownCode();
    assert.match(await find(code.toLowerCase().replaceAll('-', ' ')), /Your ballot is in: .*beside the name ana/);
  });
  await looks('questions', async (page) => {
    assert.equal(await choose(page, 'folder', join(vectors, 'election/garden')), 'The claim holds');
    assert.match(await page.textContent('.results'), /Ana, Cydby the single transferable vote \(Scottish rules\)/);
  });
});

test('an election on a log', async () => {
  const page = await open();
  assert.equal(await choose(page, 'folder', join(vectors, 'election/logged')), 'The claim holds');
  const said = await page.textContent('#result');
  assert.match(said, /The board is on the log “subrosa-board\/[0-9a-f]{12}…”, whose keeper signed 29 leaves/);
  assert.match(said, /entries in one log, none left out/);
  await accessible(page, 'an election on a log');
});

test('an election of version 2', async () => {
  await looks('dated', async (page) => {
    assert.equal(await choose(page, 'folder', join(vectors, 'election/supper')), 'The claim holds');
    const said = await page.textContent('#result');
    assert.match(said, /5 ballots of 5 voters on the roll, mixed by 2 mixers, opened by 3 trustees/);
    assert.match(said, /parties that signed the closing of the polls/);
  });
});

test('questions about an election, and their answers', async () => {
  await looks('asked', async (page) => {
    assert.equal(await choose(page, 'folder', join(traces, 'picnic')), 'Every claim holds');
    const said = await page.textContent('#result');
    assert.match(said, /2 questions about the mix of 7 ballots, answered after the count by its 2 mixers and 3 trustees/);
    assert.match(said, /The method is “routed”: our construction, no published proof yet/);
    assert.match(said, /Is every ballot of the North counted\?Yes, for all 4For each of the ballots of “the North”, from Ben to Eve on the roll: is it among all results\?/);
    assert.match(said, /Yes, for all 4For each of the results that rank Meadow first: did one of the ballots say just this\?/);
  });
  const refuted = write('asked-false', restate(readFiles(join(traces, 'picnic')), '"yes": 4', '"yes": 3', 'claims/election-trace.json'));
  await looks('asked-false', async (page) => {
    assert.equal(await choose(page, 'folder', refuted), 'A claim is false');
    assert.match(await page.textContent('#result'), /CB-12: “answers” is not what the objects bear out/);
  });
});

test('the verdict', () => looks('holds', (page) => choose(page, 'folder', join(vectors, 'table/sum'))));
test('a mix', () => looks('mix', (page) => choose(page, 'folder', join(vectors, 'mix'))));

test('an answer that nobody audited is not established', () =>
  looks('open', async (page) => assert.equal(await choose(page, 'folder', join(tables, 'top')), 'Not all is established')));

test('a proof under a key that nothing shows, and the word of a signer', async () => {
  await looks('proof', (page) => choose(page, 'folder', join(vectors, 'snark/bls12-381')));
  await looks('word', (page) => choose(page, 'folder', join(verdicts, 'income')));
});

test('a ceremony, and a contribution to it', async () => {
  const statement = JSON.parse(readFileSync(join(vectors, 'ceremony/proof/claims/ceremony.json'), 'utf8')).statement;
  const { hash } = statement.contributions[0];
  await looks('ceremony', async (page) => {
    assert.equal(await choose(page, 'folder', join(vectors, 'ceremony/proof')), 'Not all is established');
    const said = await page.textContent('#result');
    assert.match(said, /A key of Groth16 on BN254, made by 1 contribution and 1 beacon. It was made again from its circuit and phase 1/);
    const find = async (typed) => {
      await page.fill('form.find input', typed);
      await page.click('text=Find my contribution');
      return (await page.waitForSelector('form.find + .verdict', { state: 'visible' })).textContent();
    };
    assert.match(await find('ben'), /A contribution has this name. Anybody can write any name/);
    assert.match(await find('Eve'), /No contribution has this name/);
    assert.match(await find(hash.replace('c9', '00')), /No contribution has this hash/);
    assert.match(await find(`\t${hash.replace(/(.{8})/g, '$1 ').toUpperCase()}`), /Your contribution is in.*Contribution 1 to the key, Ben/);
    await page.click('text=All 4 contributions');
  });
  const page = await open();
  for (const name of ['record', 'snarkjs']) {
    assert.equal(await choose(page, 'folder', join(vectors, 'ceremony', name)), 'Not all is established', name);
    assert.doesNotMatch(await page.textContent('#result'), /✗|– is not checked|Nothing here shows/);
    await page.click('text=Check another one');
  }
});

test('an operator that cheated, and answers that are withheld', async () => {
  await looks('evidence', async (page) => {
    assert.equal(await choose(page, 'folder', join(tables, 'omission')), 'The claim holds');
    assert.match(await page.textContent('#result'), /The operator of the table “pay” cheated/);
  });
  await looks('withheld', async (page) => {
    await choose(page, 'folder', join(tables, 'hierarchy-region'));
    assert.match(await page.textContent('#result'), /withheld, because another answer and this one together/);
  });
});

test('a kind that this page does not know', async () => {
  const unknown = write('unknown', restate(readFiles(join(vectors, 'table/sum')), '"table-answer"', '"something"'));
  await looks('unknown', async (page) => {
    assert.equal(await choose(page, 'folder', unknown), 'Not all is established');
    assert.match(await page.textContent('#result'), /is not checked/);
  });
});

test('what is false, what is unknown, what is no bundle', async () => {
  const broken = join(scratch, 'broken');
  cpSync(join(vectors, 'table/sum'), broken, { recursive: true });
  const proof = readFileSync(join(broken, 'objects/table/answer-0.proof'));
  proof[100] ^= 1;
  writeFileSync(join(broken, 'objects/table/answer-0.proof'), proof);
  await looks('false', async (page) => {
    assert.equal(await choose(page, 'folder', broken), 'This is not true');
    assert.match(await page.textContent('#result'), /CB-5/);
  });
  const refuted = write('refuted', restate(readFiles(join(vectors, 'table/sum')), '"count": 4', '"count": 5'));
  await looks('refuted', async (page) => {
    assert.equal(await choose(page, 'folder', refuted), 'A claim is false');
    assert.match(await page.textContent('#result'), /CB-12/);
  });
  const empty = join(scratch, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'letter.txt'), 'hello');
  await looks('nothing', async (page) => assert.equal(await choose(page, 'folder', empty), 'Nothing to check'));
});

test('zip archives, and bad ones', async () => {
  const page = await open();
  const archive = async (name, bytes) => {
    writeFileSync(join(scratch, name), bytes);
    const title = await choose(page, 'zip', join(scratch, name));
    await page.click('text=Check another one');
    return title;
  };
  const good = zip(lookup());
  assert.equal(await archive('good.zip', good), 'The claim holds');
  assert.equal(await archive('cut.zip', good.subarray(0, good.length - 30)), 'Nothing to check');
  assert.equal(await archive('bomb.zip', zip([['bundle.json', Buffer.alloc(2 ** 24)]], () => 10)), 'Nothing to check');
  assert.equal(await archive('large.zip', zip(lookup(), () => 2 ** 31)), 'Nothing to check');
  assert.equal(await archive('twice.zip', zip([...lookup(), ...lookup()])), 'Nothing to check');
  assert.equal(await archive('noise.zip', Buffer.alloc(5000, 7)), 'Nothing to check');
});

test('is my row in?', () =>
  looks('row', async (page) => {
    await choose(page, 'folder', join(tables, 'lookup'));
    await page.waitForSelector('form');
    const fill = async (wage) => {
      await page.setInputFiles('form input[type=file]', join(tables, 'ada.keys'));
      await page.selectOption('form select >> nth=0', 'engineer');
      await page.fill('form input[inputmode] >> nth=0', wage);
      await page.fill('form input[inputmode] >> nth=1', '38');
      await page.click('text=Check my row');
      return (await page.waitForSelector('form + .verdict', { state: 'visible' })).textContent();
    };
    assert.match(await fill('512.49'), /not your row.*TB-13/);
    assert.match(await fill('512.50'), /Your row is in/);
  }));

test('stopped, and begun again', async () => {
  const page = await open();
  await page.setInputFiles('#folder', join(vectors, 'table/audit'));
  await page.evaluate(() => document.getElementById('cancel').click());
  assert.equal(await choose(page, 'folder', join(vectors, 'table/audit')), 'The claim holds');
});

test('by keyboard alone', async () => {
  const page = await open();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'folder');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'zip');
  await choose(page, 'folder', join(vectors, 'table/lookup'));
  assert.equal(await page.evaluate(() => document.activeElement.id), 'result-title');
  assert.equal(await page.textContent('[role=status]'), 'The claim holds');
});

test('no request leaves the page', () => {
  const outside = requests.filter((url) => !url.startsWith('file:') && !url.startsWith('blob:'));
  assert.deepEqual(outside, []);
  assert.ok(requests.every((url) => !url.startsWith('file:') || url === page_));
});
