/** Exports: everything of a project that moves, in one file, made in the background. */
import { Readable } from 'node:stream';
import Type from 'typebox';
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { HttpError, invalidRecord } from '../../../kernel/http/errors.ts';
import { addJob, defineTask } from '../../../kernel/queue/index.ts';
import { notesOfSnippets } from '../../collaboration/notes/index.ts';
import type { Exporter, Relation } from '../../namespaces/index.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { bundleName, lfsName, manifestName, manifestOf, relationName, wikiName } from './manifest.ts';
import { archivedImages, metricImagesName } from './metric-images.ts';
import { archivedSnippets, snippetNotesName, snippetsName } from './snippets.ts';
import { largestEntry } from './tar.ts';
import {
  type ExportRow,
  findExport,
  forgetExports,
  isAdministrator,
  lfsObjectsOf,
  queueExport,
  setExport,
} from './transfers.queries.ts';
import { archivedFiles, uploadsName } from './uploads.ts';
import { attemptExport, type Entry, inExportDirectory, keepArchive, lines, spool, storedEntry } from './writing.ts';

const exportTask = { name: 'namespaces.export_project', maxAttempts: 3 };
/** Hours that an archive waits to be fetched. */
const keptHours = 24;
/** Archives are held in memory while they are sent elsewhere. */
const largestUpload = 256 * 1024 ** 2;
const hour = 3_600_000;

export type ExportStatus = 'none' | 'queued' | 'started' | 'finished' | 'regeneration_in_progress';

/** In the words of the API. */
export function exportStatus(row: ExportRow | null): ExportStatus {
  if (row === null) return 'none';
  const there = row.object_key !== null;
  if (row.state === 'queued' || row.state === 'started') return there ? 'regeneration_in_progress' : row.state;
  return there ? 'finished' : 'none';
}

export function exportService(deps: PortabilityDependencies, relations: readonly Relation[]) {
  const { db, objects, secrets } = deps;
  const ownFiles = archivedFiles(deps);
  const images = archivedImages(deps);

  async function start(
    subject: ProjectSubject,
    caller: Caller,
    options: { description?: string; url?: string; method?: 'PUT' | 'POST' },
  ): Promise<void> {
    const { id } = subject.project;
    if (!(await deps.settings.read()).project_export_enabled) throw new HttpError(404, { message: '404 Not Found' });
    const refusal = options.url === undefined ? null : await deps.outbound.refusal(options.url, 'import');
    if (refusal !== null) throw invalidRecord({ upload: [refusal] });
    await transaction(db, async (tx) => {
      await queueExport(tx, {
        projectId: id,
        userId: caller.user?.id ?? null,
        description: options.description ?? null,
        uploadUrl: options.url === undefined ? null : secrets.seal(options.url),
        uploadMethod: options.method ?? 'PUT',
      });
      await addJob(tx, exportTask, { project_id: id }, { jobKey: `${exportTask.name}:${id}` });
      const about = { ...originOfCaller(caller), entity: entityOfPlace(subject) };
      await recordAudit(tx, { ...about, event: 'project_export_created', details: {} });
    });
  }

  /** Objects of Git LFS come from where they are kept; which an archive cannot have is told in it. */
  async function large(projectId: number, signal: AbortSignal) {
    const found: Entry[] = [];
    const missing = { count: 0, bytes: 0 };
    for (const { oid, size, object_key: key } of await lfsObjectsOf(db, projectId)) {
      signal.throwIfAborted();
      if (size <= largestEntry && (await objects.exists(key)))
        found.push(storedEntry(objects, { name: lfsName(oid), size, key }));
      else {
        missing.count += 1;
        missing.bytes += size;
      }
    }
    return { found, missing };
  }

  async function collect(
    subject: ProjectSubject,
    by: Exporter,
    directory: string,
    signal: AbortSignal,
  ): Promise<Entry[]> {
    const { project } = subject;
    const { found, missing } = await large(project.id, signal);
    const owned = { kind: 'project', id: project.id, avatar_object_key: project.avatar_object_key } as const;
    const files = await ownFiles.of(owned, signal);
    const pictures = await images.of(project.id);
    const wiki = await deps.repository.wikiBundle(subject, signal);
    const manifest = manifestOf(subject, {
      release: deps.release,
      now: new Date(),
      wikiBranch: wiki?.branch ?? null,
      missing: { lfs_objects: missing, uploads: files.missing, metric_images: pictures.missing },
    });
    const entries = [await spool(directory, manifestName, Readable.from([Buffer.from(JSON.stringify(manifest))]))];
    // One after the other: git that nobody reads from waits.
    if (wiki) entries.push(await spool(directory, wikiName, wiki.bytes));
    const bundle = await deps.repository.bundle(project, signal);
    if (bundle) entries.push(await spool(directory, bundleName, bundle));
    const repositories: Entry[] = [];
    const { lines: snippets, numbers } = await archivedSnippets(
      deps.repository.snippetBundles(project.id, signal),
      async (name, bytes) => {
        repositories.push(await spool(directory, name, bytes));
      },
    );
    for (const relation of relations) {
      signal.throwIfAborted();
      const rows = lines(relation.rows(db, project.id, by));
      entries.push(await spool(directory, relationName(relation.name), rows));
    }
    entries.push(await spool(directory, relationName(uploadsName), lines(Readable.from([files.lines]))));
    if (snippets.length > 0) {
      entries.push(await spool(directory, relationName(snippetsName), lines(Readable.from([snippets]))));
      entries.push(...repositories);
      const said = notesOfSnippets(db, project.id, numbers);
      entries.push(await spool(directory, relationName(snippetNotesName), lines(said)));
    }
    if (pictures.lines.length > 0)
      entries.push(await spool(directory, relationName(metricImagesName), lines(Readable.from([pictures.lines]))));
    const stored = [...files.files, ...pictures.files].map((file) => storedEntry(objects, file));
    return [...entries, ...stored, ...found];
  }

  async function upload(row: ExportRow, key: string, size: number): Promise<string | null> {
    if (row.upload_url_sealed === null) return null;
    if (size > largestUpload) return `The archive is larger than ${largestUpload} bytes and was not sent`;
    const chunks: Buffer[] = [];
    for await (const chunk of objects.get(key) as AsyncIterable<Buffer>) chunks.push(chunk);
    const answer = await deps.outbound.send({
      url: secrets.open(row.upload_url_sealed),
      kind: 'import',
      method: row.upload_method,
      headers: { 'Content-Type': 'application/gzip' },
      body: Buffer.concat(chunks),
      timeout: 600_000,
    });
    if (!answer.ok) return `The archive could not be sent: ${answer.message}`;
    return answer.status < 300 ? null : `The archive could not be sent: the other side answered ${answer.status}`;
  }

  async function run(projectId: number, signal: AbortSignal): Promise<void> {
    const subject = await findProjectSubject(db, String(projectId), null);
    const row = await findExport(db, projectId);
    if (!subject || !row || row.state === 'finished') return;
    await setExport(db, projectId, { state: 'started' });
    const by = { admin: row.user_id !== null && (await isAdministrator(db, row.user_id)) };
    await inExportDirectory(objects, async (directory) => {
      const entries = await collect(subject, by, directory, signal);
      const kept = await keepArchive(deps, entries, signal);
      const error = await upload(row, kept.key, kept.size);
      await setExport(db, projectId, {
        state: 'finished',
        object_key: kept.key,
        size: kept.size,
        finished_at: new Date(),
        upload_url_sealed: null,
        error,
      });
    });
  }

  const task = defineTask(
    exportTask.name,
    Type.Object({ project_id: Type.Integer() }),
    ({ project_id }, context) =>
      attemptExport(
        'project',
        context,
        () => run(project_id, context.signal),
        (error) => setExport(db, project_id, { state: 'failed', error }),
      ),
    { maxAttempts: exportTask.maxAttempts, timeout: 2 * hour },
  );
  const forget = defineTask('namespaces.forget_exports', Type.Object({}), () => forgetExports(db, keptHours));

  return {
    start,
    find: (projectId: number) => findExport(db, projectId),
    tasks: [task, forget],
    cron: [{ schedule: '23 * * * *', task: forget.name }],
  };
}
export type ExportService = ReturnType<typeof exportService>;
