/** Projects from archives. What is read comes from strangers: bounded, checked line by line, and told where it is wrong. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { badRequest, plainError, tooLarge, unauthorized } from '../../../kernel/http/errors.ts';
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import { addJob } from '../../../kernel/queue/index.ts';
import type { ImportTarget, ProjectService, Relation } from '../../namespaces/index.ts';
import { findNamespaceSubject, findProjectSubject, openness } from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { readForeignTar } from './foreign-tar.ts';
import { gitlabArchives, readGitlabManifest } from './gitlab-archives.ts';
import { importAttempts, importTask } from './import-task.ts';
import {
  type ArchivedAttributes,
  bundleName,
  lfsOidOf,
  type Manifest,
  manifestName,
  readManifest,
  relationName,
  wikiName,
} from './manifest.ts';
import { archivedImages, type ImageLine, metricImageNumberOf, metricImagesName } from './metric-images.ts';
import { peopleKnown } from './people.ts';
import { codeStage, type Progress, progressOf } from './progress.ts';
import { snippetTaker } from './snippets.ts';
import { archiveReason, count, largeFiles, type Outcome, readUploads, settle, takeRows } from './taking.ts';
import { ArchiveError, beginningOf, block, readTar, type TarEntry, unpacked } from './tar.ts';
import { findImport, insertImport, moveImport } from './transfers.queries.ts';
import { archivedFiles, pictureName, type UploadLine, uploadSecretOf, uploadsName } from './uploads.ts';

const archiveImport = { name: 'namespaces.import_project', maxAttempts: importAttempts };
const mebibyte = 1024 ** 2;
/** Files in one archive: their names are kept while it is read. */
const mostEntries = 250_000;
const hour = 3_600_000;

export interface ImportOptions {
  readonly file: UploadedFile;
  readonly path: string;
  readonly name?: string;
  /** Id or path; the personal namespace without it. */
  readonly namespace?: string;
  readonly override?: ArchivedAttributes;
  /** Ends reading the archive: whoever sent it has gone. */
  readonly signal: AbortSignal;
  /** Takes away what has the address, once the archive is known to be one. */
  readonly makeRoom?: (fullPath: string) => Promise<void>;
}

export function importService(deps: PortabilityDependencies, projects: ProjectService, relations: readonly Relation[]) {
  const { db, objects } = deps;
  const ownFiles = archivedFiles(deps);
  const images = archivedImages(deps);
  const foreign = gitlabArchives(deps, relations, ownFiles);

  /** The files of an archive, and whether it is one of ours: other products pack in other ways. */
  async function opened(packed: ReturnType<typeof createReadStream>) {
    const { max_decompressed_archive_size: megabytes, decompress_archive_file_timeout: seconds } =
      await deps.settings.read();
    const maximum = megabytes === 0 ? Number.MAX_SAFE_INTEGER : megabytes * mebibyte;
    const bytes = unpacked(packed, maximum, 'max_decompressed_archive_size', seconds);
    const { begin, all } = await beginningOf(bytes, block);
    const ours = begin.toString('latin1').startsWith(`${manifestName}\0`);
    return { ours, entries: ours ? readTar(all, mostEntries) : readForeignTar(all, mostEntries) };
  }

  /** What the file says it is; a bad file is refused before anything is made of it. */
  async function peek({ file, signal }: ImportOptions): Promise<Manifest> {
    const { max_import_size: megabytes } = await deps.settings.read();
    if (megabytes > 0 && file.size > megabytes * mebibyte) throw tooLarge('max_import_size', megabytes * mebibyte);
    try {
      const { ours, entries } = await opened(createReadStream(file.path, { signal }));
      try {
        if (!ours) return await readGitlabManifest(entries);
        const first = await entries.next();
        return await readManifest(first.done ? undefined : first.value);
      } finally {
        await entries.return(undefined);
      }
    } catch (error) {
      throw error instanceof ArchiveError ? badRequest(error.message) : error;
    }
  }

  /** Makes the project; its content follows in the background. */
  async function start(caller: Caller, options: ImportOptions): Promise<ProjectSubject> {
    if (!caller.user) throw unauthorized();
    if (!(await deps.settings.read()).import_sources.includes('gitlab_project')) throw plainError(403, '403 Forbidden');
    const space =
      options.namespace === undefined
        ? null
        : ((await findNamespaceSubject(db, options.namespace, caller.user.id))?.group ?? null);
    if (options.namespace !== undefined && space === null) throw badRequest('namespace is not valid');
    const manifest = await peek(options);
    await options.makeRoom?.(`${space?.full_path ?? caller.user.username}/${options.path}`);
    const { visibility: wanted = 'private', ...attributes } = manifest.attributes;
    // What the archive says gives way to what the namespace allows; what the caller says is refused there.
    const most = space && space.kind === 'group' ? space.visibility : 'public';
    const { restricted_visibility_levels: restricted } = await deps.settings.read();
    const open = openness(wanted) > openness(most) ? most : wanted;
    const visibility = restricted.includes(open) && !caller.admin ? 'private' : open;
    const { path: file, size, sha256 } = options.file;
    const stored = await objects.putFile(file, { size, sha256 });
    const userId = caller.user.id;
    try {
      return await projects.create(
        caller,
        {
          ...attributes,
          visibility,
          ...(manifest.defaultBranch === null ? {} : { default_branch: manifest.defaultBranch }),
          ...options.override,
          name: options.name ?? options.path,
          path: options.path,
          ...(space ? { namespace_id: space.id } : {}),
        },
        {
          source: null,
          columns: {
            default_branch: options.override?.default_branch ?? manifest.defaultBranch,
            import_status: 'scheduled',
            import_type: 'gitlab_project',
          },
          within: async (tx, id) => {
            const row = { projectId: id, userId, trusted: caller.admin, objectKey: stored.key };
            await insertImport(tx, row, randomUUID().replaceAll('-', ''));
            await addJob(tx, archiveImport, { project_id: id });
          },
        },
      );
    } catch (error) {
      await objects.remove(stored.key);
      throw error;
    }
  }

  function targetOf(project: Project, importerId: number, trusted: boolean): ImportTarget {
    const commits = new Map<string, Promise<boolean>>();
    return {
      projectId: project.id,
      importerId,
      trusted,
      person: peopleKnown(db, trusted),
      hasCommit: async (id) => {
        if (!id) return false;
        if (commits.size > 10_000) commits.clear();
        const found = commits.get(id) ?? deps.repository.hasCommit(project, id);
        commits.set(id, found);
        return await found;
      },
      refusedAddress: (url) => deps.outbound.refusal(url, 'web_hook'),
    };
  }

  const takeIn = (relation: Relation, entry: TarEntry, target: ImportTarget, progress: Progress, signal: AbortSignal) =>
    transaction(db, async (tx) => {
      await takeRows(tx, relation, entry, target, progress.outcome, signal);
      await progress.end(tx, target.projectId, relation.name);
    });

  /** Takes away what an interrupted attempt brought. */
  async function emptied(subject: ProjectSubject): Promise<void> {
    const { project } = subject;
    await deps.repository.emptied(project);
    await deps.repository.wikiEmptied(subject);
    await transaction(db, async (tx) => {
      for (const relation of relations) await relation.remove(tx, project.id);
      await ownFiles.emptied(tx, { kind: 'project', id: project.id });
    });
    await deps.repository.snippetsEmptied(project.id);
  }

  async function run(project: Project, signal: AbortSignal): Promise<Outcome> {
    const row = await findImport(db, project.id);
    const subject = await findProjectSubject(db, String(project.id), null);
    if (!row?.object_key || row.user_id === null || !subject) throw new ArchiveError('The archive is gone');
    const { object_key: key, user_id: importerId, trusted } = row;
    await emptied(subject);
    // An archive is read from its beginning: what an interrupted attempt kept is gone with what it brought.
    const stages = [codeStage, ...relations.map(({ name }) => name)];
    const progress = progressOf({ stats: {}, failures: [], done_stages: [] }, stages);
    const { outcome } = progress;
    const target = targetOf(project, importerId, trusted);
    let manifest: Manifest | null = null;
    let uploads = new Map<string, UploadLine>();
    let pictures = new Map<number, ImageLine>();
    const { ours, entries } = await opened(objects.get(key) as ReturnType<typeof createReadStream>);
    if (!ours) {
      await foreign.take(entries, subject, target, outcome, signal);
      return outcome;
    }
    const { repository } = deps;
    const takeSnippets = snippetTaker({ db, repository, subject, target, outcome, most: mostEntries, signal });
    await progress.keep(db, project.id);
    for await (const entry of entries) {
      signal.throwIfAborted();
      const { name, size, body } = entry;
      const limits = { maxBytes: Math.max(size, 1), signal };
      const relation = relations.find((each) => name === relationName(each.name));
      const oid = lfsOidOf(name);
      const secret = uploadSecretOf(name);
      const picture = metricImageNumberOf(name);
      if (manifest === null) manifest = await readManifest(entry);
      else if (name === bundleName) {
        await deps.repository.unbundled(project, body, limits);
        await progress.end(db, project.id, codeStage);
      } else if (name === wikiName)
        await deps.repository.wikiUnbundled(subject, body, { ...limits, branch: manifest.wikiBranch });
      else if (name === pictureName)
        count(outcome, pictureName, await ownFiles.takePicture({ kind: 'project', id: project.id }, entry));
      else if (name === relationName(uploadsName)) uploads = await readUploads(entry, mostEntries, outcome);
      else if (await takeSnippets(entry)) continue;
      else if (name === relationName(metricImagesName)) pictures = await images.read(entry, mostEntries, outcome);
      else if (picture !== null)
        count(outcome, metricImagesName, await images.take(project.id, pictures.get(picture), entry));
      else if (relation) await takeIn(relation, entry, target, progress, signal);
      else if (oid !== null)
        count(outcome, largeFiles, await deps.repository.takeLarge(subject, { oid, size }, body, signal));
      else if (secret !== null) count(outcome, uploadsName, await takeUpload(project.id, uploads.get(secret), entry));
    }
    return outcome;

    async function takeUpload(projectId: number, line: UploadLine | undefined, entry: TarEntry) {
      if (!line) return `${entry.name} is not among the rows of uploads`;
      const uploader = (await target.person(line.uploaded_by)) ?? importerId;
      return await ownFiles.takeUpload({ kind: 'project', id: projectId }, line, uploader, entry, signal);
    }
  }

  const task = importTask(db, {
    name: archiveImport.name,
    timeout: 2 * hour,
    fill: async (project, signal) => {
      const { failures, ...stats } = await run(project, signal);
      return { stats, failures };
    },
    reasonOf: archiveReason,
    givenUp: 'The project could not be imported',
    arrived: async (tx, project) => {
      await settle(tx, relations, project.id);
      await deps.repository.arrived(tx, project);
    },
  });

  return {
    start,
    targetOf,
    find: (projectId: number) => findImport(db, projectId),
    /** False where nothing is in progress. What is there already stays. */
    cancel: (projectId: number) => moveImport(db, projectId, ['scheduled', 'started'], 'canceled'),
    tasks: [task],
  };
}
export type ImportService = ReturnType<typeof importService>;
