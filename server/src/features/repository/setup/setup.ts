/** Repositories of projects that come and go: made on disk, with a README when asked, removed after the row. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { currentRequest } from '../../../kernel/http/current-request.ts';
import { unavailable } from '../../../kernel/http/errors.ts';
import type { ApplicationSettings } from '../../../kernel/settings/index.ts';
import type { CommitService } from '../commits/commits.service.ts';
import type { RepositoryRow } from '../face.ts';
import { asHttpError, headOf, type OpenRepository } from '../reading/git-reader.ts';
import type { RepositoryReader } from '../reading/reader.ts';

/**
 * Handles of repositories by storage and generated path, with the budget of whoever the request at hand is from. Throws for a storage that is not configured.
 */
export function repositoryOpener(
  shared: git.Git,
  storages: Readonly<Record<string, string>>,
  hangingFor: (storage: string) => number | null,
): OpenRepository {
  return (project) => {
    const root = storages[project.repository_storage];
    if (root === undefined)
      throw new Error(`repository storage ${project.repository_storage} is not configured (MILLRACE_REPOSITORIES)`);
    // Whoever touches it now waits with it, and one of the few threads for files waits, too.
    if (hangingFor(project.repository_storage) !== null)
      throw unavailable('the storage of the repository does not answer', 30);
    const request = currentRequest();
    return git.openRepository(shared, git.repoPath(path.join(root, project.repository_path)), {
      caller: request === undefined ? 'system' : request.anonymous ? 'anonymous' : 'user',
      ...(request?.signal ? { signal: request.signal } : {}),
    });
  };
}

const milliseconds = (seconds: number) => (seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1000);

/** How long requests wait for git: settings of the instance, below the budgets of the configuration. */
export const gitTimeouts = (settings: ApplicationSettings): git.GitTimeouts => ({
  fast: milliseconds(settings.gitaly_timeout_fast),
  medium: milliseconds(settings.gitaly_timeout_medium),
  other: milliseconds(settings.gitaly_timeout_default),
});

type Place = Pick<RepositoryRow, 'repository_storage' | 'repository_path'>;
const rowAt = (place: Place): RepositoryRow => ({ ...place, id: 0, refs_generation: 0, default_branch: null });

/** Projects whose README is remembered: an answer about a project asks for it every time. */
const rememberedReadmes = 10_000;
const readmeNames = /^readme(\.(md|markdown|mdown|rst|adoc|asciidoc|org|txt))?$/i;

export function repositorySetup(deps: {
  open: OpenRepository;
  shared: git.Git;
  /** Directories by name. */
  storages: Readonly<Record<string, string>>;
  reader: RepositoryReader;
  commits: CommitService;
  /** HEAD and the row together. */
  moveHead: (project: RepositoryRow, branch: string) => Promise<void>;
}) {
  // By project. True at one generation of its refs, which every write moves on.
  const readmes = new Map<number, { generation: number; branch: string; path: string | null }>();

  return {
    /** Makes an empty repository. */
    async placed(place: Place, branch: string): Promise<void> {
      try {
        // A storage that is not mounted must not be begun anew where it belongs.
        await stat(deps.storages[place.repository_storage] ?? '');
        await git.initRepository(deps.open(rowAt(place)).path, { defaultBranch: branch });
      } catch (error) {
        throw asHttpError(git.storageError(error) ?? error);
      }
    },
    /** Removes it when nothing came of it; what cannot be removed now is found by the sweep. */
    unplaced: (place: Place): Promise<void> =>
      git.removeRepository(deps.shared, deps.open(rowAt(place)).path).catch(() => undefined),
    /** The first commit, with `initializeWithReadme` or `files`. */
    async created(
      subject: ProjectSubject,
      options: { caller: Caller; initializeWithReadme: boolean; files?: Readonly<Record<string, string>> },
    ): Promise<void> {
      const { project } = subject;
      const branch = project.default_branch ?? 'main';
      const readme = `# ${project.name}\n\n${project.description ?? ''}`.trimEnd().concat('\n');
      const files = options.files ?? (options.initializeWithReadme ? { 'README.md': readme } : {});
      const actions = Object.entries(files).map(([name, content]) => ({
        action: 'create' as const,
        file_path: name,
        content,
      }));
      if (actions.length === 0) return;
      await deps.commits.create(subject, options.caller, {
        branch,
        message: 'Initial commit',
        ownMessage: true,
        actions,
      });
    },
    /** Makes another branch the one that HEAD names; false when there is no such branch and others exist. */
    async changeDefaultBranch(project: RepositoryRow, branch: string): Promise<boolean> {
      const ref = git.branchRef(branch);
      if (ref === null) return false;
      const exists = (await git.readRef(deps.open(project), ref)) !== null;
      if (!exists && (await deps.reader.branches(project)).length > 0) return false;
      await deps.moveHead(project, branch);
      return true;
    },
    async hasBranch(project: RepositoryRow, branch: string): Promise<boolean> {
      const ref = git.branchRef(branch);
      return ref !== null && (await git.readRef(deps.open(project), ref)) !== null;
    },
    /** Removes the files; harmless when they are gone. */
    removed: (project: RepositoryRow): Promise<void> => git.removeRepository(deps.shared, deps.open(project).path),
    /** The newest commit of the default branch; null when there is none. */
    headOf: (project: RepositoryRow): Promise<string | null> => headOf(deps.open, project),
    /** Name of the newest tag by the date of what it names; null when there is none. */
    async latestTag(project: RepositoryRow): Promise<string | null> {
      const repo = deps.open(project);
      const snapshot = await git.refsSnapshot(repo, project.refs_generation);
      const { refs } = await git.listRefs(repo, snapshot, { prefix: 'refs/tags/', sort: 'updated_desc', limit: 1 });
      return refs[0]?.name ?? null;
    },
    /** Path of the README on the default branch, null when there is none. */
    async readmePath(project: RepositoryRow): Promise<string | null> {
      if (project.default_branch === null) return null;
      const { id, default_branch: branch, refs_generation: generation } = project;
      const known = readmes.get(id);
      if (known?.generation === generation && known.branch === branch) return known.path;
      const sha = await deps.reader.resolve(project, `refs/heads/${branch}`);
      const entries = sha === null ? null : await deps.reader.tree(project, sha, '', false);
      const found = entries?.find((entry) => entry.type === 'blob' && readmeNames.test(entry.name))?.path ?? null;
      if (readmes.size >= rememberedReadmes) readmes.delete(readmes.keys().next().value ?? id);
      readmes.set(id, { generation, branch, path: found });
      return found;
    },
  };
}
