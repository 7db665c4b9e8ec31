/** Unpacking an archive into a workspace whose content is not to be trusted, and neither is the archive. */
import { constants } from 'node:fs';
import { chmod, chown, lchown, lstat, mkdir, open, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Entry, open as openZip, type ZipFile } from 'yauzl';
import type { Account } from '../executors/types.ts';

/** Limits against archives that unfold without end. */
const EXTRACT_LIMITS = { entries: 1_000_000, bytes: 32 * 1024 ** 3, linkTarget: 4096 };

/**
 * Unpacks `archive` below `workspace`, giving everything to `account`. Existing files are replaced; no component of a
 * path may be a link; links are made last and only within the workspace. Throws on anything else. Returns the number of files.
 */
export async function extractZip(archive: string, workspace: string, account: Account | undefined): Promise<number> {
  const zip = await openArchive(archive);
  const links: { path: string; target: string }[] = [];
  let files = 0;
  let bytes = 0;
  try {
    if (zip.entryCount > EXTRACT_LIMITS.entries) throw new Error(`more than ${EXTRACT_LIMITS.entries} entries`);
    for await (const entry of entriesOf(zip)) {
      const mode = entry.externalFileAttributes >>> 16;
      const kind = mode & 0o170000;
      const path = safePath(entry.fileName);
      if (entry.fileName.endsWith('/')) await makeDirectory(workspace, path, account);
      else if (kind === 0o120000) links.push({ path, target: await readAll(zip, entry) });
      else if (kind === 0 || kind === 0o100000) {
        await makeDirectory(workspace, dirname(path), account);
        bytes += await writeFile(
          zip,
          entry,
          join(workspace, path),
          mode & 0o777 || 0o644,
          account,
          EXTRACT_LIMITS.bytes - bytes,
        );
        files++;
      } else throw new Error(`${path} is neither a file, a directory nor a link`);
    }
    for (const link of links) await makeLink(workspace, link.path, link.target, account);
    return files + links.length;
  } finally {
    zip.close();
  }
}

function openArchive(archive: string): Promise<ZipFile> {
  return new Promise((done, reject) => {
    openZip(archive, { lazyEntries: true, autoClose: false, strictFileNames: true }, (error, zip) =>
      error || !zip ? reject(error ?? new Error('not an archive')) : done(zip),
    );
  });
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (let read = 0; read < zip.entryCount; read++) {
    yield await new Promise<Entry>((done, reject) => {
      const settle = () => {
        zip.off('entry', onEntry);
        zip.off('error', onError);
      };
      const onEntry = (entry: Entry) => {
        settle();
        done(entry);
      };
      const onError = (error: Error) => {
        settle();
        reject(error);
      };
      zip.on('entry', onEntry);
      zip.on('error', onError);
      zip.readEntry();
    });
  }
}

// The parser has refused absolute names, backslashes and `..` already; what remains is ours to refuse.
function safePath(name: string): string {
  const path = name.replace(/\/+$/, '');
  const bad =
    path === '' || path.split('/').some((part) => part === '' || part === '.' || part === '..') || /\p{Cc}/u.test(path);
  if (bad || path === '.git' || path.startsWith('.git/'))
    throw new Error(`an entry named ${JSON.stringify(name)} is refused`);
  return path;
}

async function makeDirectory(workspace: string, path: string, account: Account | undefined): Promise<void> {
  let current = workspace;
  for (const part of path.split('/')) {
    if (part === '.' || part === '') continue;
    current = join(current, part);
    const found = await lstat(current).catch(() => undefined);
    if (found?.isDirectory()) continue;
    if (found) throw new Error(`${path}: ${part} is in the way and is not a directory`);
    await mkdir(current, { mode: 0o755 });
    if (account) await lchown(current, account.uid, account.gid);
  }
}

function contentOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((done, reject) =>
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : done(stream))),
  );
}

async function readAll(zip: ZipFile, entry: Entry): Promise<string> {
  if (entry.uncompressedSize > EXTRACT_LIMITS.linkTarget)
    throw new Error(`${entry.fileName}: a link this long is refused`);
  const chunks: Buffer[] = [];
  for await (const chunk of (await contentOf(zip, entry)) as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function writeFile(
  zip: ZipFile,
  entry: Entry,
  target: string,
  mode: number,
  account: Account | undefined,
  allowance: number,
): Promise<number> {
  const found = await lstat(target).catch(() => undefined);
  if (found?.isDirectory()) throw new Error(`${entry.fileName}: a directory is in the way`);
  if (found) await rm(target);
  const file = await open(
    target,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  let size = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(
        size > allowance ? new Error(`the archive unfolds to more than ${EXTRACT_LIMITS.bytes} bytes`) : null,
        chunk,
      );
    },
  });
  await pipeline(await contentOf(zip, entry), limit, file.createWriteStream());
  if (account) await chown(target, account.uid, account.gid);
  await chmod(target, mode);
  return size;
}

async function makeLink(workspace: string, path: string, target: string, account: Account | undefined): Promise<void> {
  const root = resolve(workspace);
  const end = resolve(root, dirname(path), target);
  if (target.startsWith('/') || target.includes('\0') || (end !== root && !end.startsWith(root + sep))) {
    throw new Error(`${path} links out of the project directory`);
  }
  await makeDirectory(root, dirname(path), account);
  const place = join(root, path);
  const found = await lstat(place).catch(() => undefined);
  if (found?.isDirectory()) throw new Error(`${path}: a directory is in the way`);
  if (found) await rm(place);
  await symlink(target, place);
  if (account) await lchown(place, account.uid, account.gid);
}
