/** Publishing packages and taking them away: files in the object store, with what proves that they are whole. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Package } from '../../../kernel/db/rows.ts';
import { forbidden, invalidParameters, recordNotFound, tooLarge } from '../../../kernel/http/errors.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import * as queries from './packages.queries.ts';
import { isProtectedFrom } from './protection.ts';

export interface PackagesDependencies {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly settings: Settings;
  /** Without a trailing slash. */
  readonly externalUrl: string;
}

const limitName = 'generic_packages_max_file_size';
const namePattern = /^[A-Za-z0-9._+-]+$/;
const versionPattern = /^(?!.*\.\.)[\w.+-]+$/;
const filePattern = /^(?![~@])[A-Za-z0-9._+~@-]+(?<![~@])$/;
const dots = new Set(['.', '..']);

export interface FileOf {
  readonly name: string;
  readonly version: string;
  /** As it is stored: slashes of paths are `%2F`. */
  readonly file: string;
}

/** What names a file of a package. Throws 400 for what no package and no file is called. */
export function fileOf(name: string, version: string, path: string): FileOf {
  const parts = path.split('/');
  const wrong = [
    ...(namePattern.test(name) && !dots.has(name) && name.length <= 255 ? [] : ['package_name is invalid']),
    ...(versionPattern.test(version) && !dots.has(version) && version.length <= 255
      ? []
      : ['package_version is invalid']),
    ...(parts.every((part) => filePattern.test(part) && !dots.has(part)) && path.length <= 255
      ? []
      : ['file_name is invalid']),
  ];
  if (wrong.length > 0) throw invalidParameters(wrong);
  return { name, version, file: parts.length === 1 ? path : encodeURIComponent(path) };
}

export function packageService({ db, objects, settings }: PackagesDependencies) {
  const recorded = (tx: Db, subject: ProjectSubject, origin: AuditOrigin, event: string, row: Package, file?: string) =>
    recordAudit(tx, {
      ...origin,
      entity: entityOfPlace(subject),
      event,
      details: { name: row.name, version: row.version, ...(file === undefined ? {} : { file }) },
      target: { type: 'Package', id: row.id, details: `${row.name} ${row.version}` },
    });

  async function requireDeletable(tx: Db, who: { subject: ProjectSubject; caller: Caller }, name: string) {
    if (await isProtectedFrom(tx, who, 'delete', name)) throw forbidden('Package is deletion protected.');
  }

  return {
    /** Takes the bytes of a file in; a file of the same name stays, and this one is downloaded from now on. */
    async publish(
      { subject, caller, origin }: { subject: ProjectSubject; caller: Caller; origin: AuditOrigin },
      of: FileOf,
      status: 'default' | 'hidden' | undefined,
      body: Readable & { readonly headers: Readonly<Record<string, string | string[] | undefined>> },
      signal: AbortSignal,
    ): Promise<queries.FileRow> {
      if (await isProtectedFrom(db, { subject, caller }, 'push', of.name)) throw forbidden('Package protected.');
      const { generic_packages_max_file_size: most } = await settings.read();
      const maxBytes = most === 0 ? Number.MAX_SAFE_INTEGER : most;
      if (Number(body.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(limitName, maxBytes);
      const [sha1, md5] = [createHash('sha1'), createHash('md5')];
      async function* hashed() {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          sha1.update(chunk);
          md5.update(chunk);
          yield chunk;
        }
      }
      const kept = await objects.put(Readable.from(hashed(), { objectMode: false }), { maxBytes, limitName, signal });
      const { credential } = caller;
      try {
        return await transaction(db, async (tx) => {
          const { id: projectId } = subject.project;
          const creator = caller.user?.id ?? null;
          const values = { project_id: projectId, name: of.name, version: of.version, creator_id: creator };
          const row = await queries.keepPackage(tx, { ...values, status: status ?? 'default' }, status !== undefined);
          const file = await queries.insertFile(tx, {
            package_id: row.id,
            project_id: projectId,
            pipeline_id:
              credential.kind === 'job' && credential.job.project_id === projectId ? credential.job.pipeline_id : null,
            file_name: of.file,
            size: kept.size,
            sha256: kept.sha256,
            sha1: sha1.digest(),
            md5: md5.digest(),
            object_key: kept.key,
          });
          await recorded(tx, subject, origin, 'package_file_published', row, of.file);
          return file;
        });
      } catch (error) {
        await objects.remove(kept.key);
        throw error;
      }
    },

    async remove(
      { subject, caller }: { subject: ProjectSubject; caller: Caller },
      id: number,
      origin: AuditOrigin,
      unmodifiedSince: (at: Date) => void,
    ): Promise<void> {
      await transaction(db, async (tx) => {
        const row = await queries.lockPackage(tx, subject.project.id, id);
        if (!row) throw recordNotFound();
        await requireDeletable(tx, { subject, caller }, row.name);
        unmodifiedSince(row.updated_at);
        await queries.deletePackage(tx, id);
        await recorded(tx, subject, origin, 'package_deleted', row);
      });
    },

    async removeFile(
      { subject, caller }: { subject: ProjectSubject; caller: Caller },
      ids: { readonly packageId: number; readonly fileId: number },
      origin: AuditOrigin,
      unmodifiedSince: (at: Date) => void,
    ): Promise<void> {
      await transaction(db, async (tx) => {
        const row = await queries.lockPackage(tx, subject.project.id, ids.packageId);
        if (row) await requireDeletable(tx, { subject, caller }, row.name);
        const file = row && (await queries.deleteFile(tx, row.id, ids.fileId));
        if (!row || !file) throw recordNotFound();
        unmodifiedSince(file.created_at);
        await recorded(tx, subject, origin, 'package_file_deleted', row, file.file_name);
      });
    },
  };
}
export type PackageService = ReturnType<typeof packageService>;
