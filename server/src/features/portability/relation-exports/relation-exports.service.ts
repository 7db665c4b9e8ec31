/** Exports of relations: each relation of a project or group in files of its own, made in the background one after the other. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import Type from 'typebox';
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { Subject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { addJob, type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { notesOfSnippets } from '../../collaboration/notes/index.ts';
import { type Exporter, findProjectSubject, type GroupRelation, type Relation } from '../../namespaces/index.ts';
import { archivedMetricImages } from '../../planning/index.ts';
import { snippetLinesOf } from '../../repository/index.ts';
import { groupManifestOf } from '../group-archives/group-manifest.ts';
import { groupsWithin } from '../group-archives/group-transfers.queries.ts';
import type { PortabilityDependencies } from '../index.ts';
import { archivedUploads, type Owner } from '../project-archives/files.queries.ts';
import { manifestOf } from '../project-archives/manifest.ts';
import { metricImagesName } from '../project-archives/metric-images.ts';
import { snippetNotesName, snippetsName } from '../project-archives/snippets.ts';
import { isAdministrator } from '../project-archives/transfers.queries.ts';
import { uploadsName } from '../project-archives/uploads.ts';
import {
  beginRun,
  type ExportedPlace,
  forgetBatches,
  forgetRelationExports,
  insertBatch,
  type RelationExportRow,
  setRelationExport,
  unfinished,
} from './relation-exports.queries.ts';

const task = { name: 'portability.export_relations', maxAttempts: 3 };
/** Hours that files wait to be fetched. */
const keptHours = 24;
/** Relations that this API's clients know under other names than the archives of projects. */
export const spellings: Readonly<Record<string, string>> = { badges: 'project_badges', members: 'project_members' };
/** The attributes of the project or group itself. */
const itself = 'self';

type Rows = (placeId: number, by: Exporter) => AsyncIterable<readonly object[]>;

/** At most so many rows at once, whatever the batches in which they come. */
async function* chunks(rows: AsyncIterable<readonly object[]>, size: number): AsyncGenerator<readonly object[]> {
  let held: object[] = [];
  for await (const some of rows) {
    held.push(...some);
    while (held.length >= size) {
      yield held.slice(0, size);
      held = held.slice(size);
    }
  }
  if (held.length > 0) yield held;
}

export type RelationExports = ReturnType<typeof relationExportService>;

export function relationExportService(
  deps: PortabilityDependencies,
  relations: readonly Relation[],
  groupRelations: readonly GroupRelation[],
) {
  const { db, objects, log } = deps;

  async function* project(projectId: number): AsyncGenerator<readonly object[]> {
    const subject = await findProjectSubject(db, String(projectId), null);
    if (subject) yield [manifestOf(subject, { release: deps.release, now: new Date(), wikiBranch: null, missing: {} })];
  }
  async function* group(groupId: number): AsyncGenerator<readonly object[]> {
    const [found] = await groupsWithin(db, groupId);
    if (found) yield [groupManifestOf(found, { release: deps.release, now: new Date() })];
  }
  /** Uploaded files: what they are called and the secrets of their addresses, where their bytes are. */
  const uploads = (kind: Owner['kind']) =>
    async function* (id: number): AsyncGenerator<readonly object[]> {
      yield (await archivedUploads(db, { kind, id })).map(({ object_key: _key, size: _size, ...line }) => line);
    };
  /** Snippets by their ids, which is where their repositories are, and what is said about them. */
  async function* snippets(projectId: number): AsyncGenerator<readonly object[]> {
    yield (await snippetLinesOf(db, projectId)).map(({ id, line }) => ({ number: id, ...line }));
  }
  async function* snippetNotes(projectId: number): AsyncGenerator<readonly object[]> {
    const ids = (await snippetLinesOf(db, projectId)).map(({ id }) => [id, id] as const);
    yield* notesOfSnippets(db, projectId, new Map(ids));
  }
  /** Metric images by their ids, which their addresses have. */
  async function* metricImages(projectId: number): AsyncGenerator<readonly object[]> {
    const all = await archivedMetricImages(db, projectId);
    yield all.map(({ id, object_key: _key, size: _size, ...line }) => ({ number: id, ...line }));
  }
  /** Of all groups below the one that is exported, which is the top of what rows name. */
  async function* ofTree({ rows }: GroupRelation, rootId: number, by: Exporter): AsyncGenerator<readonly object[]> {
    for (const { id } of await groupsWithin(db, rootId)) yield* rows(db, id, { ...by, rootId });
  }
  const sources = {
    project: new Map<string, Rows>([
      [itself, project],
      [uploadsName, uploads('project')],
      [snippetsName, snippets],
      [snippetNotesName, snippetNotes],
      [metricImagesName, metricImages],
      ...relations.map(({ name, rows }): [string, Rows] => [spellings[name] ?? name, (id, by) => rows(db, id, by)]),
    ]),
    group: new Map<string, Rows>([
      [itself, group],
      [uploadsName, uploads('group')],
      ...groupRelations.map((relation): [string, Rows] => [
        relation.name,
        relation.acrossGroups
          ? (id, by) => ofTree(relation, id, by)
          : (id, by) => relation.rows(db, id, { ...by, rootId: id }),
      ]),
    ]),
  };

  async function start(subject: Subject, batched: boolean, origin: AuditOrigin): Promise<void> {
    const { project_export_enabled: projects, bulk_import_enabled: groups } = await deps.settings.read();
    const { kind } = subject;
    if (!(kind === 'project' ? projects : groups)) throw notFound();
    const place: ExportedPlace = { kind, id: subject.kind === 'project' ? subject.project.id : subject.group.id };
    const run = randomUUID();
    await transaction(db, async (tx) => {
      await beginRun(tx, { place, userId: origin.author?.id ?? null, run, batched }, [...sources[kind].keys()]);
      const payload = { [kind === 'project' ? 'project_id' : 'group_id']: place.id, run };
      const name = kind === 'project' ? String(place.id) : `group:${place.id}`;
      await addJob(tx, task, payload, { jobKey: `${task.name}:${name}` });
      await recordAudit(tx, {
        ...origin,
        entity: entityOfPlace(subject),
        event: `${kind}_relations_export_created`,
        details: {},
      });
    });
  }

  /** Writes one file; false where the export is no longer wanted. */
  async function keep(
    row: RelationExportRow,
    batchNumber: number,
    rows: AsyncIterable<readonly object[]>,
    signal: AbortSignal,
  ): Promise<boolean> {
    let count = 0;
    const gzip = createGzip();
    const lines = async function* () {
      for await (const some of rows) {
        count += some.length;
        if (some.length > 0) yield `${some.map((each) => JSON.stringify(each)).join('\n')}\n`;
      }
    };
    const source = Readable.from(lines()).on('error', (error) => gzip.destroy(error));
    const object = await objects.put(source.pipe(gzip), { signal });
    const batch = { batch_number: batchNumber, objects_count: count, object_key: object.key, size: object.size };
    const kept = await transaction(db, (tx) => insertBatch(tx, row.id, batch)).catch(async (error: unknown) => {
      await objects.remove(object.key);
      throw error;
    });
    if (!kept) await objects.remove(object.key);
    return kept;
  }

  async function write(row: RelationExportRow, by: Exporter, signal: AbortSignal): Promise<void> {
    const { project_id, namespace_id, relation } = row;
    const source = sources[project_id === null ? 'group' : 'project'].get(relation);
    if (!source) throw new Error(`there is no relation ${relation}`);
    await forgetBatches(db, row.id);
    const rows = source(project_id ?? namespace_id ?? 0, by);
    if (!row.batched) {
      if (!(await keep(row, 1, rows, signal))) return;
    } else {
      const { relation_export_batch_size: batchSize } = await deps.settings.read();
      let number = 0;
      for await (const some of chunks(rows, batchSize)) {
        number += 1;
        if (!(await keep(row, number, Readable.from([some]), signal))) return;
      }
    }
    await setRelationExport(db, row.id, 1, null);
  }

  const exporting: Task = defineTask(
    task.name,
    Type.Object({
      project_id: Type.Optional(Type.Integer()),
      group_id: Type.Optional(Type.Integer()),
      run: Type.String(),
    }),
    async ({ project_id, group_id, run }, { signal, attempt, maxAttempts }) => {
      const kind = project_id === undefined ? 'group' : 'project';
      const rows = await unfinished(db, { kind, id: project_id ?? group_id ?? 0 }, run);
      const userId = rows[0]?.user_id ?? null;
      const by = { admin: userId !== null && (await isAdministrator(db, userId)) };
      let failed: unknown = null;
      for (const row of rows) {
        signal.throwIfAborted();
        try {
          await write(row, by, signal);
        } catch (error) {
          if (signal.aborted) throw error;
          log.warn({ err: error, project_id, group_id, relation: row.relation }, 'a relation could not be exported');
          failed = error;
          if (attempt >= maxAttempts) await setRelationExport(db, row.id, -1, 'The relation could not be exported');
        }
      }
      // The others are there; those that failed are tried again.
      if (failed !== null && attempt < maxAttempts) throw failed;
    },
    { maxAttempts: task.maxAttempts, timeout: 2 * 3_600_000 },
  );
  const forget: Task = defineTask('portability.forget_relation_exports', Type.Object({}), () =>
    forgetRelationExports(db, keptHours),
  );
  const cron: CronItem[] = [{ schedule: '29 * * * *', task: forget.name }];

  return { start, tasks: [exporting, forget], cron };
}
