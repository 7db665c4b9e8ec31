/** Pages of pipelines and jobs. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ErrorPart } from '../features/frame/ErrorPages.tsx';
import { PendingPart } from '../features/frame/PendingPage.tsx';
import { explanationTab, testsTab } from '../features/pipelines/tabs.ts';
import { missing } from '../lib/api.ts';
import type { StatisticsFilter, TestHistoryFilter } from '../lib/merge-request-reports.ts';
import { fromSegment } from '../lib/urls.ts';
import { load, parts } from '../loaders.ts';
import { artifactBrowser } from './artifacts.ts';
import { number, pipelineSearch, signedIn, text } from './base.ts';
import { under } from './project.ts';
import { scheduleRoutes } from './schedules.ts';

const testReportsData = () => import('../lib/test-reports.ts');
const mergeRequestReportsData = () => import('../lib/merge-request-reports.ts');

const pipelines = createRoute({
  ...under,
  path: '/pipelines',
  validateSearch: pipelineSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => load(parts(params.path).pipelines(deps)),
  component: lazyRouteComponent(() => import('../features/pipelines/PipelinesPage.tsx')),
});
const newPipeline = createRoute({
  ...under,
  path: '/pipelines/new',
  component: lazyRouteComponent(() => import('../features/pipelines/NewPipelinePage.tsx')),
});
const charts = createRoute({
  ...under,
  path: '/pipelines/charts',
  validateSearch: (search): StatisticsFilter => ({ days: number(search.days), ref: text(search.ref) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) =>
    load((await mergeRequestReportsData()).pipelineStatistics(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/charts/PipelineChartsPage.tsx')),
});
const tests = createRoute({
  ...under,
  path: '/pipelines/tests',
  validateSearch: (search): TestHistoryFilter => ({
    page: number(search.page),
    days: number(search.days),
    flaky: search.flaky === true ? true : undefined,
  }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) =>
    load((await mergeRequestReportsData()).testHistory(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/pipelines/TestHistoryPage.tsx')),
});
/** Its header and tabs, which stay while the content of another tab loads. */
const pipeline = createRoute({
  ...under,
  path: '/pipelines/$id',
  validateSearch: (search: Record<string, unknown>): { graph?: 'needs' | undefined } => ({
    graph: search.graph === 'needs' ? 'needs' : undefined,
  }),
  loader: ({ params }) =>
    Promise.all([
      load(parts(params.path).pipeline(Number(params.id))),
      load(parts(params.path).pipelineJobs(Number(params.id))),
      testReportsData().then(({ testSummary }) => load(testSummary(fromSegment(params.path), Number(params.id)))),
    ]),
  component: lazyRouteComponent(() => import('../features/pipelines/PipelinePage.tsx'), 'PipelinePage'),
});
const pipelineContent = {
  getParentRoute: () => pipeline,
  component: lazyRouteComponent(() => import('../features/pipelines/PipelinePage.tsx'), 'PipelineTab'),
  pendingComponent: PendingPart,
  errorComponent: ErrorPart,
} as const;
const pipelineJobs = createRoute({
  ...pipelineContent,
  path: '/',
  loader: ({ params }) =>
    Promise.all([
      load(parts(params.path).pipelineNeeds(Number(params.id))),
      load(parts(params.path).pipelineBridges(Number(params.id))),
    ]),
});
const pipelineTab = createRoute({
  ...pipelineContent,
  path: '/$tab',
  loader: async ({ params }) => {
    if (params.tab === explanationTab) return;
    if (params.tab !== testsTab) throw missing();
    await load((await testReportsData()).testReport(fromSegment(params.path), Number(params.id)));
  },
});
const job = createRoute({
  ...under,
  path: '/jobs/$id',
  loader: ({ params }) => load(parts(params.path).job(Number(params.id))),
  component: lazyRouteComponent(() => import('../features/jobs/JobPage.tsx')),
});
const terminal = createRoute({
  ...under,
  path: '/jobs/$id/terminal',
  beforeLoad: signedIn,
  loader: ({ params }) => load(parts(params.path).job(Number(params.id))),
  component: lazyRouteComponent(() => import('../features/jobs/TerminalPage.tsx')),
});
const jobArtifacts = createRoute({ ...under, ...artifactBrowser });
export const pipelineRoutes = [
  pipelines,
  newPipeline,
  charts,
  tests,
  pipeline.addChildren([pipelineJobs, pipelineTab]),
  job,
  terminal,
  jobArtifacts,
  ...scheduleRoutes,
];
