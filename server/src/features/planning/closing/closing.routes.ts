/** The API of merge requests around issues: what they close, and what refers to what. */
import Type, { type Static } from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest as MergeRequestRow } from '../../../kernel/db/rows.ts';
import { Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { type Page, type Paged, slicePage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Noteables, PushedCommits } from '../../collaboration/index.ts';
import type { ExternalPlaces } from '../../namespaces/index.ts';
import { MergeRequest } from '../../review/index.ts';
import { findIssue } from '../issues/access.ts';
import { Issue } from '../issues/issues.entity.ts';
import { one } from '../issues/issues.params.ts';
import { closedBy, issuesAround, requestByIid, requestsAround, requestsClosing } from './closing.queries.ts';
import { keysClosedIn } from './patterns.ts';
import { closingTexts } from './texts.ts';

const credentials = ['token', 'session'] as const;
const ofRequest = {
  method: 'GET',
  tag: 'Merge requests',
  credentials,
  access: { on: 'project', ability: 'read_merge_request' },
  params: Type.Object({
    id: IdOrPath('Id or path of the project'),
    merge_request_iid: Int({ description: 'Internal id of the merge request' }),
  }),
  pagination: 'offset',
} as const;

interface ClosingRouteDependencies {
  readonly db: Db;
  readonly noteables: Pick<Noteables, 'shown'>;
  readonly places: ExternalPlaces;
  readonly pushedCommits: PushedCommits;
}

const ExternalIssue = Entity('ExternalIssue', {
  id: Text({ description: 'Key in the tracker' }),
  title: Text(),
});

export function closingRoutes({ db, noteables, places, pushedCommits }: ClosingRouteDependencies): Route[] {
  /** Those that the caller sees. */
  async function seen<T>(kind: 'issue' | 'merge_request', ids: readonly number[], caller: Caller): Promise<T[]> {
    const shown = await noteables.shown(kind, ids, caller);
    return ids.flatMap((id) => shown.get(id) ?? []).map(({ json }) => json as T);
  }

  const page = async <T>(...[kind, ids, caller, wanted]: [...Parameters<typeof seen>, Page]): Promise<Paged<T>> =>
    slicePage(wanted, await seen<T>(kind, ids, caller));

  /** Issues of a tracker elsewhere that a request closes there, by their keys. */
  async function closedElsewhere(
    row: MergeRequestRow,
    subject: ProjectSubject,
  ): Promise<Static<typeof ExternalIssue>[]> {
    const { tracker } = await places.of(subject);
    if (!tracker?.closesIssues) return [];
    const texts = await closingTexts(row, subject, pushedCommits);
    const ids = texts.flatMap(keysClosedIn).flatMap((word) => tracker.issueNamed(word)?.id ?? []);
    return [...new Set(ids)].map((id) => ({ id, title: `External Issue ${id}` }));
  }

  async function requireRequest(projectId: number, iid: number) {
    const row = await requestByIid(db, projectId, iid);
    if (!row) throw recordNotFound();
    return row;
  }

  return [
    route({
      ...ofRequest,
      path: '/projects/:id/merge_requests/:merge_request_iid/closes_issues',
      summary: 'List issues that a merge request closes when it is merged',
      responses: { 200: ListOf(Type.Union([Issue, ExternalIssue])) },
      handler: async ({ params, subject, caller, page: wanted }) => {
        const row = await requireRequest(subject.project.id, params.merge_request_iid);
        const [own, elsewhere] = await Promise.all([
          seen<Static<typeof Issue>>('issue', await closedBy(db, row.id), caller),
          closedElsewhere(row, subject),
        ]);
        return slicePage(wanted, [...own, ...elsewhere]);
      },
    }),
    route({
      ...ofRequest,
      path: '/projects/:id/merge_requests/:merge_request_iid/related_issues',
      summary: 'List issues that a merge request refers to or closes, or that refer to it',
      responses: { 200: ListOf(Issue) },
      handler: async ({ params, subject, caller, page: wanted }) => {
        const row = await requireRequest(subject.project.id, params.merge_request_iid);
        return await page<Static<typeof Issue>>('issue', await issuesAround(db, row.id), caller, wanted);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/related_merge_requests',
      summary: 'List merge requests that refer to an issue, or that it refers to',
      tag: 'Issues',
      credentials,
      access: { on: 'project', ability: 'read_issue' },
      params: Type.Object(one),
      pagination: 'offset',
      responses: { 200: ListOf(MergeRequest) },
      handler: async ({ params, subject, caller, page: wanted }) => {
        const row = await findIssue(db, subject, caller, params.issue_iid);
        const ids = await requestsAround(db, row.id);
        return await page<Static<typeof MergeRequest>>('merge_request', ids, caller, wanted);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/closed_by',
      summary: 'List merge requests that close an issue when they are merged',
      tag: 'Issues',
      credentials,
      access: { on: 'project', ability: 'read_issue' },
      params: Type.Object(one),
      pagination: 'offset',
      responses: { 200: ListOf(MergeRequest) },
      handler: async ({ params, subject, caller, page: wanted }) => {
        const row = await findIssue(db, subject, caller, params.issue_iid);
        const ids = await requestsClosing(db, row.id);
        return await page<Static<typeof MergeRequest>>('merge_request', ids, caller, wanted);
      },
    }),
  ];
}
