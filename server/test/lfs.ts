/** LFS as bytes on the wire against the application under test, and what is stored of it. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { Method, TestApp } from './app.ts';
import type { Json, RepositoryProject } from './repositories.ts';

export const media = 'application/vnd.git-lfs+json';
export interface Made {
  readonly oid: string;
  readonly size: number;
  readonly bytes: Buffer;
}
/** An object that is new unless its bytes are given. */
export const made = (bytes: Buffer | string = randomBytes(2000)): Made => {
  const data = Buffer.from(bytes as Buffer);
  return { oid: createHash('sha256').update(data).digest('hex'), size: data.length, bytes: data };
};
/** The text that stands for an object in a repository. */
export const pointer = ({ oid, size }: Pick<Made, 'oid' | 'size'>): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;

/** What `git lfs install` writes, as the environment of one command of git. */
export const lfsFilters: Readonly<Record<string, string>> = environmentOf({
  'filter.lfs.clean': 'git-lfs clean -- %f',
  'filter.lfs.smudge': 'git-lfs smudge -- %f',
  'filter.lfs.process': 'git-lfs filter-process',
  'filter.lfs.required': 'true',
  'lfs.transfer.maxretrydelay': '1',
});
function environmentOf(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings);
  const numbered = entries.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(numbered) };
}

export type Headers = Record<string, string>;
export const basic = (password: string, username = 'git'): Headers => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
interface Action {
  readonly href: string;
  readonly header?: Headers;
  readonly expires_in: number;
}
interface BatchAnswer {
  readonly message?: string;
  readonly objects: {
    oid: string;
    size: number;
    actions?: Record<string, Action>;
    error?: Json;
    authenticated?: true;
  }[];
}

type Place = Pick<RepositoryProject, 'id' | 'fullPath' | 'owner'>;

/** Requests about a project, as its owner unless told. */
export function lfsClient(app: TestApp, project: Place) {
  const asOwner = (of: Place = project): Headers => basic(of.owner.secret);
  const client = {
    asOwner,
    send: async <T = Json>(method: Method, target: string, json: unknown, headers = asOwner(), of: Place = project) =>
      await app.request<T>(method, `/${of.fullPath}.git${target}`, {
        ...(json === undefined ? {} : { raw: JSON.stringify(json) }),
        headers: { 'Content-Type': media, Accept: media, ...headers },
      }),
    async batch(operation: string, objects: readonly unknown[], headers = asOwner(), of: Place = project) {
      const plain = objects.map((object) => ({ ...(object as object), bytes: undefined }));
      const json = { operation, objects: plain, transfers: ['basic'], ref: { name: 'refs/heads/main' } };
      const answer = await client.send<string>('POST', '/info/lfs/objects/batch', json, headers, of);
      expect(answer.headers.get('content-type')).toBe(media);
      return { status: answer.status, headers: answer.headers, ...(JSON.parse(answer.body) as BatchAnswer) };
    },
    async put({ oid, size, bytes }: Made, headers = asOwner(), of: Place = project) {
      const parts = { raw: bytes, headers: { 'Content-Type': 'application/octet-stream', ...headers } };
      const target = `/${of.fullPath}.git/gitlab-lfs/objects/${oid}/${size}`;
      const { status, body } = await app.request<string>('PUT', target, parts);
      return { status, ...(JSON.parse(body) as { message?: string }) };
    },
    get: (oid: string, headers = asOwner(), of: Place = project, method: Method = 'GET') =>
      app.request<string>(method, `/${of.fullPath}.git/gitlab-lfs/objects/${oid}`, { headers }),
    verify: async ({ oid, size }: { oid: string; size: number }, headers = asOwner(), of: Place = project) =>
      (await client.send('POST', '/info/lfs/verify', { oid, size }, headers, of)).status,
    /** How many files the object store has: complete ones and drafts. */
    stored: async () =>
      (await readdir(path.join(app.directory, 'objects'), { recursive: true, withFileTypes: true })).filter((entry) =>
        entry.isFile(),
      ).length,
    /** What the project's statistics say. */
    size: async (of: Place = project) =>
      (
        await app.db
          .selectFrom('project_statistics')
          .select('lfs_objects_size')
          .where('project_id', '=', of.id)
          .executeTakeFirstOrThrow()
      ).lfs_objects_size,
  };
  return client;
}
export type LfsClient = ReturnType<typeof lfsClient>;
