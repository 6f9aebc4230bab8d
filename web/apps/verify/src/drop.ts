import { fileKind, type MixFiles } from 'subrosa-verify';
import type { Dropped } from './messages.js';
import { unzip } from './unzip.js';

/** Files of a system or of a desktop that nobody meant to publish. */
const isJunk = (path: string): boolean => /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$|^__MACOSX\//.test(path);

/** The files below the folder that has the manifest; without one, below their common folder. */
export function rebase(files: Dropped[]): Dropped[] {
  const own = files.filter(({ path }) => !isJunk(path));
  const manifests = own.filter(({ path }) => /(^|\/)bundle\.json$/.test(path)).sort((a, b) => a.path.length - b.path.length);
  const root = manifests[0]?.path.slice(0, -'bundle.json'.length) ?? '';
  return own.flatMap(({ path, file }) => (path.startsWith(root) ? [{ path: path.slice(root.length), file }] : []));
}

/** The files that were chosen with an input. */
export async function chosen(list: File[]): Promise<Dropped[]> {
  const [first] = list;
  if (first !== undefined && list.length === 1 && /\.zip$/i.test(first.name)) return rebase(await unzip(first));
  return rebase(list.map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

async function walk(entry: FileSystemEntry): Promise<Dropped[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ''), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Dropped[] = [];
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const inside of entries) found.push(...(await walk(inside)));
  }
}

/** The files that were dropped: a folder, an archive, or several files. */
export async function dropped(transfer: DataTransfer): Promise<Dropped[]> {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const [only] = entries;
  if (only === undefined || (entries.length === 1 && only.isFile)) return chosen(Array.from(transfer.files));
  return rebase((await Promise.all(entries.map(walk))).flat());
}

/** The files of a mix, if these are such: a key, ciphertexts, and mixes in the order of their positions. */
export async function mixFiles(files: Dropped[]): Promise<MixFiles | undefined> {
  if (files.some(({ path }) => path === 'bundle.json')) return undefined;
  const read = await Promise.all(
    files.map(async ({ path, file }) => ({ path, file, kind: fileKind(new Uint8Array(await file.slice(0, 18).arrayBuffer())) })),
  );
  const bytes = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());
  const key = read.find(({ kind }) => kind === 'mixkey');
  const list = read.find(({ kind }) => kind === 'mixlist');
  const mixes = read.filter(({ kind }) => kind === 'mix').sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
  if (key === undefined || list === undefined || mixes.length === 0) return undefined;
  return {
    key: await bytes(key.file),
    ciphertexts: await bytes(list.file),
    mixes: await Promise.all(mixes.map(async ({ path, file }) => ({ name: path, bytes: await bytes(file) }))),
  };
}
