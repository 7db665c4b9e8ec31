/** Test reports of pipelines. */
import Type from 'typebox';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { findPipeline } from '../pipelines/pipelines.queries.ts';
import type { TestReports } from './report.ts';
import { TestReport, TestReportSummary } from './test-reports.entity.ts';

export function testReportRoutes({ db }: Pick<CiDependencies, 'db'>, reports: TestReports): Route[] {
  const common = {
    method: 'GET',
    tag: 'Pipelines',
    credentials: ['token', 'session'],
    access: { on: 'project', ability: 'read_pipeline' },
    params: Type.Object({
      id: IdOrPath('Id or path of the project'),
      pipeline_id: Int({ description: 'Id of the pipeline' }),
    }),
  } as const;
  async function find(projectId: number, id: number): Promise<number> {
    const pipeline = await findPipeline(db, projectId, id);
    if (!pipeline) throw recordNotFound();
    return pipeline.id;
  }
  return [
    route({
      ...common,
      path: '/projects/:id/pipelines/:pipeline_id/test_report',
      summary: 'Get the test report of a pipeline',
      responses: { 200: TestReport },
      handler: async ({ subject, caller, params }) =>
        reports.report(subject, caller, await find(subject.project.id, params.pipeline_id)),
    }),
    route({
      ...common,
      path: '/projects/:id/pipelines/:pipeline_id/test_report_summary',
      summary: 'Get the summary of the test report of a pipeline',
      responses: { 200: TestReportSummary },
      handler: async ({ subject, params }) => reports.summary(await find(subject.project.id, params.pipeline_id)),
    }),
  ];
}
