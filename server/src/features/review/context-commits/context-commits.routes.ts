/** The API of context commits: commits of the project that help to understand a merge request. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest } from '../../../kernel/http/errors.ts';
import { mapPresent, slicePage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, List, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { Commit } from '../../repository/index.ts';
import { requireByIid } from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies } from '../merge-requests/merge-requests.service.ts';
import { addContextCommits, contextCommitsOf, removeContextCommits } from './context-commits.queries.ts';

const path = '/projects/:id/merge_requests/:merge_request_iid/context_commits';
const common = { tag: 'Merge requests', credentials: ['token', 'session'] } as const;
const access = { on: 'project', ability: 'read_code' } as const;
const one = {
  id: IdOrPath('Id or path of the project'),
  merge_request_iid: Int({ description: 'Internal id of the merge request' }),
};
const most = 100;
const commits = List(Str({ pattern: '^[0-9a-fA-F]{7,40}$', description: 'Hash of a commit' }), {
  maxItems: most,
  description: 'Hashes of commits',
});

/** Keeps a context commit when the branch that it was on goes. */
const keepingRef = ({ iid }: Pick<MergeRequest, 'iid'>, sha: string) => `refs/merge-requests/${iid}/context/${sha}`;

export function contextCommitRoutes({
  db,
  repository,
  changed,
}: Pick<MergeRequestDependencies, 'db' | 'repository' | 'changed'>): Route[] {
  /** Whoever may change the request: its author, or those who may change every one. */
  async function changeable(subject: ProjectSubject, caller: Caller, iid: number): Promise<MergeRequest> {
    requireOnProject(caller, 'read_merge_request', subject);
    const row = await requireByIid(db, subject.project.id, iid);
    if (caller.user === null || row.author_id !== caller.user.id)
      requireOnProject(caller, 'update_merge_request', subject);
    return row;
  }

  async function resolved({ project }: ProjectSubject, wanted: readonly string[]): Promise<string[]> {
    const found = await Promise.all(wanted.map((sha) => repository.resolve(project, sha.toLowerCase())));
    const known = found.filter((sha) => sha !== null);
    if (known.length < wanted.length) throw badRequest("One or more context commits' sha is not valid.");
    return [...new Set(known)];
  }

  return [
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'List context commits of a merge request',
      access,
      pagination: 'offset',
      params: Type.Object(one),
      responses: { 200: ListOf(Commit) },
      handler: async ({ params, subject, caller, page }) => {
        requireOnProject(caller, 'read_merge_request', subject);
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const paged = slicePage(page, await contextCommitsOf(db, row.id));
        const found = await Promise.all(paged.items.map((sha) => repository.commit(subject, sha)));
        return mapPresent(paged, (sha) => found.find(({ id }) => id === sha));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path,
      summary: 'Add context commits to a merge request',
      access,
      params: Type.Object({ ...one, commits }),
      responses: { 201: ListOf(Commit) },
      handler: async ({ params, subject, caller }) => {
        const row = await changeable(subject, caller, params.merge_request_iid);
        if (params.commits.length === 0) throw badRequest('commits is empty');
        const shas = await resolved(subject, params.commits);
        const known = await contextCommitsOf(db, row.id);
        const again = shas.filter((sha) => known.includes(sha));
        if (again.length > 0) throw badRequest(`Context commits: ${JSON.stringify(again)} are already created`);
        if (known.length + shas.length > most) throw badRequest(`A merge request has at most ${most} context commits`);
        const range = [{ base: row.start_sha, head: row.head_sha ?? '' }];
        const added = await Promise.all(shas.map((sha) => repository.commit(subject, sha)));
        for (const sha of shas) {
          const [own] = row.head_sha === null ? [] : await repository.rangesWith(subject.project, sha, range);
          if (own) throw badRequest(`Commit ${sha} is part of the merge request`);
        }
        for (const sha of shas) await repository.keepRef(db, subject.project, keepingRef(row, sha), sha);
        try {
          await transaction(db, async (tx) => {
            const values = added.map(({ id, committed_date }) => ({ sha: id, committedAt: new Date(committed_date) }));
            await addContextCommits(tx, row.id, values);
            await changed(tx, row);
          });
        } catch (error) {
          if (!isUniqueViolation(error, 'merge_request_context_commits_pkey')) throw error;
          throw badRequest(`Context commits: ${JSON.stringify(shas)} are already created`);
        }
        return added;
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Remove context commits from a merge request',
      access,
      params: Type.Object({ ...one, commits }),
      responses: { 204: Empty },
      conditional: 'Context commits have no date of change.',
      handler: async ({ params, subject, caller }) => {
        const row = await changeable(subject, caller, params.merge_request_iid);
        const known = await contextCommitsOf(db, row.id);
        const wanted = known.filter((sha) => params.commits.some((each) => sha.startsWith(each.toLowerCase())));
        const removed = await transaction(db, async (tx) => {
          const gone = wanted.length === 0 ? [] : await removeContextCommits(tx, row.id, wanted);
          if (gone.length > 0) await changed(tx, row);
          return gone;
        });
        if (removed.length === 0) throw badRequest('No context commits to delete');
        for (const sha of removed) await repository.keepRef(db, subject.project, keepingRef(row, sha), null);
      },
    }),
  ];
}
