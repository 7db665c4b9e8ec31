/** Files that configurations include from elsewhere: other projects, artifacts, addresses, templates, components. */
import { createHash } from 'node:crypto';
import type { Fetch, FetchFailure, IncludedFile, IncludeSource, OtherProject } from '@millrace/ci-config';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { anonymous, type Caller, type ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { CiDependencies } from '../deps.ts';
import { fullPath } from '../variables/predefined.ts';
import { parseComponent, publishedRange } from './components.ts';
import { readConfigFile } from './config-file.ts';
import { catalogVersion, isInCatalog } from './releases.queries.ts';
import { keepRemoteFile, keptRemoteFile } from './remote-files.queries.ts';

/** Redirects of a remote file that are followed. */
const maxRedirects = 5;
/** Milliseconds for one remote file, and for all of one configuration. */
const remoteTimeout = 10_000;
const remoteTotal = 30_000;

export type SourceDependencies = Pick<CiDependencies, 'db' | 'externalUrl' | 'repository' | 'parents' | 'outbound'>;
type Found = Awaited<ReturnType<Fetch>>;
type Source<K extends IncludeSource['kind']> = Extract<IncludeSource, { kind: K }>;

interface SourceRequest {
  /** The project whose pipeline it is. */
  readonly subject: ProjectSubject;
  /** Whose rights decide what is read of other projects. */
  readonly caller: Caller;
  /** Reads what a job of the parent pipeline has left. */
  readonly artifact?: ((job: string, path: string) => Promise<string | null>) | undefined;
}

/** The same whether there is none of that name or the caller may not read it. */
const noProject: FetchFailure = {
  failure: 'not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.',
};
const noAccess: FetchFailure = { failure: 'the project or component does not exist, or access is denied' };

/** Fetches for one compilation: the same address is asked once. */
export function includeSources(deps: SourceDependencies, request: SourceRequest, fileBytes: number) {
  const { repository } = deps;
  const remote = new Map<string, Promise<Found>>();
  let remoteTime = 0;

  async function readable(path: string, source: { readonly anonymous?: true }): Promise<ProjectSubject | null> {
    const caller = source.anonymous ? anonymous : request.caller;
    const project = await deps.parents.project(path, caller);
    return project && canOnProject(caller, 'read_code', project) ? project : null;
  }

  async function firstCommit({ project }: ProjectSubject, revisions: readonly string[]): Promise<string | null> {
    for (const revision of revisions) {
      const commit = await repository.resolve(project, revision);
      if (commit !== null) return commit;
    }
    return null;
  }

  const ifCommit = (name: string) => (/^[0-9a-f]{40}$/.test(name) ? [name] : []);

  /** The commit of another project at a ref or its default branch; why there is none, or not for the caller. */
  async function commitIn(place: OtherProject & { readonly anonymous?: true }) {
    const other = await readable(place.project, place);
    if (!other) return noProject;
    const ref = place.ref ?? other.project.default_branch ?? '';
    const commit = await firstCommit(other, [`refs/heads/${ref}`, `refs/tags/${ref}`, ...ifCommit(ref)]);
    if (commit === null) return { failure: `reference \`${place.ref ?? 'HEAD'}\` does not exist!` };
    return { project: other.project, commit };
  }

  async function ofProject(path: string, source: Source<'project'>): Promise<Found> {
    const found = await commitIn(source);
    if ('failure' in found) return found;
    const file = await readConfigFile(repository, found.project, found.commit, path, fileBytes);
    return file && [{ path, ...file }];
  }

  async function listPathsIn(place: OtherProject): Promise<readonly string[] | null> {
    const found = await commitIn(place);
    return 'failure' in found ? null : await repository.listPaths(found.project, found.commit);
  }

  async function ofArtifact(path: string, { job }: Source<'artifact'>): Promise<Found> {
    const content = await request.artifact?.(job, path);
    return typeof content === 'string' ? [{ path, content }] : null;
  }

  async function ofTemplate(path: string): Promise<Found> {
    const content = await repository.ciTemplate(path.replace(/\.gitlab-ci\.yml$/, ''));
    return content === null ? null : [{ path, content }];
  }

  /** The file of an address, as it was fetched lately where the configuration says so. */
  async function ofAddress(url: string, { integrity, cache }: Source<'remote'>): Promise<Found> {
    const place = { projectId: request.subject.project.id, address: url };
    const kept = cache === null ? null : await keptRemoteFile(deps.db, place, cache);
    const found = kept === null ? await fetched(url) : { content: kept };
    if ('failure' in found) return found;
    const hash = `sha256-${createHash('sha256').update(found.content).digest('base64')}`;
    if (integrity !== null && integrity !== hash) return { failure: 'its hash is not the one of `integrity`' };
    if (cache !== null && kept === null) await keepRemoteFile(deps.db, place, found.content, cache);
    return [{ path: url, content: found.content.toString('utf8') }];
  }

  async function fetched(url: string): Promise<{ readonly content: Buffer } | FetchFailure> {
    const left = remoteTotal - remoteTime;
    if (left <= 0) return { failure: `remote files of one configuration may take ${remoteTotal / 1000} seconds` };
    const timeout = Math.min(remoteTimeout, left);
    const options = { kind: 'include', redirects: maxRedirects, maximumBytes: fileBytes, timeout } as const;
    const answer = await deps.outbound.send({ url, ...options, connectTimeout: timeout });
    remoteTime += answer.durationMs;
    if (!answer.ok) return { failure: answer.message };
    if (answer.status !== 200) return { failure: `the server answered ${answer.status}` };
    if (answer.truncated) return { failure: `it is larger than ${fileBytes} bytes` };
    return { content: answer.body };
  }

  /** The commit of a version: an id, a tag, a branch, or the highest version in the catalog that fits. */
  async function versionOf(
    subject: ProjectSubject,
    wanted: string,
  ): Promise<{ sha: string; version: string | null } | FetchFailure> {
    const { id } = subject.project;
    const exact = await firstCommit(subject, [...ifCommit(wanted), `refs/tags/${wanted}`, `refs/heads/${wanted}`]);
    if (exact !== null) {
      const published = await catalogVersion(deps.db, id, { version: wanted });
      return { sha: exact, version: published?.sha === exact ? published.version : null };
    }
    const range = publishedRange(wanted);
    const found = range && (await catalogVersion(deps.db, id, range));
    if (found) return found;
    if (range === null || (await isInCatalog(deps.db, id))) return { failure: 'there is no such version' };
    const what = range.major === null ? '~latest' : 'partial semantic';
    const reference = `The ${what} version reference is not supported for non-catalog resources`;
    return { failure: `${reference}. Use a tag, branch, or commit SHA instead` };
  }

  async function ofComponent(address: string, source: Source<'component'>): Promise<Found> {
    const { host, pathname } = new URL(deps.externalUrl);
    const parsed = parseComponent(address, `${host}${pathname}`.replace(/\/$/, ''));
    if (typeof parsed === 'string') return { failure: parsed };
    const { project, name } = parsed;
    const subject = await readable(project, source);
    if (!subject) return noAccess;
    const version = await versionOf(subject, parsed.version);
    if ('failure' in version) return version;
    for (const path of [`templates/${name}.yml`, `templates/${name}/template.yml`]) {
      const file = await readConfigFile(repository, subject.project, version.sha, path, fileBytes);
      const component = { project: fullPath(subject), ...version, name, reference: parsed.version, address };
      if (file) return [{ path, ...file, component } satisfies IncludedFile];
    }
    return { failure: `the project has neither \`templates/${name}.yml\` nor \`templates/${name}/template.yml\`` };
  }

  async function fetch(path: string, source: IncludeSource): Promise<Found> {
    switch (source.kind) {
      case 'project':
        return await ofProject(path, source);
      case 'artifact':
        return await ofArtifact(path, source);
      case 'template':
        return await ofTemplate(path);
      case 'component':
        return await ofComponent(path, source);
      case 'remote': {
        const key = `${source.integrity} ${source.cache} ${path}`;
        const found = remote.get(key) ?? ofAddress(path, source);
        remote.set(key, found);
        return await found;
      }
    }
  }

  return { fetch, listPathsIn };
}
