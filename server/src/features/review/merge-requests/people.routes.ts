/** The API of the people of a merge request: who takes part, and how far the reviewers are. */
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Entity, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { mapPresent, slicePage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findReferences, UserReference, userReference } from '../../identity/index.ts';
import { reviewStateWord } from './merge-requests.entity.ts';
import { requireByIid } from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';
import { lastReviewOf, participantsOf, reviewersOf } from './people.queries.ts';

const common = {
  method: 'GET',
  tag: 'Merge requests',
  credentials: ['token', 'session'],
  access: { on: 'project', ability: 'read_merge_request' },
  pagination: 'offset',
} as const;
const path = '/projects/:id/merge_requests/:merge_request_iid';
const one = Type.Object({
  id: IdOrPath('Id or path of the project'),
  merge_request_iid: Int({ description: 'Internal id of the merge request' }),
});

const MergeRequestReviewer = Entity('MergeRequestReviewer', {
  user: UserReference,
  state: reviewStateWord,
  created_at: Timestamp(),
});

const MergeRequestLastReview = Entity('MergeRequestLastReview', {
  reviewed_at: Nullable(Timestamp({ description: 'Null before the caller has reviewed the merge request' })),
  version_id: Nullable(Id({ description: 'Version that was the newest then' })),
  head_commit_sha: Nullable(Text({ description: 'Head of that version' })),
});

export function requestPeopleRoutes({
  db,
  externalUrl,
}: Pick<MergeRequestDependencies, 'db' | 'externalUrl'>): Route[] {
  return [
    route({
      ...common,
      path: `${path}/participants`,
      summary: 'List participants of a merge request',
      params: one,
      responses: { 200: ListOf(UserReference) },
      handler: async ({ params, subject, caller, page }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const internal = canOnProject(caller, 'read_internal_note', subject);
        const paged = slicePage(page, await participantsOf(db, row.id, internal));
        const people = await findReferences(db, paged.items);
        return mapPresent(paged, (id) => {
          const found = people.get(id);
          return found && userReference(found, externalUrl);
        });
      },
    }),
    route({
      ...common,
      pagination: undefined,
      path: `${path}/last_review`,
      summary: 'Get when you last reviewed a merge request, and which version',
      params: one,
      responses: { 200: MergeRequestLastReview },
      handler: async ({ params, subject, caller }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const found = caller.user && (await lastReviewOf(db, row.id, caller.user.id));
        return {
          reviewed_at: found?.reviewed_at ?? null,
          version_id: found?.version_id ?? null,
          head_commit_sha: found?.head_sha ?? null,
        };
      },
    }),
    route({
      ...common,
      path: `${path}/reviewers`,
      summary: 'List the reviewers of a merge request with their states',
      params: one,
      responses: { 200: ListOf(MergeRequestReviewer) },
      handler: async ({ params, subject, page }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const paged = slicePage(page, await reviewersOf(db, row.id));
        const people = await findReferences(
          db,
          paged.items.map(({ user_id }) => user_id),
        );
        return mapPresent(paged, ({ user_id, state, created_at }) => {
          const found = people.get(user_id);
          return found && { user: userReference(found, externalUrl), state, created_at };
        });
      },
    }),
  ];
}
