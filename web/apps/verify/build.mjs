// Builds the page: one file that asks nobody for anything. The same sources make the same bytes.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const here = new URL('./', import.meta.url);
const path = (name) => new URL(name, here).pathname;

async function bundle(entry, define = {}) {
  const result = await build({
    entryPoints: [path(entry)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome110', 'firefox113', 'safari16.4'],
    charset: 'utf8',
    legalComments: 'none',
    write: false,
    define,
  });
  return result.outputFiles[0].text;
}

const inline = (script) => script.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const hash = (source) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;

const worker = await bundle('src/worker.ts');
const script = inline(await bundle('src/page.ts', { WORKER: JSON.stringify(worker) }));
const style = (await build({ entryPoints: [path('src/style.css')], minify: true, write: false })).outputFiles[0].text.trim();
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const template = await readFile(path('src/page.html'), 'utf8');
const page = template
  .replace('{policy}', () => policy)
  .replace('{style}', () => style)
  .replace('{script}', () => script);
await mkdir(path('dist'), { recursive: true });
await writeFile(path('dist/verify.html'), page);
console.log(`${createHash('sha256').update(page).digest('hex')}  verify.html, ${Buffer.byteLength(page)} bytes`);
