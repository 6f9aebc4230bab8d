// Times the page on a mix, in Chromium: node test/large.mjs FOLDER
import { chromium } from 'playwright-core';

const [folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.goto(new URL('../dist/verify.html', import.meta.url).href);
const start = performance.now();
await page.setInputFiles('#folder', folder);
await page.waitForSelector('#result h1', { state: 'visible', timeout: 600_000 });
console.log(`${(await page.textContent('#result h1')).trim()}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
await browser.close();
