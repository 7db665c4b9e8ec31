/** Archives of projects as GitLab makes them: what of them this product has, in the order in which it builds up. */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { RawObject } from '../../../kernel/http/params/nested.ts';
import { writeDraft } from '../../../kernel/objects/drafts.ts';
import type { ImportTarget, Relation } from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { attributesOf, peopleOf, translations } from './gitlab-rows.ts';
import { bytesOf, keptAttributes, type Manifest, parsed } from './manifest.ts';
import { count, largeFiles, linesOf, mostWrong, type Outcome, takeRow, tell } from './taking.ts';
import { ArchiveError, type TarEntry } from './tar.ts';
import { setDefaultBranch } from './transfers.queries.ts';
import { type ArchivedFiles, pictureName, uploadsName } from './uploads.ts';

/** Rows hold the changes of a merge request. */
const longestRow = 32 * 1024 ** 2;
const largestSettings = 16 * 1024 ** 2;
const [projectFile, featuresFile] = ['tree/project.json', 'tree/project/project_feature.ndjson'];
const [codeBundle, wikiBundle] = ['project.bundle', 'project.wiki.bundle'];
const relationOf = (name: string): string | null => /^tree\/project\/([a-z_]{1,60})\.ndjson$/.exec(name)?.[1] ?? null;
const objectOf = (name: string): string | null => /^lfs-objects\/([0-9a-f]{64})$/.exec(name)?.[1] ?? null;
const wanted: ReadonlySet<string> = new Set(translations.map(([name]) => name));

/** What the archive says of the project itself. */
export async function readGitlabManifest(entries: AsyncIterable<TarEntry>): Promise<Manifest> {
  let project: RawObject | null = null;
  let features: RawObject | null = null;
  for await (const entry of entries) {
    if (entry.name !== projectFile && entry.name !== featuresFile) continue;
    const text = (await bytesOf(entry, largestSettings)).toString('utf8').trim();
    if (entry.name === projectFile) project = parsed(text, projectFile);
    else if (text !== '' && text !== 'null') features = parsed(text.split('\n')[0] ?? '', featuresFile);
    if (project && features) break;
  }
  if (!project) throw new ArchiveError('The file is no archive of a project');
  const { default_branch: branch } = project;
  return {
    name: '',
    path: '',
    defaultBranch: typeof branch === 'string' && branch !== '' ? branch : null,
    wikiBranch: null,
    attributes: keptAttributes(attributesOf(project, features ?? {})),
  };
}

export function gitlabArchives(deps: PortabilityDependencies, relations: readonly Relation[], ownFiles: ArchivedFiles) {
  const { db, objects, repository } = deps;
  const byName = new Map(relations.map((relation) => [relation.name, relation]));

  /** Files whose order in the archive means nothing wait here, under names of ours. */
  async function spooled(
    directory: string,
    entries: AsyncIterable<TarEntry>,
    target: ImportTarget,
    subject: ProjectSubject,
    outcome: Outcome,
    signal: AbortSignal,
  ): Promise<Map<string, string>> {
    const kept = new Map<string, string>();
    for await (const entry of entries) {
      signal.throwIfAborted();
      const { name, size, body } = entry;
      const oid = objectOf(name);
      const [, secret, file] = /^uploads\/([0-9a-f]{32})\/([^/]+)$/.exec(name) ?? [];
      if (name === codeBundle || name === wikiBundle || wanted.has(relationOf(name) ?? '')) {
        if (kept.has(name)) throw new ArchiveError(`The archive holds ${name} twice`);
        const place = path.join(directory, String(kept.size));
        await writeDraft(place, body, [], signal);
        kept.set(name, place);
      } else if (oid !== null)
        count(outcome, largeFiles, await repository.takeLarge(subject, { oid, size }, body, signal));
      else if (secret && file) {
        const line = { secret, file_name: file, created_at: new Date() };
        const reason = await ownFiles.takeUpload(
          { kind: 'project', id: target.projectId },
          line,
          target.importerId,
          entry,
          signal,
        );
        count(outcome, uploadsName, reason);
      } else if (/^avatar\/[^/]+$/.test(name))
        count(outcome, pictureName, await ownFiles.takePicture({ kind: 'project', id: target.projectId }, entry));
    }
    return kept;
  }

  const linesIn = (file: string | undefined, name: string) =>
    file === undefined ? [] : linesOf({ name, body: createReadStream(file) as AsyncIterable<Buffer> }, longestRow);

  async function rows(kept: ReadonlyMap<string, string>, target: ImportTarget, outcome: Outcome, signal: AbortSignal) {
    const fileOf = (name: string) => kept.get(`tree/project/${name}.ndjson`);
    const members: RawObject[] = [];
    for await (const line of linesIn(fileOf('project_members'), 'project_members'))
      if (members.length < mostWrong && line.startsWith('{')) members.push(parsed(line, 'project_members'));
    const people = peopleOf(members);
    for (const [name, translate] of translations)
      await transaction(db, async (tx) => {
        let line = 0;
        let wrong = 0;
        for await (const text of linesIn(fileOf(name), name)) {
          signal.throwIfAborted();
          if (text === '' || text === 'null') continue;
          line += 1;
          const refuse = (reason: string): void => {
            wrong += 1;
            tell(outcome, { relation: name, line, reason });
            if (wrong > mostWrong) throw new ArchiveError(`${name} has more than ${mostWrong} rows that are wrong`);
          };
          let parts: ReturnType<typeof translate> = [];
          try {
            parts = translate(parsed(text, `line ${line}`), people);
          } catch (error) {
            if (!(error instanceof ArchiveError)) throw error;
            refuse(error.message);
          }
          for (const { relation: to, row } of parts) {
            const relation = byName.get(to);
            if (!relation) throw new Error(`there is no relation ${to}`);
            const reason = await takeRow(tx, relation, row, target, line);
            outcome.fetched[to] = (outcome.fetched[to] ?? 0) + 1;
            outcome.imported[to] = (outcome.imported[to] ?? 0) + (reason === null ? 1 : 0);
            if (reason !== null) refuse(reason);
          }
        }
      });
  }

  return {
    /** Fills an empty project. */
    async take(
      entries: AsyncIterable<TarEntry>,
      subject: ProjectSubject,
      target: ImportTarget,
      outcome: Outcome,
      signal: AbortSignal,
    ): Promise<void> {
      const directory = await mkdtemp(path.join(objects.temporary, 'import-'));
      try {
        const kept = await spooled(directory, entries, target, subject, outcome, signal);
        const [code, wiki] = [kept.get(codeBundle), kept.get(wikiBundle)];
        const limits = { maxBytes: Number.MAX_SAFE_INTEGER, signal };
        if (code !== undefined) {
          const { project } = subject;
          const branch = await repository.unbundled(project, createReadStream(code) as AsyncIterable<Buffer>, {
            ...limits,
            anyBranch: true,
          });
          if (branch !== null && branch !== project.default_branch) await setDefaultBranch(db, project.id, branch);
        }
        if (wiki !== undefined)
          await repository.wikiUnbundled(subject, createReadStream(wiki) as AsyncIterable<Buffer>, {
            ...limits,
            branch: null,
          });
        await rows(kept, target, outcome, signal);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  };
}
