/** Routes of tests beyond one pipeline: a merge request beside its target branch, and which cases fail how often. */
import Type from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Int32, Optional } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { comparedPipelines } from '../reports/reports.queries.ts';
import { compareTests } from './comparison.ts';
import { caseHistories, recentFailures } from './failures.queries.ts';
import {
  caseHistoryJson,
  failedCaseJson,
  MergeRequestTestReports,
  suiteJson,
  TestCaseHistory,
} from './history.entity.ts';
import type { TestReports } from './report.ts';

const recentDays = 14;
/** Failed cases whose history is looked up. */
const mostLookedUp = 1_000;

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
const credentials = ['token', 'session'] as const;
const id = IdOrPath('Id or path of the project');

export function testHistoryRoutes({ db }: Pick<CiDependencies, 'db'>, reports: TestReports): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/test_reports',
      summary: 'Compare the tests of a merge request with its target branch',
      tag: 'Merge request reports',
      credentials,
      access: { on: 'project', ability: 'read_merge_request' },
      params: Type.Object({
        id,
        merge_request_iid: Int32({ minimum: 1, description: 'Iid of the merge request' }),
      }),
      responses: { 200: MergeRequestTestReports },
      handler: async ({ subject, caller, params }) => {
        requireOnProject(caller, 'read_pipeline', subject);
        const { project } = subject;
        const found = await comparedPipelines(db, project.id, params.merge_request_iid, ['junit']);
        if (!found) throw recordNotFound();
        const suitesOf = async (pipelineId: number | null) =>
          pipelineId === null ? [] : await reports.suitesOf(subject, caller, pipelineId);
        const compared = compareTests(await suitesOf(found.base), await suitesOf(found.head));
        const hashes = compared.flatMap(({ fresh, existing }) => [...fresh, ...existing].map(({ hash }) => hash));
        const branch = project.default_branch;
        const recent = await recentFailures(db, project.id, hashes.slice(0, mostLookedUp), daysAgo(recentDays));
        const suites = compared.map((suite) =>
          suiteJson(suite, ({ jobId, one, hash }) => {
            const count = recent.get(hash.toString('hex'));
            return failedCaseJson(
              reports.caseJson(project.id, jobId, one),
              count === undefined || branch === null ? null : { count, branch },
            );
          }),
        );
        const sum = (of: 'total' | 'resolved' | 'failed' | 'errored') =>
          suites.reduce((all, { summary }) => all + summary[of], 0);
        return {
          base_pipeline_id: found.base,
          head_pipeline_id: found.head,
          status:
            suites.length === 0 ? 'not_found' : suites.some(({ status }) => status === 'failed') ? 'failed' : 'success',
          summary: { total: sum('total'), resolved: sum('resolved'), failed: sum('failed'), errored: sum('errored') },
          suites,
        };
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/test_history',
      summary: 'List test cases of a project that failed recently, the most frequent ones first',
      tag: 'Pipelines',
      credentials,
      access: { on: 'project', ability: 'read_pipeline' },
      params: Type.Object({
        id,
        days: Optional(
          Int({ minimum: 1, maximum: 365, default: recentDays, description: 'Only failures within these days' }),
        ),
        flaky: Optional(
          Bool({ default: false, description: 'Only cases that failed and passed for one commit, by such failures' }),
        ),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(TestCaseHistory) },
      handler: async ({ subject, params, page }) => {
        const since = daysAgo(params.days ?? recentDays);
        const of = { projectId: subject.project.id, since, flaky: params.flaky ?? false };
        const { rows, total } = await caseHistories(db, of, page);
        return mapPage(offsetPage(page, rows, total), caseHistoryJson);
      },
    }),
  ];
}
