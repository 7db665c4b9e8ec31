/** Merge requests for feeds: of a project, a group, or of oneself, narrowed by what lists are narrowed by. */
import Type, { type Static } from 'typebox';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, Subject } from '../../../kernel/authz/subjects.ts';
import { OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { validateParameters } from '../../../kernel/http/params/validate.ts';
import { type FeedQuery, feedParameters } from '../../collaboration/index.ts';
import { filterOf } from './listing.filter.ts';
import { listRows } from './listing.queries.ts';
import { exclusiveFilters, filters } from './merge-requests.params.ts';
import { withPeople } from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';

const params = Type.Object(
  { ...filters, state: Optional(OneOf(['opened', 'closed', 'merged', 'locked', 'all'], { default: 'opened' })) },
  exclusiveFilters,
);

export function mergeRequestFeed({ db, externalUrl }: Pick<MergeRequestDependencies, 'db' | 'externalUrl'>) {
  const readable = (place: Subject, caller: Caller): boolean =>
    place.kind === 'project'
      ? canOnProject(caller, 'read_merge_request', place)
      : canOnGroup(caller, 'read_group', place);

  function placed(place: Subject | null, caller: Caller) {
    if (place === null) return { visibleTo: caller };
    return place.kind === 'project'
      ? { projectId: place.project.id }
      : { group: { id: place.group.id, caller, descendants: true, archived: false } };
  }

  return async (asked: FeedQuery) => {
    const { place, caller, limit } = asked;
    const raw = feedParameters(asked, (at) => readable(at, caller));
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
