/** Where backups are: a folder or a bucket with two stores, one of manifests and one of everything that they name. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { type ObjectStore, type ObjectsConfig, openObjectStore } from '../../../kernel/objects/index.ts';
import { type Blob, type ManifestBody, type ManifestHead, parsedHead, type Sealing } from './manifest.ts';
import { DamagedBackup, opened, sealed, sealedSize } from './sealing.ts';

/** The URL of a folder below another one. */
function below(url: string, name: string): string {
  const [address = '', query] = url.split('?', 2);
  return `${address.replace(/\/+$/, '')}/${name}${query === undefined ? '' : `?${query}`}`;
}

const headLimit = 1024 * 1024;

interface Written {
  readonly blob: Blob;
  /** Bytes that were stored now. */
  readonly stored: number;
}

async function* buffers(source: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer> {
  for await (const part of source) yield typeof part === 'string' ? Buffer.from(part) : part;
}

/** Bytes through zlib's stream, with errors of both ends. */
function through(source: AsyncIterable<Buffer>, transform: ReturnType<typeof createZstdCompress>): Readable {
  pipeline(Readable.from(source), transform).catch((error: Error) => transform.destroy(error));
  return transform;
}

export interface Destination {
  readonly url: string;
  /** Names of all backups, oldest first. */
  names(): Promise<string[]>;
  /** Throws DamagedBackup where there is none of that name or it cannot be read. */
  head(name: string): Promise<ManifestHead>;
  body(head: ManifestHead, sealing: Sealing): Promise<ManifestBody>;
  writeManifest(head: ManifestHead, body: ManifestBody, sealing: Sealing): Promise<number>;
  removeManifest(name: string): Promise<void>;
  /** Keeps a stream, compressed. */
  write(source: AsyncIterable<string | Buffer>, label: string, sealing: Sealing): Promise<Written>;
  /** The content of what `write` kept. */
  read(blob: Blob, label: string, sealing: Sealing): AsyncIterable<Buffer>;
  /** Keeps an object under a name that follows from its key, unless it is there. */
  writeObject(
    object: { readonly key: string; readonly size: number },
    content: () => Readable,
    options: { readonly sealing: Sealing; readonly again: boolean },
  ): Promise<Written>;
  readObject(object: { readonly key: string; readonly size: number }, sealing: Sealing): AsyncIterable<Buffer>;
  /** The file of an object. */
  objectBlob(object: { readonly key: string; readonly size: number }, sealing: Sealing): Blob;
  /** Every file but manifests. */
  files(): AsyncIterable<{ readonly key: string; readonly size: number }>;
  removeFile(key: string): Promise<void>;
  sizeOf(key: string): Promise<number | null>;
  check(): Promise<void>;
}

const objectLabel = (key: string) => `object ${key}`;

export async function openDestination(config: ObjectsConfig, url: string): Promise<Destination> {
  // Without files in flight: a restore that is refused leaves nothing in an empty data directory.
  const open = (name: string): Promise<ObjectStore> =>
    openObjectStore({ ...config, objects: below(url, name) }, { drafts: false });
  const [manifests, data] = await Promise.all([open('manifests'), open('data')]);

  const objectBlob = ({ key, size }: { key: string; size: number }, sealing: Sealing): Blob => ({
    key: createHash('sha256').update(`${sealing.id}\0${key}`).digest('hex').slice(0, 32),
    size: sealedSize(size, sealing.key !== null),
  });

  /** Opens a stored file; what cannot be read is damage, too. */
  async function* contentOf(store: ObjectStore, key: string, label: string, secret: Buffer | null) {
    try {
      yield* opened(store.get(key), label, secret);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new DamagedBackup(`${label} is missing`);
      throw error;
    }
  }

  async function manifestText(name: string): Promise<{ headLine: string; rest: () => AsyncIterable<Buffer> }> {
    if (!/^[0-9a-f]{32}$/.test(name) || !(await manifests.exists(name)))
      throw new DamagedBackup(`there is no complete backup ${name} in ${url.split('?')[0]}`);
    const size = (await manifests.size(name)) ?? 0;
    const start = await text(manifests.get(name, { start: 0, end: Math.min(size, headLimit) - 1 }));
    const end = start.indexOf('\n');
    if (end === -1) throw new DamagedBackup(`the manifest of backup ${name} is damaged`);
    const headLine = start.slice(0, end);
    const from = Buffer.byteLength(headLine) + 1;
    if (from >= size) throw new DamagedBackup(`the manifest of backup ${name} is cut off`);
    return { headLine, rest: () => manifests.get(name, { start: from, end: size - 1 }) };
  }

  const bodyLabel = (headLine: string) => `manifest ${createHash('sha256').update(headLine).digest('hex')}`;

  return {
    url,
    async names() {
      const names: string[] = [];
      for await (const { key } of manifests.list()) names.push(key);
      return names.sort();
    },
    async head(name) {
      const { headLine } = await manifestText(name);
      const head = parsedHead(headLine, name);
      if (typeof head === 'string') throw new DamagedBackup(head);
      return head;
    },
    async body({ name }, sealing) {
      const { headLine, rest } = await manifestText(name);
      try {
        const content = through(opened(rest(), bodyLabel(headLine), sealing.key), createZstdDecompress());
        return JSON.parse(await text(content)) as ManifestBody;
      } catch (error) {
        throw new DamagedBackup(`the manifest of backup ${name} is damaged`, { cause: error });
      }
    },
    async writeManifest(head, body, sealing) {
      const headLine = JSON.stringify(head);
      const parts: Buffer[] = [Buffer.from(`${headLine}\n`)];
      const content = through(buffers(Readable.from([JSON.stringify(body)])), createZstdCompress());
      for await (const part of sealed(content, bodyLabel(headLine), sealing.key)) parts.push(part);
      const whole = Buffer.concat(parts);
      await manifests.adopt(head.name, Readable.from([whole]), whole.length);
      return whole.length;
    },
    removeManifest: (name) => manifests.remove(name),
    async write(source, label, sealing) {
      const packed = through(
        buffers(source),
        createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
      );
      const { key, size } = await data.put(Readable.from(sealed(packed, label, sealing.key)));
      return { blob: { key, size }, stored: size };
    },
    async *read({ key }, label, sealing) {
      try {
        yield* through(contentOf(data, key, label, sealing.key), createZstdDecompress());
      } catch (error) {
        if (error instanceof DamagedBackup || (error as { code?: unknown }).code === undefined) throw error;
        throw new DamagedBackup(`${label} is damaged`, { cause: error });
      }
    },
    objectBlob,
    async writeObject(object, content, { sealing, again }) {
      const blob = objectBlob(object, sealing);
      if (!again && (await data.size(blob.key)) === blob.size) return { blob, stored: 0 };
      const source = sealed(content(), objectLabel(object.key), sealing.key);
      await data.adopt(blob.key, Readable.from(source), blob.size);
      return { blob, stored: blob.size };
    },
    readObject: (object, sealing) =>
      contentOf(data, objectBlob(object, sealing).key, objectLabel(object.key), sealing.key),
    files: () => data.list(),
    removeFile: (key) => data.remove(key),
    sizeOf: (key) => data.size(key),
    async check() {
      await Promise.all([manifests.check(), data.check()]);
    },
  };
}
