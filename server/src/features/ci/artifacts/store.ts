/** Artifacts in the object store: whole ones, and single files out of an archive without unpacking it. */
import type { Readable } from 'node:stream';
import yauzl from 'yauzl';
import { HttpError, notFound, plainError } from '../../../kernel/http/errors.ts';
import type { CiDependencies } from '../deps.ts';
import { ObjectReader } from './object-reader.ts';
import { maxPathLength, nameOf } from './zip-names.ts';

type Objects = Pick<CiDependencies, 'objects'>;

/** A stored object as a stream; 404 when it has been removed. */
export async function readObject({ objects }: Objects, key: string): Promise<Readable> {
  if (!(await objects.exists(key))) throw notFound();
  return objects.get(key);
}

/** The path as archives spell it; 400 for one that leaves the archive or could never be in one. */
export function entryPath(path: string): string {
  const parts = path.split('/');
  const bad =
    path === '' ||
    path.length > maxPathLength ||
    path.includes('\0') ||
    path.includes('\\') ||
    parts.some((part) => part === '' || part === '.' || part === '..');
  if (bad) throw plainError(400, '400 Bad request');
  return path;
}

export interface ZipFile {
  readonly stream: Readable;
  /** Bytes unpacked. */
  readonly size: number;
}

const openZip = (reader: yauzl.RandomAccessReader, size: number): Promise<yauzl.ZipFile> =>
  new Promise((resolve, reject) => {
    // Names are read by nameOf: one that the library refuses would hide all the others.
    const options = { lazyEntries: true, autoClose: true, validateEntrySizes: true, decodeStrings: false };
    yauzl.fromRandomAccessReader(reader, size, options, (error, zip) => {
      if (error) reject(error);
      else resolve(zip);
    });
  });

const findEntry = (zip: yauzl.ZipFile, path: string): Promise<yauzl.Entry | null> =>
  new Promise((resolve, reject) => {
    zip.on('entry', (entry: yauzl.Entry) => {
      if (nameOf(entry) === path) resolve(entry);
      else zip.readEntry();
    });
    zip.once('end', () => resolve(null));
    zip.once('error', reject);
    zip.readEntry();
  });

/** Type bits of a mode that are a symbolic link's. */
const isLink = (entry: yauzl.Entry) => ((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000;

const streamOf = (zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error) reject(error);
      else resolve(stream);
    });
  });

/** What the library cannot read: damage, encryption, ways of packing that it does not know. */
const unreadable = () => plainError(422, '422 Unprocessable - the file cannot be read out of the archive');

/** One file of an archive; null when it is not in there, or is no regular file. */
export async function zipEntry({ objects }: Objects, key: string, path: string): Promise<ZipFile | null> {
  const size = await objects.size(key);
  if (size === null) return null;
  const reader = new ObjectReader(objects, key, size);
  let zip: yauzl.ZipFile | undefined;
  try {
    zip = await openZip(reader, size);
    const entry = await findEntry(zip, path);
    if (!entry || isLink(entry)) return null;
    return { stream: await streamOf(zip, entry), size: entry.uncompressedSize };
  } catch {
    throw reader.failure ?? unreadable();
  } finally {
    // The stream has a hold of its own on the reader.
    if (zip?.isOpen) zip.close();
  }
}

export interface ZipName {
  readonly path: string;
  readonly size: number;
  /** Permissions, in octal. */
  readonly mode: string;
}

/** Files that a list of an archive may have: beyond it, whoever wants them downloads it. */
const mostEntries = 200_000;

/** All files of an archive, links left out; null when it is gone. 422 when there are too many to list. */
export async function zipNames({ objects }: Objects, key: string): Promise<ZipName[] | null> {
  const size = await objects.size(key);
  if (size === null) return null;
  const reader = new ObjectReader(objects, key, size);
  try {
    const zip = await openZip(reader, size);
    if (zip.entryCount > mostEntries) {
      zip.close();
      throw plainError(422, `422 Unprocessable - the archive has more than ${mostEntries} files, too many to list`);
    }
    const found: ZipName[] = [];
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: yauzl.Entry) => {
        const path = nameOf(entry);
        const mode = (entry.externalFileAttributes >>> 16) & 0o7777;
        if (!path.endsWith('/') && !isLink(entry))
          found.push({ path, size: entry.uncompressedSize, mode: (mode || 0o644).toString(8).padStart(6, '100') });
        zip.readEntry();
      });
      zip.once('end', resolve);
      zip.once('error', reject);
      zip.readEntry();
    });
    return found;
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw reader.failure ?? unreadable();
  }
}
