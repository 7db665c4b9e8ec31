/** What a new issue starts with that continues threads of a merge request, for the page that creates it. */
import Type from 'typebox';
import { Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { type FollowUps, thread } from './follow-ups.ts';
import { projectParam } from './issues.params.ts';

const FollowUpIssue = Entity('FollowUpIssue', {
  title: Text(),
  description: Text({ description: 'Markdown that names and quotes the threads' }),
  discussion_ids: ListOf(Text(), { description: 'Threads that creating the issue resolves' }),
});

export const followUpRoute = (followUp: FollowUps): Route =>
  route({
    tag: 'Merge requests',
    credentials: ['token', 'session'],
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/follow_up_issue',
    summary: 'Get the title and description of an issue that continues threads of a merge request',
    access: { on: 'project', ability: 'read_merge_request' },
    params: Type.Object({
      ...projectParam,
      merge_request_iid: Int({ description: 'Internal id of the merge request' }),
      ...thread,
    }),
    responses: { 200: FollowUpIssue },
    handler: async ({ params, subject, caller }) => {
      const found = await followUp(subject, caller, {
        ...params,
        merge_request_to_resolve_discussions_of: params.merge_request_iid,
      });
      if (!found) throw recordNotFound();
      return { title: found.title, description: found.description, discussion_ids: [...found.threads] };
    },
  });
