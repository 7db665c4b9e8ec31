/** What a merge request and its target branch are together: a commit to fetch and test, of which no branch knows. */
import Type from 'typebox';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { badRequest } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { buildMergedResult, mergedRef } from '../../ci/index.ts';
import { requireByIid } from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies } from '../merge-requests/merge-requests.service.ts';
import { requestSources } from '../merge-requests/sources.ts';

const MergeRef = Entity('MergeRef', { commit_id: Text() });
const notMergeable = () => badRequest('Merge request is not mergeable');

export function mergedRefRoutes(deps: MergeRequestDependencies): Route[] {
  const { db, repository } = deps;
  const sources = requestSources(deps);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/merge_ref',
      summary: 'Merge the source branch into the target branch under a ref of the merge request',
      tag: 'Merge requests',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'read_merge_request' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        merge_request_iid: Int({ description: 'Internal id of the merge request' }),
      }),
      responses: { 200: MergeRef },
      handler: async ({ params, subject, caller }) => {
        requireOnProject(caller, 'read_code', subject);
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        if (row.state !== 'opened') throw notMergeable();
        const { head } = await sources.headOf(subject.project, row);
        const target = await repository.branch(subject.project, row.target_branch);
        if (head === null || target === null) throw notMergeable();
        const kept = await repository.keptRef(subject.project, mergedRef(row.iid));
        if (kept !== null) {
          const [first, second] = (await repository.commit(subject, kept)).parent_ids;
          if (first === target && second === head) return { commit_id: kept };
        }
        const made = await buildMergedResult(repository, subject.project, row, head);
        if (made === null) throw notMergeable();
        return { commit_id: made.commit };
      },
    }),
  ];
}
