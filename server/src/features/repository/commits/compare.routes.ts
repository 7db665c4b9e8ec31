/** The API that compares two revisions, of one project or of two of one network of forks. */
import * as git from '@millrace/git';
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { HttpError, notFound, plainError } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { RepositoryAccess } from '../face.ts';
import { knownSha, type OpenRepository } from '../reading/git-reader.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import { Compare } from './commits.entity.ts';
import { commitJson, unified } from './commits.json.ts';
import { fileChanges } from './commits.service.ts';
import type { CommitDetails } from './detail.ts';
import type { DiffLimits } from './diff-limits.ts';
import { withCommitOf } from './with-fork-commit.ts';

export interface CompareDependencies {
  readonly open: OpenRepository;
  readonly reader: RepositoryReader;
  readonly access: Pick<RepositoryAccess, 'commitsBetween' | 'diff'>;
  readonly details: Pick<CommitDetails, 'urlOf'>;
  readonly diffLimits: DiffLimits;
  /** The other project, of the same network; undefined for the project itself. */
  readonly startProject: (
    subject: ProjectSubject,
    idOrPath: string,
    caller: Caller,
  ) => Promise<ProjectSubject | undefined>;
}

const mostCommits = 1000;

export function compareRoutes(deps: CompareDependencies): Route[] {
  const { open, reader, access } = deps;

  async function otherProject(subject: ProjectSubject, id: number | undefined, caller: Caller) {
    if (id === undefined) return undefined;
    return await deps.startProject(subject, String(id), caller).catch((error: unknown) => {
      // What is there and no relative.
      if (!(error instanceof HttpError) || error.status !== 403) throw error;
      throw plainError(400, `Target project id:${id} is not a fork of project id:${subject.project.id}`);
    });
  }

  /** With the commits of the other project beside those of this one. */
  async function across(subject: ProjectSubject, other: ProjectSubject, from: string, to: string, straight: boolean) {
    const [first, last] = [knownSha(from), knownSha(to)];
    return await withCommitOf(open, subject.project, other.project, from, async (repo) => {
      const base = straight ? first : ((await git.mergeBase(repo, first, last)) ?? first);
      const ids = await git.logIds(repo, { from: [last], not: [first], limit: mostCommits });
      const changes = fileChanges(await git.diff(repo, base, last, { limits: await deps.diffLimits() }));
      const url = deps.details.urlOf(subject);
      const commits = await Promise.all(
        ids.map(async (id) => commitJson(await reader.commit(subject.project, id), url)),
      );
      return { base, commits, changes };
    });
  }

  async function within(subject: ProjectSubject, from: string, to: string, straight: boolean) {
    const base = straight ? from : ((await reader.mergeBase(subject.project, from, to)) ?? from);
    const [commits, changes] = await Promise.all([
      access.commitsBetween(subject, from, to, { skip: 0, limit: mostCommits }),
      access.diff(subject.project, base, to),
    ]);
    return { base, commits, changes };
  }

  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/compare',
      summary: 'Compare two revisions',
      tag: 'Repositories',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'read_code' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        from: Str({ minLength: 1, description: 'Commit, branch or tag to compare from' }),
        to: Str({ minLength: 1, description: 'Commit, branch or tag to compare to' }),
        from_project_id: Optional(Int({ description: 'Project that `from` is of, where it is a fork or the origin' })),
        straight: Optional(Bool({ default: false, description: 'Compare directly instead of from the merge base' })),
        unidiff: Optional(Bool({ description: 'Give diffs in the unified format' })),
      }),
      responses: { 200: Compare },
      handler: async ({ params, subject, caller }) => {
        const other = await otherProject(subject, params.from_project_id, caller);
        const [from, to] = await Promise.all([
          reader.resolve((other ?? subject).project, params.from),
          reader.resolve(subject.project, params.to),
        ]);
        if (from === null || to === null) throw notFound('Ref');
        const straight = params.straight ?? false;
        const { base, commits, changes } = await (other
          ? across(subject, other, from, to, straight)
          : within(subject, from, to, straight));
        const query = other ? `?from_project_id=${other.project.id}` : '';
        return {
          commit: commits[0] ?? null,
          commits: [...commits].reverse(),
          diffs: params.unidiff ? changes.files.map(unified) : changes.files,
          compare_timeout: changes.overflow,
          compare_same_ref: from === to,
          web_url: `${deps.details.urlOf(subject)}/-/compare/${base}...${to}${query}`,
        };
      },
    }),
  ];
}
