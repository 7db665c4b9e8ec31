/** Issues for feeds and calendars: of a project, a group, or of oneself, narrowed by what lists are narrowed by. */
import Type, { type Static } from 'typebox';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, Subject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { validateParameters } from '../../../kernel/http/params/validate.ts';
import { type FeedQuery, feedParameters } from '../../collaboration/index.ts';
import type { IssuePlace } from './filter.queries.ts';
import { listedIssueJson } from './issues.entity.ts';
import { exclusive, filterOf, issueFilters, listed, orderOf } from './issues.params.ts';
import { withDetails } from './issues.queries.ts';
import { listIssues } from './listing.queries.ts';
import { withTitledIds } from './titles.queries.ts';

const filters = {
  ...issueFilters('all'),
  ...listed,
  state: Optional(OneOf(['opened', 'closed', 'all'], { default: 'opened' })),
};
const params = Type.Object(filters, exclusive);

interface IssueFeedQuery extends FeedQuery {
  /** Those that are due, the last ones first, instead of the newest. */
  readonly due: boolean;
}

export function issueFeed(db: Db, base: string) {
  const placeOf = (place: Subject | null): IssuePlace => {
    if (place === null) return { kind: 'instance', archived: false };
    return place.kind === 'project'
      ? { kind: 'project', subject: place }
      : { kind: 'group', id: place.group.id, descendants: true, archived: false };
  };
  const readable = (place: Subject, caller: Caller): boolean =>
    place.kind === 'project' ? canOnProject(caller, 'read_issue', place) : canOnGroup(caller, 'read_group', place);

  return async (asked: IssueFeedQuery) => {
    const { place, caller, due, limit } = asked;
    const raw = feedParameters(asked, (at) => readable(at, caller));
    if (due) {
      raw.due_date ??= 'any';
      raw.order_by ??= 'due_date';
    }
    const wanted = validateParameters(params, raw, new Set()) as Static<typeof params>;
    const list = { place: placeOf(place), caller, filter: filterOf(caller, wanted) };
    const { rows } = await listIssues(
      db,
      { ...(await withTitledIds(db, list)), ...orderOf(wanted) },
      { limit, offset: 0, after: null },
    );
    const loaded = await withDetails(db, rows, caller, place?.kind === 'project' ? place : undefined);
    return loaded.map((each) => listedIssueJson(each, base, { anywhere: true }, false));
  };
}
export type IssueFeed = ReturnType<typeof issueFeed>;
