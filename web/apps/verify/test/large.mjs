// Times the page on folders, in Chromium: node test/large.mjs [--seconds N] [--megabytes N] FOLDER...
// It prints the verdict, the time, and the greatest memory of all of the browser's processes together (their
// proportional set sizes), and fails over the limits.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string' }, megabytes: { type: 'string' } } });

/** Megabytes of a process and of all that it started. */
function memory(root) {
  const children = new Map();
  for (const line of execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const own = (pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1000;
    } catch {
      return 0; // It ended meanwhile.
    }
  };
  const sum = (pid) => own(pid) + (children.get(pid) ?? []).reduce((all, child) => all + sum(child), 0);
  return sum(String(root));
}

for (const folder of positionals) {
  const server = await chromium.launchServer({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  const browser = await chromium.connect(server.wsEndpoint());
  const page = await browser.newPage();
  await page.goto(new URL('../dist/verify.html', import.meta.url).href);
  const start = performance.now();
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, memory(server.process().pid))), 500);
  await page.setInputFiles('#folder', folder);
  await page.waitForSelector('#result h1', { state: 'visible', timeout: 1_200_000 });
  const seconds = (performance.now() - start) / 1000;
  clearInterval(watch);
  const marks = (await page.locator('.claim h2').allTextContents()).map((text) => text.trim()).join('; ');
  console.log(`${folder}: ${(await page.textContent('#result h1')).trim()} (${marks}): ${seconds.toFixed(1)} s, ${most.toFixed(0)} MB`);
  if (seconds > Number(values.seconds ?? Infinity) || most > Number(values.megabytes ?? Infinity) || /✗/.test(marks)) process.exitCode = 1;
  await browser.close();
  await server.close();
}
