/** What the form of a new merge request starts with. */
import Type from 'typebox';
import { Entity, Nullable, Text } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { defaultText } from './default-text.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';
import { requestSources } from './sources.ts';

const DefaultText = Entity('MergeRequestFirstWords', {
  title: Text({ description: 'Title of the only commit, or the name of the branch in words' }),
  description: Nullable(Text(), { description: 'From the template of the target project, or of the only commit' }),
});

export function newMergeRequestRoutes(deps: MergeRequestDependencies): Route[] {
  const wordsFor = defaultText(deps);
  const { targetOf } = requestSources(deps);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/new',
      summary: 'Get title and description that a new merge request starts with',
      tag: 'Merge requests',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'read_merge_request' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        source_branch: Str({ minLength: 1, description: 'Branch with the changes' }),
        target_branch: Optional(
          Str({ minLength: 1, description: 'Branch that the changes go to; the default branch by default' }),
        ),
        target_project_id: Optional(Int({ description: 'Project that the changes go to; this one by default' })),
      }),
      responses: { 200: DefaultText },
      handler: async ({ params, subject, caller }) => {
        requireOnProject(caller, 'read_code', subject);
        const target = await targetOf(subject, params.target_project_id, caller);
        const head = await deps.repository.branch(subject.project, params.source_branch);
        if (head === null || !(await deps.repository.related(subject.project.id, target.project.id)))
          throw notFound('Branch');
        const { source_branch: sourceBranch } = params;
        const targetBranch = params.target_branch ?? target.project.default_branch ?? 'main';
        return await wordsFor(caller, { source: subject, target, sourceBranch, targetBranch, head });
      },
    }),
  ];
}
