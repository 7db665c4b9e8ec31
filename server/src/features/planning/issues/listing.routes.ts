/** Lists of issues and their statistics: of everything that the caller sees, of a group, of a project, of a milestone. */
import Type, { type Static } from 'typebox';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import {
  firstOf,
  keysetPage,
  offsetPage,
  type Page,
  type Paged,
  totalOfLastPage,
  withItems,
} from '../../../kernel/http/pagination.ts';
import { Bool, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findMilestone } from '../../collaboration/index.ts';
import type { SeenFrom } from '../../namespaces/index.ts';
import { beginningsOf } from '../beginnings.ts';
import { type IssueCounts, issueCounts } from './counting.queries.ts';
import type { IssueFilter, IssuePlace } from './filter.queries.ts';
import { IssueStatistics, ListedIssue, listedIssueJson } from './issues.entity.ts';
import {
  exclusive,
  filterOf,
  groupParam,
  issueFilters,
  listed,
  nonArchived,
  orderOf,
  projectParam,
} from './issues.params.ts';
import { withDetails } from './issues.queries.ts';
import { type IssueOrder, listIssues } from './listing.queries.ts';
import { withTitledIds } from './titles.queries.ts';
import { farLists } from './window.queries.ts';

const common = { method: 'GET', credentials: ['token', 'session'], tag: 'Issues' } as const;

interface Wanted {
  readonly place: IssuePlace;
  readonly from: SeenFrom;
  readonly caller: Caller;
  readonly filter: IssueFilter;
  readonly params: { order_by?: IssueOrder; sort?: 'asc' | 'desc'; with_labels_details?: boolean };
}

/** Lists as other nouns of the domain show them. */
export function issueLists(db: Db, base: string, counts: IssueCounts = issueCounts(db)) {
  const far = farLists();
  return async ({ place, from, caller, filter, params }: Wanted, page: Page): Promise<Paged> => {
    const list = { ...(await withTitledIds(db, { place, caller, filter })), ...orderOf(params) };
    const { rows, cursorOf, total: known } = await listIssues(db, list, page, far);
    const counted = page.style === 'keyset' ? null : (known ?? totalOfLastPage(page, rows) ?? counts.count(list));
    const [total, loaded] = await Promise.all([
      counted,
      withDetails(db, firstOf(page, rows), caller, place.kind === 'project' ? place.subject : undefined),
    ]);
    const found = page.style === 'keyset' ? keysetPage(page, rows, cursorOf) : offsetPage(page, rows, total);
    return withItems(
      found,
      loaded.map((each) => listedIssueJson(each, base, from, params.with_labels_details ?? false)),
    );
  };
}

export type IssueLists = ReturnType<typeof issueLists>;

interface FirstOfMany extends Omit<Wanted, 'filter'> {
  readonly filters: readonly IssueFilter[];
}

/** The beginnings of several lists of one place, in their order. */
export function issueBeginnings(db: Db, base: string, counts: IssueCounts = issueCounts(db)) {
  return async ({ place, from, caller, filters, params }: FirstOfMany, perList: number) => {
    const lists = await Promise.all(
      filters.map(async (filter) => ({
        ...(await withTitledIds(db, { place, caller, filter })),
        ...orderOf(params),
      })),
    );
    const known = place.kind === 'project' ? place.subject : undefined;
    const details = params.with_labels_details ?? false;
    return await beginningsOf(lists, perList, {
      rows: async (list, page) => (await listIssues(db, list, page)).rows,
      count: (list) => counts.count(list),
      async show(rows) {
        const loaded = await withDetails(db, rows, caller, known);
        return new Map(loaded.map((each) => [each.row.id, listedIssueJson(each, base, from, details)]));
      },
    });
  };
}

export type IssueBeginnings = ReturnType<typeof issueBeginnings>;

export function issueListRoutes({ db, externalUrl }: { readonly db: Db; readonly externalUrl: string }): Route[] {
  const counts = issueCounts(db);
  const list = issueLists(db, externalUrl, counts);

  const ofGroup = ({ group }: GroupSubject, archived: boolean, descendants = true) => ({
    place: { kind: 'group', id: group.id, descendants, archived } as const,
    from: { groupId: group.id },
  });
  const ofProject = (subject: ProjectSubject) => ({
    place: { kind: 'project', subject } as const,
    from: { projectId: subject.project.id },
  });
  const everywhere = (archived: boolean) => ({
    place: { kind: 'instance', archived } as const,
    from: { anywhere: true } as const,
  });
  /** What everybody sees may be asked for by everybody; what is one's own needs somebody. */
  const signedIn = (caller: Caller, scope: string | undefined) => {
    if (caller.user === null && scope !== 'all') throw unauthorized();
  };

  const globalParams = Type.Object({ ...issueFilters('created_by_me'), ...listed, ...nonArchived }, exclusive);
  const groupParams = Type.Object({ ...groupParam, ...issueFilters('all'), ...listed, ...nonArchived }, exclusive);
  const projectParams = Type.Object({ ...projectParam, ...issueFilters('all'), ...listed }, exclusive);

  async function statistics(
    place: IssuePlace,
    caller: Caller,
    params: Partial<Static<typeof projectParams>>,
  ): Promise<Static<typeof IssueStatistics>> {
    const { all, closed, opened } = await counts.byState(
      await withTitledIds(db, { place, caller, filter: filterOf(caller, params) }),
    );
    return { statistics: { counts: { all, closed, opened } } };
  }

  return [
    route({
      ...common,
      path: '/issues',
      acrossProjects: true,
      summary: 'List issues that you can see',
      access: { on: 'public' },
      params: globalParams,
      pagination: 'both',
      responses: { 200: ListOf(ListedIssue) },
      handler: async ({ params, caller, page }) => {
        signedIn(caller, params.scope);
        const filter = filterOf(caller, params);
        return await list({ ...everywhere(params.non_archived === false), caller, filter, params }, page);
      },
    }),
    route({
      ...common,
      path: '/groups/:id/issues',
      acrossProjects: true,
      summary: 'List issues of the projects of a group',
      access: { on: 'group', ability: 'read_group' },
      params: groupParams,
      pagination: 'both',
      responses: { 200: ListOf(ListedIssue) },
      handler: async ({ params, caller, subject, page }) => {
        const filter = filterOf(caller, params);
        return await list({ ...ofGroup(subject, params.non_archived === false), caller, filter, params }, page);
      },
    }),
    route({
      ...common,
      path: '/projects/:id/issues',
      summary: 'List issues of a project',
      access: { on: 'project', ability: 'read_issue' },
      params: projectParams,
      pagination: 'both',
      responses: { 200: ListOf(ListedIssue) },
      handler: async ({ params, caller, subject, page }) =>
        await list({ ...ofProject(subject), caller, filter: filterOf(caller, params), params }, page),
    }),
    route({
      ...common,
      path: '/issues_statistics',
      acrossProjects: true,
      summary: 'Count issues that you can see',
      access: { on: 'public' },
      params: Type.Object({ ...issueFilters('created_by_me'), ...nonArchived }, exclusive),
      responses: { 200: IssueStatistics },
      handler: async ({ params, caller }) => {
        signedIn(caller, params.scope);
        return await statistics(everywhere(params.non_archived === false).place, caller, params);
      },
    }),
    route({
      ...common,
      path: '/groups/:id/issues_statistics',
      acrossProjects: true,
      summary: 'Count issues of the projects of a group',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({ ...groupParam, ...issueFilters('all'), ...nonArchived }, exclusive),
      responses: { 200: IssueStatistics },
      handler: async ({ params, caller, subject }) =>
        await statistics(ofGroup(subject, params.non_archived === false).place, caller, params),
    }),
    route({
      ...common,
      path: '/projects/:id/issues_statistics',
      summary: 'Count issues of a project',
      access: { on: 'project', ability: 'read_issue' },
      params: Type.Object({ ...projectParam, ...issueFilters('all') }, exclusive),
      responses: { 200: IssueStatistics },
      handler: async ({ params, caller, subject }) => await statistics(ofProject(subject).place, caller, params),
    }),
    ...milestoneIssueRoutes(),
  ];

  function milestoneIssueRoutes(): Route[] {
    const milestoneId = { milestone_id: Int({ description: 'Id of the milestone' }) };
    const of = async (place: ProjectSubject | GroupSubject, id: number) => {
      const milestone = await findMilestone(db, place, id);
      if (!milestone) throw notFound('Milestone');
      return { filter: { ofMilestone: milestone.id }, params: {} };
    };
    return [
      route({
        ...common,
        path: '/projects/:id/milestones/:milestone_id/issues',
        summary: 'List issues of a milestone of a project',
        tag: 'Milestones',
        access: { on: 'project', ability: 'read_milestone' },
        params: Type.Object({ ...projectParam, ...milestoneId }),
        pagination: 'offset',
        responses: { 200: ListOf(ListedIssue) },
        handler: async ({ params, caller, subject, page }) =>
          await list({ ...ofProject(subject), caller, ...(await of(subject, params.milestone_id)) }, page),
      }),
      route({
        ...common,
        path: '/groups/:id/milestones/:milestone_id/issues',
        summary: 'List issues of a milestone of a group',
        tag: 'Milestones',
        access: { on: 'group', ability: 'read_group_milestone' },
        params: Type.Object({
          ...groupParam,
          ...milestoneId,
          include_subgroups: Optional(Bool({ default: false, description: 'Also those of the groups below' })),
        }),
        pagination: 'offset',
        responses: { 200: ListOf(ListedIssue) },
        handler: async ({ params, caller, subject, page }) => {
          const found = await of(subject, params.milestone_id);
          return await list({ ...ofGroup(subject, true, params.include_subgroups), caller, ...found }, page);
        },
      }),
    ];
  }
}
