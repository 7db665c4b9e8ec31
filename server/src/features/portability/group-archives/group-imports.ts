/** Groups from archives. The group at the top is made at once, what belongs to it and all below it in the background. */
import { createReadStream } from 'node:fs';
import Type from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import { anonymous, type Caller, type GroupSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { badRequest, HttpError, savedOr, tooLarge, unauthorized } from '../../../kernel/http/errors.ts';
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { findUser } from '../../identity/index.ts';
import { findNamespaceSubject, type GroupRelation, type GroupTarget, openness } from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { relationName, wikiName } from '../project-archives/manifest.ts';
import { peopleKnown } from '../project-archives/people.ts';
import {
  archiveReason,
  count,
  linesOf,
  type Outcome,
  readUploads,
  takeRows,
  tell,
} from '../project-archives/taking.ts';
import { ArchiveError, readTar, type TarEntry, unpacked } from '../project-archives/tar.ts';
import {
  archivedFiles,
  pictureName,
  type UploadLine,
  uploadSecretOf,
  uploadsName,
} from '../project-archives/uploads.ts';
import {
  type ArchivedGroupAttributes,
  type GroupLine,
  groupListName,
  groupManifestName,
  partOf,
  readGroupLine,
  readGroupManifest,
} from './group-manifest.ts';
import { findGroupImport, groupsWithin, insertGroupImport, setGroupImport } from './group-transfers.queries.ts';

const importTask = { name: 'portability.import_group', maxAttempts: 3 };
const mebibyte = 1024 ** 2;
const hour = 3_600_000;
/** Files in one archive, and groups: their names are kept while it is read. */
const [mostEntries, mostGroups] = [250_000, 10_000];

export interface GroupImportOptions {
  readonly file: UploadedFile;
  readonly name: string;
  readonly path: string;
  readonly parentId: number | null;
  /** Ends reading the archive: whoever sent it has gone. */
  readonly signal: AbortSignal;
}

/** What a group above or the instance may have decided otherwise. */
const contested = [
  'lock_math_rendering_limits_enabled',
  'math_rendering_limits_enabled',
  'share_with_group_lock',
  'shared_runners_setting',
] as const;
const ofTree = [
  'allowed_email_domains_list',
  'auto_ban_user_on_excessive_projects_download',
  'enabled_git_access_protocol',
  'new_user_signups_cap',
  'unique_project_download_limit',
  'unique_project_download_limit_allowlist',
  'unique_project_download_limit_interval_in_seconds',
] as const;

const without = (given: ArchivedGroupAttributes, names: readonly string[]): ArchivedGroupAttributes =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));

export function groupImportService(deps: PortabilityDependencies, relations: readonly GroupRelation[]) {
  const { db, objects, repository, namespaces, settings } = deps;
  const ownFiles = archivedFiles(deps);

  async function opened(packed: ReturnType<typeof createReadStream>): Promise<AsyncGenerator<TarEntry>> {
    const { max_decompressed_archive_size: megabytes, decompress_archive_file_timeout: seconds } =
      await settings.read();
    const maximum = megabytes === 0 ? Number.MAX_SAFE_INTEGER : megabytes * mebibyte;
    return readTar(unpacked(packed, maximum, 'max_decompressed_archive_size', seconds), mostEntries);
  }

  /** What the file says the group is; a bad file is refused before anything is made of it. */
  async function peek({ file, signal }: GroupImportOptions): Promise<ArchivedGroupAttributes> {
    const { max_import_size: megabytes } = await settings.read();
    if (megabytes > 0 && file.size > megabytes * mebibyte) throw tooLarge('max_import_size', megabytes * mebibyte);
    try {
      const entries = await opened(createReadStream(file.path, { signal }));
      try {
        const first = await entries.next();
        return await readGroupManifest(first.done ? undefined : first.value);
      } finally {
        await entries.return(undefined);
      }
    } catch (error) {
      throw error instanceof ArchiveError ? badRequest(error.message) : error;
    }
  }

  /** Makes a group with what an archive says of it, as far as the place and the instance let it be so. */
  async function made(
    caller: Caller,
    { name, path }: Pick<GroupImportOptions, 'name' | 'path'>,
    parent: GroupSubject['group'] | null,
    given: ArchivedGroupAttributes,
  ): Promise<GroupSubject> {
    const wanted = { name, path, parentId: parent?.id ?? null };
    const attributes = parent === null ? given : without(given, ofTree);
    try {
      return await namespaces.groups.create(caller, wanted, attributes);
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 400) throw error;
      return await savedOr('Failed to save group', () =>
        namespaces.groups.create(caller, wanted, without(attributes, contested)),
      );
    }
  }

  async function start(caller: Caller, options: GroupImportOptions): Promise<GroupSubject> {
    const { user } = caller;
    if (!user) throw unauthorized();
    const attributes = await peek(options);
    const parent = options.parentId === null ? null : await findNamespaceSubject(db, String(options.parentId), user.id);
    // Who imports decides who sees it: a group that nobody has above it begins as private as it can be.
    const visibility = parent?.group.kind === 'group' ? parent.group.visibility : 'private';
    const { path: file, size, sha256 } = options.file;
    const stored = await objects.putFile(file, { size, sha256 });
    try {
      const above =
        options.parentId === null ? null : ({ ...parent?.group, id: options.parentId } as GroupSubject['group']);
      const subject = await made(caller, options, above, { ...attributes, visibility });
      const row = { namespace_id: subject.group.id, user_id: user.id, trusted: caller.admin, object_key: stored.key };
      await transaction(db, async (tx) => {
        await insertGroupImport(tx, row);
        await addJob(tx, importTask, { group_id: row.namespace_id });
      });
      return subject;
    } catch (error) {
      await objects.remove(stored.key);
      throw error;
    }
  }

  /** That of an attempt that was interrupted, or a new one. */
  async function below(caller: Caller, above: GroupSubject, line: GroupLine, since: Date): Promise<GroupSubject> {
    const found = await findNamespaceSubject(db, `${above.group.full_path}/${line.path}`, caller.user?.id ?? null);
    if (found?.group.created_by_id === caller.user?.id && found && found.group.created_at >= since) return found;
    const { visibility: wanted = 'private' } = line.attributes;
    const { visibility: most } = above.group;
    const { restricted_visibility_levels: restricted } = await settings.read();
    const open = openness(wanted) > openness(most) ? most : wanted;
    const visibility = restricted.includes(open) && !caller.admin ? 'private' : open;
    return await made(caller, line, above.group, { ...line.attributes, visibility });
  }

  /** Takes away what an interrupted attempt brought; its groups stay and are filled anew. */
  async function emptied(rootId: number): Promise<void> {
    for (const { id } of await groupsWithin(db, rootId)) {
      const subject = await findNamespaceSubject(db, String(id), null);
      if (subject) await repository.wikiEmptied(subject);
      await transaction(db, async (tx) => {
        for (const relation of relations) await relation.remove(tx, id);
        await ownFiles.emptied(tx, { kind: 'group', id });
      });
    }
  }

  async function fill(groupId: number, signal: AbortSignal): Promise<void> {
    const row = await findGroupImport(db, groupId);
    const root = await findNamespaceSubject(db, String(groupId), row?.user_id ?? null);
    const user = row?.user_id ? await findUser(db, row.user_id) : undefined;
    if (!row?.object_key || !root || user?.state !== 'active')
      throw new ArchiveError('The archive or its owner is gone');
    if (row.state === 'started') await emptied(groupId);
    await setGroupImport(db, groupId, { state: 'started' });
    const caller: Caller = { ...anonymous, user, admin: row.trusted && user.admin };
    const outcome: Outcome = { failures: [], fetched: {}, imported: {} };
    const groups = new Map<number, GroupSubject>([[1, { ...root, level: Level.owner }]]);
    const uploads = new Map<number, Map<string, UploadLine>>();
    const target = {
      rootId: groupId,
      importerId: user.id,
      trusted: row.trusted,
      person: peopleKnown(db, row.trusted),
    };

    async function makeGroups(entry: TarEntry): Promise<void> {
      let at = 0;
      for await (const text of linesOf(entry)) {
        signal.throwIfAborted();
        at += 1;
        if (at > mostGroups) throw new ArchiveError(`${entry.name} has more than ${mostGroups} groups`);
        try {
          const line = readGroupLine(text, `line ${at}`);
          const above = groups.get(line.parent);
          if (!above || groups.has(line.number))
            throw new ArchiveError('is below a group that the archive does not have');
          groups.set(line.number, await below(caller, above, line, row?.created_at ?? new Date()));
          count(outcome, 'groups', null);
        } catch (error) {
          const wrong = error instanceof ArchiveError || (error instanceof HttpError && error.status < 500);
          if (!wrong) throw error;
          count(outcome, 'groups', error instanceof HttpError ? JSON.stringify(error.body) : error.message);
        }
      }
    }

    async function take(entry: TarEntry, subject: GroupSubject, number: number, part: string): Promise<void> {
      const owner = { kind: 'group', id: subject.group.id } as const;
      const relation = relations.find(({ name }) => part === relationName(name));
      const secret = uploadSecretOf(part);
      const into: GroupTarget = { ...target, groupId: owner.id };
      if (part === wikiName)
        await repository.wikiUnbundled(subject, entry.body, {
          maxBytes: Math.max(entry.size, 1),
          signal,
          branch: null,
        });
      else if (part === pictureName) count(outcome, pictureName, await ownFiles.takePicture(owner, entry));
      else if (part === relationName(uploadsName)) uploads.set(number, await readUploads(entry, mostEntries, outcome));
      else if (relation)
        await transaction(db, async (tx) => {
          await takeRows(tx, relation, entry, into, outcome, signal);
          const { failures, ...stats } = outcome;
          const kept = { stats: JSON.stringify(stats), failures: JSON.stringify(failures) };
          await setGroupImport(tx, groupId, kept);
        });
      else if (secret !== null) {
        const line = uploads.get(number)?.get(secret);
        const uploader = line ? ((await target.person(line.uploaded_by)) ?? target.importerId) : null;
        const reason = line
          ? await ownFiles.takeUpload(owner, line, uploader, entry, signal)
          : `${entry.name} is not among the rows of uploads`;
        count(outcome, uploadsName, reason);
      }
    }

    for await (const entry of await opened(objects.get(row.object_key) as ReturnType<typeof createReadStream>)) {
      signal.throwIfAborted();
      const part = partOf(entry.name);
      const subject = part ? groups.get(part.number) : undefined;
      if (entry.name === groupManifestName) await readGroupManifest(entry);
      else if (entry.name === groupListName) await makeGroups(entry);
      else if (part && subject) await take(entry, subject, part.number, part.part);
      else if (part) tell(outcome, { relation: 'groups', line: part.number, reason: `${entry.name} is of no group` });
    }
    await transaction(db, async (tx) => {
      for (const { group } of groups.values()) for (const relation of relations) await relation.arrived?.(tx, group.id);
      const { failures, ...stats } = outcome;
      await setGroupImport(tx, groupId, {
        ...{ state: 'finished', object_key: null, finished_at: new Date() },
        ...{ stats: JSON.stringify(stats), failures: JSON.stringify(failures) },
      });
    });
  }

  const task: Task = defineTask(
    importTask.name,
    Type.Object({ group_id: Type.Integer() }),
    async ({ group_id: id }, { signal, attempt, maxAttempts }) => {
      const row = await findGroupImport(db, id);
      if (!row || row.state === 'finished' || row.state === 'failed') return;
      try {
        await fill(id, signal);
      } catch (error) {
        const reason = archiveReason(error);
        if (reason === null && attempt < maxAttempts) throw error;
        await setGroupImport(db, id, {
          ...{ state: 'failed', object_key: null, finished_at: new Date() },
          error: reason ?? 'The group could not be imported',
        });
        if (reason === null) throw error;
      }
    },
    { maxAttempts: importTask.maxAttempts, timeout: 2 * hour },
  );

  return { start, find: (groupId: number) => findGroupImport(db, groupId), tasks: [task] };
}
export type GroupImports = ReturnType<typeof groupImportService>;
