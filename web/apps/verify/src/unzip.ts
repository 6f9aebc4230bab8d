import type { Dropped } from './messages.js';

/** Bounds on what is unpacked: files, bytes of one, bytes in all. */
const MAX_FILES = 65_535;
const MAX_FILE = 2 ** 30;
const MAX_ALL = 2 ** 31;

/** An archive that is none, or one of a form that is not read here. */
export class BadZip extends Error {}

const refuse = (what: string): never => {
  throw new BadZip(what);
};

/** The files of a zip archive: stored or deflated, without encryption, up to 65,535 of them. */
export async function unzip(archive: Blob): Promise<Dropped[]> {
  const tail = new DataView(await archive.slice(Math.max(0, archive.size - 65_557)).arrayBuffer());
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) refuse('this is no zip archive');
  const count = tail.getUint16(end + 10, true);
  const length = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  if (count === MAX_FILES || start + length > archive.size) refuse('the archive is cut off, or in a form for larger ones');
  const bytes = new Uint8Array(await archive.slice(start, start + length).arrayBuffer());
  const view = new DataView(bytes.buffer);
  const files: Dropped[] = [];
  const seen = new Set<string>();
  let all = 0;
  for (let i = 0, at = 0; i < count; i++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) refuse("the archive's list of files is damaged");
    const flags = view.getUint16(at + 8, true);
    const method = view.getUint16(at + 10, true);
    const packed = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    const name = view.getUint16(at + 28, true);
    const local = view.getUint32(at + 42, true);
    const mode = view.getUint32(at + 38, true) >>> 16;
    const path = decode(bytes.subarray(at + 46, at + 46 + name));
    at += 46 + name + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (path.endsWith('/')) continue;
    if ((flags & 1) !== 0 || (method !== 0 && method !== 8)) refuse(`\`${path}\` is encrypted, or packed in a way that is not read here`);
    if ((mode & 0xf000) === 0xa000) refuse(`\`${path}\` is a link`);
    if (seen.has(path)) refuse(`\`${path}\` is there twice`);
    seen.add(path);
    all += size;
    if (size > MAX_FILE || all > MAX_ALL) refuse('the archive unpacks to more than 2 GiB, or has a file of more than 1 GiB');
    files.push({ path, file: await unpack(archive, local, packed, size, method, path) });
  }
  return files;
}

function decode(name: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(name);
  } catch {
    return refuse('the name of a file is not UTF-8');
  }
}

async function unpack(archive: Blob, local: number, packed: number, size: number, method: number, path: string): Promise<Blob> {
  const header = new DataView(await archive.slice(local, local + 30).arrayBuffer());
  if (header.byteLength < 30 || header.getUint32(0, true) !== 0x04034b50) return refuse(`\`${path}\` is not where the archive says`);
  const start = local + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const data = archive.slice(start, start + packed);
  if (data.size !== packed) return refuse(`\`${path}\` is cut off`);
  if (method === 0) return packed === size ? data : refuse(`\`${path}\` has not the size that the archive says`);
  const parts: BlobPart[] = [];
  let unpacked = 0;
  try {
    const reader = data.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      unpacked += part.value.length;
      if (unpacked > size) break;
      parts.push(part.value);
    }
    if (unpacked > size) await reader.cancel();
  } catch {
    return refuse(`\`${path}\` cannot be unpacked`);
  }
  return unpacked === size ? new Blob(parts) : refuse(`\`${path}\` has not the size that the archive says`);
}
