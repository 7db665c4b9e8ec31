/** The API of conflicts: what collides in a merge request, with its text, and how it is resolved. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { Entity, Flag, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import { Bool, IdOrPath, Int, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { MergeRequestDetailOf } from '../merge-requests/detail.ts';
import { MergeRequestDetail } from '../merge-requests/merge-requests.entity.ts';
import { type conflictResolving, largestText, type Resolution } from './resolving.ts';

const path = '/projects/:id/merge_requests/:merge_request_iid';
const common = { tag: 'Merge requests', credentials: ['token', 'session'] } as const;
const access = { on: 'project', ability: 'read_code' } as const;
const one = {
  id: IdOrPath('Id or path of the project'),
  merge_request_iid: Int({ description: 'Internal id of the merge request' }),
};
const sha = (description: string) => Str({ pattern: '^[0-9a-f]{40}$', description });

const ConflictFile = Entity('ConflictFile', {
  path: Text({ description: 'Name of the file' }),
  kind: Text({ description: 'What collides' }),
  message: Text({ description: 'What git reports; `ours` is the source branch' }),
  resolvable: Flag({ description: 'Whether it can be resolved here; other conflicts are resolved in a clone' }),
  content: Nullable(Text(), {
    description: 'The merged text with conflict markers, the source branch first; null where it is no text',
  }),
  source_content: Nullable(Text(), { description: 'The file in the source branch; null where it is not there' }),
  target_content: Nullable(Text(), { description: 'The file in the target branch; null where it is not there' }),
});

const MergeRequestConflicts = Entity('MergeRequestConflicts', {
  source_branch: Text(),
  target_branch: Text(),
  source_sha: Text({ description: 'Commit of the source branch' }),
  target_sha: Text({ description: 'Commit of the target branch' }),
  commit_message: Text({ description: 'Message of the commit that resolves them, unless another is given' }),
  can_resolve: Flag({ description: 'Whether the caller may push to the source branch' }),
  files: ListOf(ConflictFile),
});

const resolution = Type.Object({
  path: Str({ minLength: 1, maxLength: 4096, description: 'Name of the file' }),
  content: Optional(Str({ maxLength: largestText, description: 'Its whole text, without conflict markers' })),
  side: Optional(OneOf(['source', 'target'], { description: 'Takes the file as one branch has it' })),
  delete: Optional(Bool({ description: 'Removes the file' })),
});

export function conflictRoutes(resolving: ReturnType<typeof conflictResolving>, detail: MergeRequestDetailOf): Route[] {
  const readable = (subject: ProjectSubject, caller: Caller) => requireOnProject(caller, 'read_merge_request', subject);
  return [
    route({
      ...common,
      method: 'GET',
      path: `${path}/conflicts`,
      summary: 'Get the conflicts of a merge request',
      access,
      params: Type.Object(one),
      responses: { 200: MergeRequestConflicts },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        readable(subject, caller);
        return await resolving.conflictsOf(subject, caller, params.merge_request_iid);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/resolve_conflicts`,
      summary: 'Resolve the conflicts of a merge request',
      access,
      params: Type.Object({
        ...one,
        source_sha: sha('Commit of the source branch that was resolved'),
        target_sha: sha('Commit of the target branch that was resolved'),
        commit_message: Optional(Str({ maxLength: 100_000, description: 'Message of the commit' })),
        files: List(resolution, {
          maxItems: 1000,
          description: 'Each file that collides, with exactly one of `content`, `side` and `delete`',
        }),
      }),
      responses: { 201: MergeRequestDetail },
      errors: [409, 422],
      handler: async ({ params, subject, caller }) => {
        readable(subject, caller);
        const { source_sha: source, target_sha: target, commit_message: message } = params;
        const files: readonly Resolution[] = params.files;
        const wishes = { source, target, message, files };
        return await detail(
          subject,
          caller,
          await resolving.resolve(subject, caller, params.merge_request_iid, wishes),
        );
      },
    }),
  ];
}
