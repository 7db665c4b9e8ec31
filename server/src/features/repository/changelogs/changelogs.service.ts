/** Changelogs out of the trailers of commits. */
import * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { HttpError, plainError } from '../../../kernel/http/errors.ts';
import { loadGroup, type ParentLoader } from '../../../kernel/http/parents.ts';
import { projectPath } from '../commits/commits.json.ts';
import type { CommitService } from '../commits/commits.service.ts';
import { knownSha, type OpenRepository } from '../reading/git-reader.ts';
import type { CommitData, RepositoryReader } from '../reading/reader.ts';
import { authorsByEmail, membersOf, requestsMergedBy } from './changelogs.queries.ts';
import { type ChangelogConfig, ChangelogError, changelogConfig } from './config.ts';
import { type Section, sectionOf, sectionText, withSection } from './section.ts';
import { renderTemplate, TemplateError } from './template.ts';
import { compareVersions, versionOf } from './versions.ts';

export interface ChangelogDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly open: OpenRepository;
  readonly reader: RepositoryReader;
  readonly commits: CommitService;
  readonly parents: ParentLoader;
  /** The level of somebody on a project. */
  readonly levelOn: (projectId: number, userId: number) => Promise<number>;
}

interface Request {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
}

export interface Asked {
  readonly version: string;
  readonly from?: string;
  readonly to?: string;
  readonly date?: Date;
  readonly trailer: string;
  readonly configFile: string;
  readonly configRef?: string;
}

const mostBytes = 1024 * 1024;
/** A range with more commits is none of one version. */
const mostCommits = 10_000;
const mostOfRequest = 1000;
const reverts = /This reverts commit ([0-9a-f]{40})\b/g;

export function changelogService(deps: ChangelogDependencies) {
  const { db, reader } = deps;

  async function textAt({ subject }: Request, sha: string, path: string): Promise<string | null> {
    const blob = await reader.blob(subject.project, sha, path);
    if (!blob) return null;
    const content = await reader.blobContent(subject.project, blob.id, mostBytes);
    if (!content) throw new ChangelogError(`${path} is larger than ${mostBytes} bytes`);
    return content.toString('utf8');
  }

  async function configOf(request: Request, { configFile, configRef }: Asked): Promise<ChangelogConfig> {
    const { project } = request.subject;
    const ref = configRef ?? project.default_branch;
    const sha = ref === null ? null : await reader.resolve(project, ref);
    if (sha === null && configRef !== undefined) throw new ChangelogError(`${configRef} is no commit`);
    return changelogConfig(configFile, sha === null ? null : await textAt(request, sha, configFile));
  }

  /** Where the version before ends: the newest tag of a release before it. */
  async function startOf({ subject }: Request, asked: Asked, config: ChangelogConfig): Promise<string> {
    const wanted = versionOf(asked.version);
    let best: { readonly version: NonNullable<typeof wanted>; readonly commit: string } | null = null;
    for (const { name, commit } of await reader.tags(subject.project)) {
      const version = config.versionOfTag(name);
      if (!version || version.pre !== null || !wanted) continue;
      if (compareVersions(version, wanted) >= 0) continue;
      if (!best || compareVersions(version, best.version) > 0) best = { version, commit };
    }
    if (best) return best.commit;
    throw new ChangelogError(
      'The commit start range is unspecified, and no previous tag could be found to use instead',
    );
  }

  async function resolved({ subject }: Request, revision: string): Promise<string> {
    const sha = await reader.resolve(subject.project, revision);
    if (sha === null) throw new ChangelogError(`${revision} is no commit`);
    return sha;
  }

  /** Merge requests by the commits of the range that they brought. */
  async function requestsOf({ subject }: Request, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const known = new Set(ids);
    for (const { iid, base_sha, head_sha, commits } of await requestsMergedBy(db, subject.project.id, ids)) {
      const repo = deps.open(subject.project);
      const range =
        base_sha === null || head_sha === null ? null : { from: [knownSha(head_sha)], not: [knownSha(base_sha)] };
      // The commits of one that was squashed are not there any more.
      const brought = range ? await git.logIds(repo, { ...range, limit: mostOfRequest }).catch(() => []) : [];
      for (const id of [...commits, ...brought]) if (id !== null && known.has(id) && !found.has(id)) found.set(id, iid);
    }
    return found;
  }

  async function groupsOf(config: ChangelogConfig, caller: Caller) {
    const found = await Promise.all(
      config.includeGroups.map((path) =>
        // One that the caller does not see thanks nobody.
        loadGroup(deps.parents, path, caller, 'read_group').catch((error: unknown) => {
          if (error instanceof HttpError) return null;
          throw error;
        }),
      ),
    );
    return found.flatMap((each) => (each ? [each.group] : []));
  }

  /** What templates are told, by category. */
  async function categoriesOf(request: Request, asked: Asked, config: ChangelogConfig, range: readonly CommitData[]) {
    const { subject, caller } = request;
    const undone = new Set<string>();
    // The newest first: a revert that was reverted undoes nothing.
    for (const { id, message } of range)
      if (!undone.has(id)) for (const [, sha = ''] of message.matchAll(reverts)) undone.add(sha);
    const shown = range.filter(({ id, trailers }) => Object.hasOwn(trailers, asked.trailer) && !undone.has(id));
    const authors = await authorsByEmail(
      db,
      shown.map(({ author }) => author.email),
    );
    const people = [...new Map([...authors.values()].map((author) => [author.id, author])).values()];
    const levels = await Promise.all(people.map(({ id }) => deps.levelOn(subject.project.id, id)));
    const outside = new Set(people.filter((_, at) => (levels[at] ?? 0) <= 0).map(({ id }) => id));
    const ids = people.map(({ id }) => id);
    const thanked = await membersOf(db, await groupsOf(config, caller), ids);
    const requests = await requestsOf(
      request,
      range.map(({ id }) => id),
    );
    const path = projectPath(subject);
    const url = `${deps.externalUrl}/${path}/-`;
    const categories = new Map<string, object[]>();
    for (const commit of shown) {
      const trailers = Object.fromEntries(Object.entries(commit.trailers).map(([key, values]) => [key, values.at(-1)]));
      const title = config.categories.get(trailers[asked.trailer] ?? '') ?? trailers[asked.trailer] ?? '';
      const author = authors.get(commit.author.email.toLowerCase());
      const contributor = author !== undefined && outside.has(author.id);
      const credit = author !== undefined && (contributor || thanked.has(author.id));
      const iid = requests.get(commit.id);
      const entry = {
        title: commit.title,
        commit: { reference: `${path}@${commit.id}`, web_url: `${url}/commit/${commit.id}`, trailers },
        ...(author ? { author: { reference: `@${author.username}`, contributor, credit } } : {}),
        ...(iid === undefined
          ? {}
          : { merge_request: { reference: `${path}!${iid}`, web_url: `${url}/merge_requests/${iid}` } }),
      };
      categories.set(title, [...(categories.get(title) ?? []), entry]);
    }
    return [...categories].map(([title, entries]) => ({
      title,
      count: entries.length,
      single_change: entries.length === 1,
      entries,
    }));
  }

  async function section(request: Request, asked: Asked, branch: string): Promise<Section> {
    const { project } = request.subject;
    const config = await configOf(request, asked);
    const from = asked.from === undefined ? await startOf(request, asked, config) : await resolved(request, asked.from);
    const to = await resolved(request, asked.to ?? `refs/heads/${branch}`);
    const range = await reader.log(project, { from: [to], not: [from], skip: 0, limit: mostCommits + 1 });
    if (range.length > mostCommits) throw new ChangelogError(`there are more than ${mostCommits} commits in the range`);
    const categories = await categoriesOf(request, asked, config, range);
    const body = renderTemplate(config.template, { categories });
    return sectionOf(asked.version, asked.date ?? new Date(), config.dateFormat, body);
  }

  /** What goes wrong is told as 422. */
  async function told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChangelogError) && !(error instanceof TemplateError)) throw error;
      throw plainError(422, `Failed to generate the changelog: ${error.message}`);
    }
  }

  return {
    /** The section as text. */
    notes: (request: Request, asked: Asked, branch: string): Promise<string> =>
      told(async () => sectionText(await section(request, asked, branch))),
    /** Puts the section into a file by a commit. */
    commit: (request: Request, asked: Asked, to: { branch: string; file: string; message: string | undefined }) =>
      told(async () => {
        const { subject, caller } = request;
        const { branch, file } = to;
        const made = await section(request, asked, branch);
        const tip = await resolved(request, `refs/heads/${branch}`);
        const before = await textAt(request, tip, file);
        const known = before === null ? null : await reader.lastCommitOf(subject.project, tip, file);
        await deps.commits.create(subject, caller, {
          branch,
          message: to.message ?? `Add changelog for version ${asked.version}`,
          actions: [
            {
              action: before === null ? 'create' : 'update',
              file_path: file,
              content: withSection(before ?? '', made),
              encoding: 'text',
              // Whoever wrote there meanwhile is not overwritten.
              ...(known === null ? {} : { last_commit_id: known }),
            },
          ],
        });
      }),
  };
}

export type ChangelogService = ReturnType<typeof changelogService>;
