/** Lists of merge requests: of a project, of a group, of a milestone. */
import Type, { type Static } from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, type Page, type Paged, slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findMilestone } from '../../collaboration/index.ts';
import type { SeenFrom } from '../../namespaces/index.ts';
import type { MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import { type Asked, filterOf } from './listing.filter.ts';
import { countByState, countRows, listRows, type MergeRequestFilter } from './listing.queries.ts';
import {
  ListedMergeRequests,
  listedJson,
  MergeRequest,
  MergeRequestStatistics,
  mergeRequestJson,
  simpleJson,
} from './merge-requests.entity.ts';
import { exclusiveFilters, filters, narrowing } from './merge-requests.params.ts';
import { projectsOf, withPeople } from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';
import { reviewStatusOf } from './review-status.queries.ts';

const nonArchived = {
  non_archived: Optional(Bool({ default: true, description: 'Leave those of archived projects out' })),
};
const withReview = {
  with_review_status: Optional(
    Bool({ default: false, description: 'Also head pipeline, approvals, open threads and states of reviewers' }),
  ),
};
const common = { method: 'GET', credentials: ['token', 'session'], pagination: 'offset' } as const;
const milestoneId = Int({ description: 'Id of the milestone' });

type Row = Awaited<ReturnType<typeof listRows>>[number];

interface ListDependencies extends Pick<MergeRequestDependencies, 'db' | 'externalUrl'> {
  readonly statusesOf: MergeCheckService['statusesOf'];
}

/** A page of the list, each with its status. */
async function load(
  { db, statusesOf }: Pick<ListDependencies, 'db' | 'statusesOf'>,
  filter: MergeRequestFilter,
  page: Page,
  caller: Caller | null,
  checked?: (row: Row) => Promise<Row>,
) {
  const [rows, total] = await Promise.all([listRows(db, filter, page), countRows(db, filter)]);
  // One after the other: a list must not start a page of trial merges at once.
  if (checked) for (const [index, row] of rows.entries()) rows[index] = await checked(row);
  const [loaded, statusOf] = await Promise.all([withPeople(db, rows), statusesOf(rows, caller)]);
  return offsetPage(
    page,
    loaded.map((each) => ({ ...each, status: statusOf(each.row) })),
    total,
  );
}

/** A page of the list with no more than what they are called and how far they are. */
async function loadSimple(
  { db, externalUrl }: Pick<ListDependencies, 'db' | 'externalUrl'>,
  filter: MergeRequestFilter,
  page: Page,
) {
  const [rows, total] = await Promise.all([listRows(db, filter, page), countRows(db, filter)]);
  const projects = await projectsOf(db, rows);
  return offsetPage(
    page,
    rows.map((row) => simpleJson(row, projects.get(row.project_id)?.path_with_namespace ?? '', externalUrl)),
    total,
  );
}

/** What a list is about, which its references are relative to. */
const placeOf = ({ projectId, group }: Pick<MergeRequestFilter, 'projectId' | 'group'>): SeenFrom => {
  if (projectId !== undefined) return { projectId };
  return group ? { groupId: group.id } : { anywhere: true };
};

/** Lists for the search. */
export const mergeRequestLists =
  (deps: ListDependencies) =>
  async (filter: MergeRequestFilter, page: Page, caller: Caller): Promise<Paged> =>
    mapPage(await load(deps, filter, page, caller), (loaded) =>
      mergeRequestJson(loaded, { base: deps.externalUrl, from: placeOf(filter) }, loaded.status),
    );
export type MergeRequestLists = ReturnType<typeof mergeRequestLists>;

/** Lists of what a deployment brought, narrowed and ordered as other lists are. */
export const deployedMergeRequests =
  (deps: ListDependencies) =>
  async (deployment: { project_id: number; id: number }, params: Asked, page: Page, caller: Caller) => {
    const filter = { ...filterOf(caller, params), projectId: deployment.project_id, deploymentId: deployment.id };
    if (params.view === 'simple') return await loadSimple(deps, filter, page);
    return mapPage(await load(deps, filter, page, caller), (loaded) =>
      listedJson(loaded, { base: deps.externalUrl }, loaded.status, params.with_labels_details ?? false),
    );
  };

export function listingRoutes(deps: ListDependencies, statusOf: MergeCheckService['status']): Route[] {
  const { db } = deps;
  const urls = { base: deps.externalUrl };

  interface Shown {
    readonly view?: 'simple';
    readonly with_labels_details?: boolean;
    readonly with_review_status?: boolean;
  }
  /** Of one project, or with `null` of several. */
  async function listed(
    filter: MergeRequestFilter,
    page: Page,
    caller: Caller,
    params: Shown,
    of: ProjectSubject | null = null,
    checked?: (row: Row) => Promise<Row>,
  ) {
    if (params.view === 'simple') return await loadSimple(deps, filter, page);
    const loaded = await load(deps, filter, page, caller, checked);
    const ids = loaded.items.map(({ row }) => row.id);
    const review = params.with_review_status ? await reviewStatusOf(db, ids, caller, of) : null;
    const from = { ...urls, from: placeOf(filter) };
    const labelDetails = params.with_labels_details ?? false;
    return mapPage(loaded, (each) => listedJson(each, from, each.status, labelDetails, review?.get(each.row.id)));
  }

  /** Tries the merge of what nobody has tried yet, for those who could see to it by opening each. */
  const rechecking = (subject: ProjectSubject, caller: Caller) =>
    canOnProject(caller, 'update_merge_request', subject)
      ? async (row: Row) => (row.merge_status === 'unchecked' ? (await statusOf(subject, caller, row)).row : row)
      : undefined;

  const statistics = async (filter: MergeRequestFilter): Promise<Static<typeof MergeRequestStatistics>> => {
    const { all, opened, closed, merged } = await countByState(db, filter);
    return { statistics: { counts: { all, opened, closed, merged } } };
  };
  const ofGroup = ({ group }: GroupSubject, caller: Caller, params: { non_archived?: boolean }) => ({
    ...{ id: group.id, caller, descendants: true, archived: params.non_archived === false },
  });

  /** Those of a milestone, as far as the caller sees them; the newest first. */
  async function ofMilestone(
    place: ProjectSubject | GroupSubject,
    id: number,
    caller: Caller,
    page: Page,
    descendants = false,
  ) {
    const milestone = await findMilestone(db, place, id);
    if (!milestone) throw notFound('Milestone');
    if (place.kind === 'project' && !canOnProject(caller, 'read_merge_request', place)) return slicePage(page, []);
    const where =
      place.kind === 'project'
        ? { projectId: place.project.id }
        : { group: { id: place.group.id, caller, descendants, archived: true } };
    const order = { state: 'all', orderBy: 'created_at', sort: 'desc' } as const;
    return mapPage(await load(deps, { ...where, ...order, milestoneId: milestone.id }, page, caller), (loaded) =>
      mergeRequestJson(loaded, { ...urls, from: placeOf(where) }, loaded.status),
    );
  }

  return [
    route({
      ...common,
      path: '/merge_requests',
      acrossProjects: true,
      summary: 'List merge requests of all projects, by default your own',
      tag: 'Merge requests',
      access: { on: 'public' },
      params: Type.Object({ ...filters, ...withReview }, exclusiveFilters),
      responses: { 200: ListedMergeRequests },
      handler: async ({ params, page, caller }) => {
        const scope = params.scope ?? 'created_by_me';
        // What everybody sees may be asked for by everybody; what is one's own needs somebody.
        if (caller.user === null && scope !== 'all') throw unauthorized();
        const filter = filterOf(caller, { ...params, scope });
        return await listed({ ...filter, visibleTo: caller }, page, caller, params);
      },
    }),
    route({
      ...common,
      credentials: ['token', 'session', 'job'],
      path: '/projects/:id/merge_requests',
      summary: 'List merge requests of a project',
      tag: 'Merge requests',
      access: { on: 'project', ability: 'read_merge_request' },
      params: Type.Object(
        {
          id: IdOrPath('Id or path of the project'),
          ...filters,
          ...withReview,
          with_merge_status_recheck: Optional(
            Bool({
              default: false,
              description: 'Try the merge where `merge_status` is `unchecked`; for developers',
            }),
          ),
        },
        exclusiveFilters,
      ),
      responses: { 200: ListedMergeRequests },
      handler: async ({ params, subject, page, caller }) => {
        const filter = { ...filterOf(caller, params), projectId: subject.project.id };
        const checked = params.with_merge_status_recheck ? rechecking(subject, caller) : undefined;
        return await listed(filter, page, caller, params, subject, checked);
      },
    }),
    route({
      ...common,
      path: '/groups/:id/merge_requests',
      acrossProjects: true,
      summary: 'List merge requests of the projects of a group',
      tag: 'Merge requests',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object(
        {
          id: IdOrPath('Id or path of the group'),
          ...filters,
          ...nonArchived,
          ...withReview,
        },
        exclusiveFilters,
      ),
      responses: { 200: ListedMergeRequests },
      handler: async ({ params, subject, page, caller }) => {
        const group = ofGroup(subject, caller, params);
        return await listed({ ...filterOf(caller, params), group }, page, caller, params);
      },
    }),
    route({
      method: 'GET',
      credentials: ['token', 'session'],
      path: '/projects/:id/merge_requests_statistics',
      summary: 'Count merge requests of a project by state',
      tag: 'Merge requests',
      access: { on: 'project', ability: 'read_merge_request' },
      params: Type.Object({ id: IdOrPath('Id or path of the project'), ...narrowing }, exclusiveFilters),
      responses: { 200: MergeRequestStatistics },
      handler: async ({ params, subject, caller }) =>
        await statistics({ ...filterOf(caller, params), projectId: subject.project.id }),
    }),
    route({
      method: 'GET',
      credentials: ['token', 'session'],
      path: '/groups/:id/merge_requests_statistics',
      acrossProjects: true,
      summary: 'Count merge requests of the projects of a group by state',
      tag: 'Merge requests',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({ id: IdOrPath('Id or path of the group'), ...narrowing, ...nonArchived }, exclusiveFilters),
      responses: { 200: MergeRequestStatistics },
      handler: async ({ params, subject, caller }) =>
        await statistics({ ...filterOf(caller, params), group: ofGroup(subject, caller, params) }),
    }),
    route({
      ...common,
      path: '/projects/:id/milestones/:milestone_id/merge_requests',
      summary: 'List merge requests of a milestone of a project',
      tag: 'Milestones',
      access: { on: 'project', ability: 'read_milestone' },
      params: Type.Object({ id: IdOrPath('Project'), milestone_id: milestoneId }),
      responses: { 200: ListOf(MergeRequest) },
      handler: async ({ params, subject, caller, page }) => ofMilestone(subject, params.milestone_id, caller, page),
    }),
    route({
      ...common,
      path: '/groups/:id/milestones/:milestone_id/merge_requests',
      summary: 'List merge requests of a milestone of a group',
      tag: 'Milestones',
      access: { on: 'group', ability: 'read_group_milestone' },
      params: Type.Object({
        id: IdOrPath('Group'),
        milestone_id: milestoneId,
        include_subgroups: Optional(Bool({ default: false, description: 'Also those of the groups below' })),
      }),
      responses: { 200: ListOf(MergeRequest) },
      handler: async ({ params, subject, caller, page }) =>
        ofMilestone(subject, params.milestone_id, caller, page, params.include_subgroups),
    }),
  ];
}
