/** Archives of groups: the group, all below it, and what belongs to each, without their projects. */
import { Readable } from 'node:stream';
import Type from 'typebox';
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { type Exporter, findNamespaceSubject, type GroupRelation } from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { relationName, wikiName } from '../project-archives/manifest.ts';
import { ArchiveError } from '../project-archives/tar.ts';
import { isAdministrator } from '../project-archives/transfers.queries.ts';
import { archivedFiles, uploadsName } from '../project-archives/uploads.ts';
import {
  attemptExport,
  type Entry,
  inExportDirectory,
  keepArchive,
  lines,
  spool,
  storedEntry,
} from '../project-archives/writing.ts';
import { groupLineOf, groupListName, groupManifestName, groupManifestOf, partName } from './group-manifest.ts';
import {
  findGroupExport,
  forgetGroupExports,
  groupsWithin,
  queueGroupExport,
  setGroupExport,
} from './group-transfers.queries.ts';

const exportTask = { name: 'portability.export_group', maxAttempts: 3 };
/** Hours that an archive waits to be fetched. */
const keptHours = 24;
const hour = 3_600_000;

export function groupExportService(deps: PortabilityDependencies, relations: readonly GroupRelation[]) {
  const { db, objects, repository } = deps;
  const ownFiles = archivedFiles(deps);

  const start = (subject: GroupSubject, caller: Caller): Promise<void> =>
    transaction(db, async (tx) => {
      const { id } = subject.group;
      await queueGroupExport(tx, id, caller.user?.id ?? null);
      await addJob(tx, exportTask, { group_id: id }, { jobKey: `${exportTask.name}:${id}` });
      const about = { ...originOfCaller(caller), entity: entityOfPlace(subject) };
      await recordAudit(tx, { ...about, event: 'group_export_created', details: {} });
    });

  async function collect(rootId: number, by: Exporter, directory: string, signal: AbortSignal): Promise<Entry[]> {
    const [root, ...below] = await groupsWithin(db, rootId);
    if (!root) throw new ArchiveError('The group is gone');
    const entries: Entry[] = [];
    const keep = async (name: string, source: AsyncIterable<Buffer | string>): Promise<void> => {
      signal.throwIfAborted();
      const entry = await spool(directory, name, source);
      if (entry.size > 0) entries.push(entry);
    };
    const numbers = new Map([root, ...below].map(({ id }, at) => [id, at + 1]));
    const manifest = groupManifestOf(root, { release: deps.release, now: new Date() });
    await keep(groupManifestName, Readable.from([JSON.stringify(manifest)]));
    const list = below.map((group) =>
      groupLineOf(group, numbers.get(group.id) ?? 0, numbers.get(group.parent_id ?? 0) ?? 1),
    );
    await keep(groupListName, lines(Readable.from([list])));
    // What rows name of other groups is there before them.
    for (const relation of relations)
      for (const [id, number] of numbers)
        await keep(
          partName(number, relationName(relation.name)),
          lines(relation.rows(db, id, { ...by, rootId: root.id })),
        );
    for (const { id, avatar_object_key } of [root, ...below]) {
      const number = numbers.get(id) ?? 0;
      const subject = await findNamespaceSubject(db, String(id), null);
      const wiki = subject && (await repository.wikiBundle(subject, signal));
      if (wiki) await keep(partName(number, wikiName), wiki.bytes);
      const files = await ownFiles.of({ kind: 'group', id, avatar_object_key }, signal);
      await keep(partName(number, relationName(uploadsName)), lines(Readable.from([files.lines])));
      for (const file of files.files)
        entries.push(storedEntry(objects, { ...file, name: partName(number, file.name) }));
    }
    return entries;
  }

  async function run(groupId: number, signal: AbortSignal): Promise<void> {
    const row = await findGroupExport(db, groupId);
    if (!row || row.state === 'finished') return;
    await setGroupExport(db, groupId, { state: 'started' });
    const by = { admin: row.user_id !== null && (await isAdministrator(db, row.user_id)) };
    await inExportDirectory(objects, async (directory) => {
      const kept = await keepArchive(deps, await collect(groupId, by, directory, signal), signal);
      const finished = { state: 'finished', object_key: kept.key, size: kept.size, error: null } as const;
      await setGroupExport(db, groupId, { ...finished, finished_at: new Date() });
    });
  }

  const task: Task = defineTask(
    exportTask.name,
    Type.Object({ group_id: Type.Integer() }),
    ({ group_id }, context) =>
      attemptExport(
        'group',
        context,
        () => run(group_id, context.signal),
        (error) => setGroupExport(db, group_id, { state: 'failed', error }),
      ),
    { maxAttempts: exportTask.maxAttempts, timeout: 2 * hour },
  );
  const forget: Task = defineTask('portability.forget_group_exports', Type.Object({}), () =>
    forgetGroupExports(db, keptHours),
  );

  return {
    start,
    find: (groupId: number) => findGroupExport(db, groupId),
    tasks: [task, forget],
    cron: [{ schedule: '41 * * * *', task: forget.name }],
  };
}
export type GroupExports = ReturnType<typeof groupExportService>;
