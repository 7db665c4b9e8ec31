/** Keeping secure files: encrypted in the object store, named once per project, few per project. */
import { readFile } from 'node:fs/promises';
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { SecureFile } from '../../../kernel/db/rows.ts';
import { invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import type { CiDependencies } from '../deps.ts';
import { sealed } from '../variables/sealing.ts';
import { metadataOf } from './metadata.ts';
import {
  countSecureFilesLocked,
  deleteSecureFile,
  insertSecureFile,
  secureFileExists,
} from './secure-files.queries.ts';

/** Bytes of one file; one of exactly so many fits. */
export const maxSecureFileBytes = 5 * 1024 * 1024;
const maxSecureFiles = 100;
const maxNameLength = 255;

export type SecureFiles = ReturnType<typeof secureFilesService>;

export function secureFilesService({ db, objects, secrets }: Pick<CiDependencies, 'db' | 'objects' | 'secrets'>) {
  const record = (tx: Db, subject: ProjectSubject, event: string, row: SecureFile, origin: AuditOrigin) =>
    recordAudit(tx, {
      ...origin,
      entity: entityOfPlace(subject),
      event,
      details: {},
      target: { type: 'SecureFile', id: row.id, details: row.name },
    });

  function checkName(name: string): void {
    if (name.trim() === '') throw invalidRecord({ name: ["can't be blank"] });
    if (name.length > maxNameLength)
      throw invalidRecord({ name: [`is too long (maximum is ${maxNameLength} characters)`] });
    if (name.includes('\0')) throw invalidRecord({ name: ['is invalid'] });
  }
  const taken = () => invalidRecord({ name: ['has already been taken'] });

  return {
    async create(subject: ProjectSubject, name: string, file: UploadedFile, origin: AuditOrigin): Promise<SecureFile> {
      const { id: projectId } = subject.project;
      checkName(name);
      // Asked before anything is stored, and again by the insert.
      if (await secureFileExists(db, projectId, name)) throw taken();
      const content = await readFile(file.path);
      const metadata = metadataOf(name, content);
      const object = await objects.put(secrets.seal(content, sealed.secureFile));
      try {
        return await transaction(db, async (tx) => {
          if ((await countSecureFilesLocked(tx, projectId)) >= maxSecureFiles)
            throw invalidRecord({ base: [`Maximum number of ci secure files (${maxSecureFiles}) exceeded`] });
          const row = await insertSecureFile(tx, {
            project_id: projectId,
            name,
            sha256: file.sha256,
            size: file.size,
            object_key: object.key,
            metadata: metadata && JSON.stringify(metadata),
            expires_at: metadata?.expires_at ?? null,
          });
          if (!row) throw taken();
          await record(tx, subject, 'secure_file_created', row, origin);
          return row;
        });
      } catch (error) {
        await objects.remove(object.key);
        throw error;
      }
    },

    /** The content; 404 when the object is gone. */
    async content(row: SecureFile): Promise<Buffer> {
      if (!(await objects.exists(row.object_key))) throw notFound();
      const chunks: Buffer[] = [];
      for await (const chunk of objects.get(row.object_key) as AsyncIterable<Buffer>) chunks.push(chunk);
      return secrets.openBytes(Buffer.concat(chunks), sealed.secureFile);
    },

    async remove(subject: ProjectSubject, row: SecureFile, origin: AuditOrigin): Promise<void> {
      await transaction(db, async (tx) => {
        if (!(await deleteSecureFile(tx, row.id))) throw notFound();
        await record(tx, subject, 'secure_file_deleted', row, origin);
      });
    },
  };
}
