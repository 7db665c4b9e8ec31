/** How many issues a list has, up to the number that totals are reported for, and how many in each state. */
import { sql } from 'kysely';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { createLargeLists, sharedRuns, type TimeRange } from '../../../kernel/http/large-lists.ts';
import { countLimit } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { allOf, type Sql } from '../../namespaces/index.ts';
import {
  anyOfGroup,
  concealed,
  type IssuePlace,
  type IssueQuery,
  isCommon,
  issueConditions,
  isWord,
  milestonesMeant,
} from './filter.queries.ts';
import { isMergeable } from './merging.queries.ts';

/** Labels of a project, where they are all that a list is narrowed by. */
function onlyOwnLabels({ filter }: IssueQuery): readonly number[] | null {
  const { titled, ...others } = filter;
  if (!titled || titled.labels.length === 0 || titled.milestones) return null;
  if (Object.values(others).some((value) => value !== undefined)) return null;
  const ids = titled.labels.flatMap((found) => (found.length === 1 && found[0]?.own ? [found[0].id] : []));
  return ids.length === titled.labels.length ? ids : null;
}

/**
 * Issues with labels of the project itself, counted from their links alone: only issues of the project have its labels.
 * Null where there is more to look at.
 */
async function countLabelled(db: Db, query: IssueQuery): Promise<number | null> {
  const [first, ...others] = onlyOwnLabels(query) ?? [];
  if (first === undefined || query.place.kind !== 'project') return null;
  const { project } = query.place.subject;
  const hidden = canOnProject(query.caller, 'read_confidential_issue', query.place.subject)
    ? []
    : [
        sql`k.issue_id not in (select i.id from issues i where i.project_id = ${project.id} and ${concealed(query.caller)})`,
      ];
  const where = [
    sql`k.label_id = ${first}`,
    ...others.map(
      (id) => sql`exists (select from issue_labels o where o.issue_id = k.issue_id and o.label_id = ${id})`,
    ),
    ...hidden,
  ];
  return await countUpTo(db, {
    limit: (most: number) => sql`select from issue_labels k where ${allOf(where)} limit ${most}`,
  });
}

/** Of a group, or of everything: those with a label or in a milestone of a name, found from these. Null without such a filter. */
function fromTitle(query: IssueQuery) {
  const { place, filter } = query;
  if (place.kind === 'project' || !isCommon(query)) return null;
  const inPlace = (table: 'labels' | 'milestones', title: Sql) =>
    place.kind === 'group' ? sql`t.id = ${anyOfGroup(table, place.id, title)}` : title;
  const { labels, ...others } = filter;
  const [label, ...more] = (labels ?? []).some(isWord) ? [] : (labels ?? []);
  if (label !== undefined) {
    const found = issueConditions({ ...query, filter: more.length > 0 ? { ...others, labels: more } : others }, 'near');
    // An issue may have labels of one name of its project and of groups, and is counted once.
    return (
      found && {
        with: found.with,
        from: sql`labels t cross join lateral (select from issue_labels k join issues i on i.id = k.issue_id
        where k.label_id = t.id and ${found.where} and (t.project_id is not null or not exists (
          select from issue_labels o join labels l on l.id = o.label_id where o.issue_id = k.issue_id
            and l.title = t.title and (l.project_id is not null or l.id < t.id))) offset 0) i`,
        where: inPlace('labels', sql`t.title = ${label}`),
      }
    );
  }
  const meant = milestonesMeant(filter);
  if (!meant) return null;
  const { milestone: _title, milestoneId: _id, ...rest } = filter;
  const found = issueConditions({ ...query, filter: rest }, 'near');
  return (
    found && {
      with: found.with,
      from: sql`milestones t cross join lateral (select from issues i where i.milestone_id = t.id and ${found.where} offset 0) i`,
      where: inPlace('milestones', meant),
    }
  );
}

/** Of a group, project by project until there are too many. Null where few issues are met with so. */
function fromProjects(query: IssueQuery) {
  if (!isMergeable(query, 0)) return null;
  const found = issueConditions(query, 'merged');
  return (
    found && {
      with: found.with,
      from: sql`projects p cross join lateral (select from issues i where i.project_id = p.id and ${found.where} offset 0) i`,
      where: found.projects,
    }
  );
}

async function countAll(db: Db, query: IssueQuery): Promise<number> {
  const labelled = await countLabelled(db, query);
  if (labelled !== null) return labelled;
  const parts = fromTitle(query) ?? fromProjects(query);
  if (parts)
    return await countUpTo(db, {
      limit: (most: number) => sql<unknown>`${parts.with} select from ${parts.from} where ${parts.where} limit ${most}`,
    });
  const found = issueConditions(query, 'walked');
  if (!found) return 0;
  const counted = {
    limit: (rows: number) => sql<unknown>`${found.with} select i.id from issues i where ${found.where} limit ${rows}`,
  };
  return await countUpTo(db, counted);
}

export interface StateCounts {
  readonly all: number;
  readonly opened: number;
  readonly closed: number;
}

/** How many are in each state at this moment. */
export async function countByState(db: Db, query: IssueQuery): Promise<StateCounts> {
  const found = issueConditions(query, 'all');
  if (!found) return { all: 0, opened: 0, closed: 0 };
  const { rows } = await sql<StateCounts>`${found.with}
    select count(*)::int as all, count(*) filter (where i.state = 'opened')::int as opened,
      count(*) filter (where i.state = 'closed')::int as closed
    from issues i where ${found.where}`.execute(db);
  return rows[0] ?? { all: 0, opened: 0, closed: 0 };
}

const placeKey = (place: IssuePlace) =>
  place.kind === 'project' ? { kind: place.kind, id: place.subject.project.id } : place;
const callerKey = ({ user, credential, admin, closedGroups }: Caller) => [user?.id, credential, admin, closedGroups];

/** What names a list among all: the same for everybody who sees the same of it in the same way. Null where nothing does. */
export function keyOf({ place, caller, filter }: IssueQuery): string | null {
  if (filter.conditions) return null;
  const { createdAfter: _from, createdBefore: _to, updatedAfter: _since, updatedBefore: _until, ...others } = filter;
  return JSON.stringify([placeKey(place), callerKey(caller), others]);
}

export const rangesOf = ({ filter }: IssueQuery): TimeRange[] => [
  { from: filter.createdAfter ?? null, until: filter.createdBefore ?? null },
  { from: filter.updatedAfter ?? null, until: filter.updatedBefore ?? null },
];

export interface IssueCounts {
  /** How many there are; one more than the limit of totals where there are more than that. */
  count(query: IssueQuery): Promise<number>;
  /** How many are in each state; of a list that is too long for a total, as it was a minute ago at most. */
  byState(query: IssueQuery): Promise<StateCounts>;
}

/** Counts issues. A list that was too long for a total within the last minute is not counted again. */
export function issueCounts(db: Db): IssueCounts {
  const long = createLargeLists<true>();
  const states = createLargeLists<StateCounts>();
  const counted = sharedRuns<number>();
  return {
    async count(query) {
      const key = keyOf(query);
      const ranges = rangesOf(query);
      if (key === null) return await countAll(db, query);
      return await counted(JSON.stringify([key, ranges]), async () => {
        if (long.get(key, ranges)) return countLimit + 1;
        const found = await countAll(db, query);
        if (found > countLimit) long.set(key, true, ranges);
        return found;
      });
    },
    async byState(query) {
      const listKey = keyOf(query);
      const key = listKey === null ? null : JSON.stringify([listKey, rangesOf(query)]);
      const known = key === null ? undefined : states.get(key);
      if (known) return known;
      const found = await countByState(db, query);
      if (key !== null && found.all > countLimit) states.set(key, found);
      return found;
    },
  };
}
