/** What a backup consists of: a manifest in the destination, written last, that names every other file. */
import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { DumpedJob, DumpedSequence, DumpedTable } from '../../../kernel/db/dump.ts';

const version = 1;

/** A file in the destination. */
export interface Blob {
  readonly key: string;
  readonly size: number;
}

/** A line of the catalog of repositories. */
export interface RepositoryEntry {
  /** `projects:7`: the same repository in every backup. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly storage: string;
  readonly path: string;
  readonly head: string | null;
  readonly refs: ReadonlyArray<readonly [ref: string, id: string]>;
  /** In the order in which they are put in; each builds on those before it. */
  readonly packs: readonly Blob[];
}

/** A line of the catalog of objects. */
export interface ObjectEntry {
  readonly key: string;
  /** Bytes as they were. */
  readonly size: number;
}

interface Encryption {
  readonly kdf: 'scrypt';
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  /** Tells a wrong passphrase from a damaged backup. */
  readonly check: string;
}

/** Readable without the passphrase. */
export interface ManifestHead {
  readonly format: 'millrace-backup';
  readonly version: number;
  readonly name: string;
  readonly release: string;
  /** When it was begun; everything acknowledged before is in it. */
  readonly point_at: string;
  readonly encryption: Encryption | null;
  readonly repositories: number;
  readonly objects: number;
  /** Bytes of all its files. */
  readonly bytes: number;
  /** The names of all its files, for removing those that no backup needs. */
  readonly references: Blob;
}

export interface ManifestBody {
  readonly migrations: readonly string[];
  readonly tables: readonly DumpedTable[];
  /** The rows of all tables. */
  readonly database: Blob;
  readonly sequences: readonly DumpedSequence[];
  readonly jobs: readonly DumpedJob[];
  readonly repositories: Blob;
  readonly objects: Blob;
  /** The key file, in base64. */
  readonly secrets: string;
  readonly problems: readonly string[];
}

/** The passphrase is missing, wrong, or given for a backup that has none. */
export class PassphraseError extends Error {
  override readonly name = 'PassphraseError';
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Names sort by time, and have the form of an object key. */
export const newName = (now: Date) => now.getTime().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');

export interface Sealing {
  readonly encryption: Encryption | null;
  readonly key: Buffer | null;
  /** Equal for backups that can share files. */
  readonly id: string;
}

export const plain: Sealing = { encryption: null, key: null, id: 'plain' };

async function derived(passphrase: string, { n, r, p, salt }: Omit<Encryption, 'check' | 'kdf'>) {
  const bytes = await derive(passphrase, Buffer.from(salt, 'hex'), 64, { N: n, r, p, maxmem: 256 * n * r });
  return { key: bytes.subarray(0, 32), check: bytes.subarray(32, 48).toString('hex') };
}

/** The key of a passphrase, new or as an earlier backup has it. */
export async function newSealing(passphrase: string | null, before: readonly ManifestHead[]): Promise<Sealing> {
  if (passphrase === null) return plain;
  for (const { encryption } of before.toReversed()) {
    if (!encryption) continue;
    const { key, check } = await derived(passphrase, encryption);
    // The same passphrase: files of that backup can be used again.
    if (check === encryption.check) return { encryption, key, id: encryption.salt };
    break;
  }
  const parameters = { n: 32768, r: 8, p: 1, salt: randomBytes(16).toString('hex') };
  const { key, check } = await derived(passphrase, parameters);
  return { encryption: { kdf: 'scrypt', ...parameters, check }, key, id: parameters.salt };
}

/** Throws PassphraseError where the passphrase is not that of the backup. */
export async function sealingOf({ encryption, name }: ManifestHead, passphrase: string | null): Promise<Sealing> {
  if (!encryption) return plain;
  if (passphrase === null) throw new PassphraseError(`backup ${name} is encrypted: its passphrase is required`);
  const { key, check } = await derived(passphrase, encryption);
  if (check !== encryption.check) throw new PassphraseError(`the passphrase is not that of backup ${name}`);
  return { encryption, key, id: encryption.salt };
}

/** Whether text is the head of a manifest that this release reads; throws with the reason where it is not. */
export function parsedHead(text: string, name: string): ManifestHead | string {
  let head: Partial<ManifestHead>;
  try {
    head = JSON.parse(text) as Partial<ManifestHead>;
  } catch {
    return `the manifest of backup ${name} is damaged`;
  }
  if (head?.format !== 'millrace-backup' || head.name !== name) return `the manifest of backup ${name} is damaged`;
  if (head.version !== version)
    return `backup ${name} has format ${head.version}, this release reads format ${version}: use the release that wrote it`;
  return head as ManifestHead;
}

export const headOf = (head: Omit<ManifestHead, 'format' | 'version'>): ManifestHead => ({
  format: 'millrace-backup',
  version,
  ...head,
});
