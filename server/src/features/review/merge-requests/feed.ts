/** Merge requests for feeds: of a project, a group, or of oneself, narrowed by what lists are narrowed by. */
import Type, { type Static } from 'typebox';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, Subject } from '../../../kernel/authz/subjects.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { parseUrlEncoded } from '../../../kernel/http/params/nested.ts';
import { OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { validateParameters } from '../../../kernel/http/params/validate.ts';
import { filterOf } from './listing.filter.ts';
import { listRows } from './listing.queries.ts';
import { exclusiveFilters, filters } from './merge-requests.params.ts';
import { withPeople } from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';

const params = Type.Object(
  { ...filters, state: Optional(OneOf(['opened', 'closed', 'merged', 'locked', 'all'], { default: 'opened' })) },
  exclusiveFilters,
);

/** As pages of the ecosystem call them. */
const otherNames: Readonly<Record<string, string>> = { label_name: 'labels', milestone_title: 'milestone' };
/** Whose merge requests a feed of oneself is about. */
const people = [
  ...['assignee_id', 'assignee_username', 'author_id', 'author_username', 'reviewer_id', 'reviewer_username'],
  ...['scope', 'my_reaction_emoji'],
];

interface FeedQuery {
  /** Null for what is assigned to the caller anywhere. */
  readonly place: Subject | null;
  readonly caller: Caller;
  /** Query string without `?`. */
  readonly query: string;
  readonly limit: number;
}

export function mergeRequestFeed({ db, externalUrl }: Pick<MergeRequestDependencies, 'db' | 'externalUrl'>) {
  function requireReader(place: Subject | null, caller: Caller) {
    if (place === null && !caller.user) throw unauthorized();
    if (place?.kind === 'project' && !canOnProject(caller, 'read_merge_request', place)) throw notFound();
    if (place?.kind === 'group' && !canOnGroup(caller, 'read_group', place)) throw notFound();
  }

  function placed(place: Subject | null, caller: Caller) {
    if (place === null) return { visibleTo: caller };
    return place.kind === 'project'
      ? { projectId: place.project.id }
      : { group: { id: place.group.id, caller, descendants: true, archived: false } };
  }

  return async ({ place, caller, query, limit }: FeedQuery) => {
    requireReader(place, caller);
    const raw = parseUrlEncoded(query);
    for (const [other, name] of Object.entries(otherNames)) if (raw[other] !== undefined) raw[name] ??= raw[other];
    if (place === null && people.every((name) => raw[name] === undefined)) raw.scope = 'assigned_to_me';
    const wanted = validateParameters(params, raw, new Set()) as Static<typeof params>;
    const filter = { ...filterOf(caller, wanted), ...placed(place, caller) };
    const loaded = await withPeople(db, await listRows(db, filter, { limit, offset: 0 }));
    return loaded.flatMap(({ row, project, author, assignees, milestone, labels }) =>
      author
        ? [
            {
              ...{ title: row.title, description: row.description, updated_at: row.updated_at, author, assignees },
              web_url: `${externalUrl}/${project.path_with_namespace}/-/merge_requests/${row.iid}`,
              milestone,
              labels: labels.map(({ title }) => title),
              due_date: null,
            },
          ]
        : [],
    );
  };
}
export type MergeRequestFeed = ReturnType<typeof mergeRequestFeed>;
