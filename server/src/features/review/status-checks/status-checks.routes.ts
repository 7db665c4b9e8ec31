/** Routes of external status checks, and by which they answer. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, slicePage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import { mergeRequestJson } from '../merge-requests/merge-requests.entity.ts';
import { requireByIid, withPeople } from '../merge-requests/merge-requests.queries.ts';
import {
  checkStatuses,
  ExternalStatusCheck,
  externalStatusCheck,
  MergeRequestStatusCheck,
  StatusCheckResponse,
  StatusCheckRetried,
} from './status-checks.entity.ts';
import { countChecks, findCheck, listChecks, type StatusCheck } from './status-checks.queries.ts';
import { resultsFor, type StatusCheckService } from './status-checks.service.ts';

const common = { credentials: ['token', 'session'] } as const;
const ofProject = { ...common, tag: 'External status checks' } as const;
const ofRequest = { ...common, tag: 'Merge requests' } as const;
const id = IdOrPath('Id or path of the project');
const check_id = Int({ description: 'External status check' });
const merge_request_iid = Int({ description: 'Internal id of the merge request' });
const read = { on: 'project', ability: 'read_external_status_check' } as const;
const admin = { on: 'project', ability: 'admin_external_status_check' } as const;
const answer = { on: 'project', ability: 'answer_external_status_check' } as const;

const secret = Optional(
  OrNull(Str({ maxLength: 255, description: 'What the service is told is signed with it (HMAC-SHA256)' })),
);
const protected_branch_ids = Optional(
  List(Int(), { commas: true, description: 'Protected branches that it is for; all target branches without any' }),
);

interface StatusCheckRouteDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly service: StatusCheckService;
  readonly statusesOf: MergeCheckService['statusesOf'];
}

export function statusCheckRoutes({ db, externalUrl, service, statusesOf }: StatusCheckRouteDependencies): Route[] {
  async function checkOf({ project }: ProjectSubject, number: number): Promise<StatusCheck> {
    const check = await findCheck(db, project.id, number);
    if (!check) throw notFound('External Status Check');
    return check;
  }

  return [
    route({
      ...ofProject,
      method: 'GET',
      path: '/projects/:id/external_status_checks',
      summary: 'List external status checks of a project',
      access: read,
      pagination: 'offset',
      params: Type.Object({ id }),
      responses: { 200: ListOf(ExternalStatusCheck) },
      handler: async ({ subject, page }) => {
        const { id: projectId } = subject.project;
        const [rows, total] = await Promise.all([listChecks(db, projectId, page), countChecks(db, projectId)]);
        return mapPage(offsetPage(page, rows, total), externalStatusCheck);
      },
    }),
    route({
      ...ofProject,
      method: 'POST',
      path: '/projects/:id/external_status_checks',
      summary: 'Add an external status check to a project',
      access: admin,
      params: Type.Object({
        id,
        name: Str({ maxLength: 255, description: 'Name' }),
        external_url: Str({ maxLength: 2048, description: 'Where the service is told of merge requests' }),
        shared_secret: secret,
        protected_branch_ids,
      }),
      responses: { 201: ExternalStatusCheck },
      handler: async (context) =>
        externalStatusCheck(await service.create(context.subject, context.params, originOf(context))),
    }),
    route({
      ...ofProject,
      method: 'PUT',
      path: '/projects/:id/external_status_checks/:check_id',
      summary: 'Update an external status check of a project',
      access: admin,
      params: Type.Object({
        id,
        check_id,
        name: Optional(Str({ maxLength: 255, description: 'Name' })),
        external_url: Optional(Str({ maxLength: 2048, description: 'Where the service is told of merge requests' })),
        shared_secret: secret,
        protected_branch_ids,
      }),
      responses: { 200: ExternalStatusCheck },
      handler: async (context) => {
        const { id: _, check_id: number, ...changes } = context.params;
        const check = await checkOf(context.subject, number);
        return externalStatusCheck(await service.update(context.subject, check.id, changes, originOf(context)));
      },
    }),
    route({
      ...ofProject,
      method: 'DELETE',
      path: '/projects/:id/external_status_checks/:check_id',
      summary: 'Delete an external status check of a project',
      access: admin,
      params: Type.Object({ id, check_id }),
      responses: { 204: Empty },
      conditional: 'A check is told without a date of change.',
      handler: async (context) => {
        const check = await checkOf(context.subject, context.params.check_id);
        await service.remove(context.subject, check, originOf(context));
      },
    }),
    route({
      ...ofRequest,
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/status_checks',
      summary: 'List external status checks of a merge request with their results for its head',
      access: read,
      pagination: 'offset',
      params: Type.Object({ id, merge_request_iid }),
      responses: { 200: ListOf(MergeRequestStatusCheck) },
      handler: async ({ params, subject, page }) => {
        const results = await resultsFor(db, await requireByIid(db, subject.project.id, params.merge_request_iid));
        return slicePage(
          page,
          results.map(({ check: { id, name, external_url }, status }) => ({ id, name, external_url, status })),
        );
      },
    }),
    route({
      ...ofRequest,
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/status_check_responses',
      summary: 'Set the result of an external status check',
      access: answer,
      params: Type.Object({
        id,
        merge_request_iid,
        sha: Str({ minLength: 1, description: 'Must be the head of the source branch' }),
        external_status_check_id: Int({ description: 'External status check' }),
        status: Optional(OneOf(checkStatuses, { default: 'passed', description: 'What it found' })),
      }),
      responses: { 201: StatusCheckResponse },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const check = await checkOf(subject, params.external_status_check_id);
        const status = params.status ?? 'passed';
        const response = await service.respond(row, check, params.sha, status);
        const [[loaded], statusOf] = await Promise.all([withPeople(db, [row]), statusesOf([row], caller)]);
        if (!loaded) throw recordNotFound();
        return {
          id: response,
          merge_request: mergeRequestJson(loaded, { base: externalUrl }, statusOf(row)),
          external_status_check: externalStatusCheck(check),
          sha: params.sha,
          status,
        };
      },
    }),
    route({
      ...ofRequest,
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/status_checks/:external_status_check_id/retry',
      summary: 'Retry a failed external status check',
      access: answer,
      params: Type.Object({ id, merge_request_iid, external_status_check_id: check_id }),
      responses: { 202: StatusCheckRetried },
      errors: [422],
      handler: async ({ params, subject, caller }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const check = await checkOf(subject, params.external_status_check_id);
        await service.retry(row, check, caller.user?.id ?? null);
        return { message: '202 Accepted' };
      },
    }),
  ];
}
