/** The filter that parameters of lists of merge requests ask for. */
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { invalidParameters } from '../../../kernel/http/errors.ts';
import { filled } from '../../../kernel/http/params/filled.ts';
import type { MergeRequestFilter } from './listing.queries.ts';
import { filters } from './merge-requests.params.ts';

const asked = Type.Object(filters);
export type Asked = Static<typeof asked>;

/** The id that digits are; other words are left to the query. */
const digitsOrWord = (given: string) => (/^\d+$/.test(given) ? Number(given) : given);
const personOf = (given: string | undefined) => (given === undefined ? undefined : digitsOrWord(given));

/** A username, or the words for nobody and anybody in its place. */
const namedOrWord = (given: string | undefined) =>
  given !== undefined && /^(none|any)$/i.test(given) ? { id: given } : { usernames: listOf(given) };

const listOf = (name: string | undefined) => (name === undefined ? [] : [name]);

export function filterOf(caller: Caller, given: Asked): Omit<MergeRequestFilter, 'projectId' | 'group'> {
  const params = filled(given);
  const not = params.not && filled(params.not);
  const me = caller.user?.id;
  const scope = params.scope?.replaceAll('-', '_');
  if (scope !== undefined && scope !== 'all' && me === undefined)
    throw invalidParameters(['scope needs a signed-in user']);
  return {
    state: params.state ?? 'all',
    iids: params.iids,
    sourceBranch: params.source_branch,
    targetBranch: params.target_branch,
    authorId: scope === 'created_by_me' ? me : params.author_id,
    authorUsername: params.author_username,
    assignee: {
      id: scope === 'assigned_to_me' ? me : personOf(params.assignee_id),
      usernames: params.assignee_username,
    },
    reviewer:
      scope === 'reviews_for_me' || params.reviewer_id !== undefined
        ? {
            id: scope === 'reviews_for_me' ? me : personOf(params.reviewer_id),
            usernames: listOf(params.reviewer_username),
          }
        : namedOrWord(params.reviewer_username),
    approverIds: params.approver_ids?.map(digitsOrWord),
    approvedByIds: params.approved_by_ids?.map(digitsOrWord),
    approvedByUsernames: params.approved_by_usernames,
    labels: params.labels,
    milestone: params.milestone,
    not: not && {
      ...{ labels: not.labels, milestone: not.milestone, reaction: not.my_reaction_emoji },
      author: { id: not.author_id, usernames: listOf(not.author_username) },
      assignee: { id: not.assignee_id, usernames: not.assignee_username },
      reviewer: { id: not.reviewer_id, usernames: listOf(not.reviewer_username) },
      ...{ sourceBranch: not.source_branch, targetBranch: not.target_branch },
    },
    mergeUser: { id: params.merge_user_id, usernames: listOf(params.merge_user_username) },
    reaction: params.my_reaction_emoji,
    reactionsOf: me,
    approved: params.approved === undefined ? undefined : params.approved === 'yes',
    sourceProjectId: params.source_project_id,
    deployed: { after: params.deployed_after, before: params.deployed_before, environment: params.environment },
    search: params.search,
    searchIn: params.in,
    draft: params.draft ?? (params.wip === undefined ? undefined : params.wip === 'yes'),
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
    orderBy: params.order_by ?? 'created_at',
    sort: params.sort ?? 'desc',
  };
}
