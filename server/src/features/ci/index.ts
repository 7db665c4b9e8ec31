/** CI: pipelines and their jobs, the protocol of runners, runners, variables, artifacts, logs, lint. */
import type { Caller } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import { publish } from '../../kernel/events/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import { compatibleVersion } from '../../kernel/names.ts';
import { addJob } from '../../kernel/queue/index.ts';
import { failedPipelines } from '../identity/index.ts';
import { runnersTokens } from '../namespaces/index.ts';
import { artifactRoutes } from './artifacts/artifacts.routes.ts';
import { artifactsService } from './artifacts/artifacts.service.ts';
import { artifactUsageRoutes } from './artifacts/usage.routes.ts';
import { cacheRoutes } from './caches/caches.routes.ts';
import type { CiDependencies, CiFeatureDependencies } from './deps.ts';
import { bridgeTasks } from './downstream/bridges.ts';
import { explainRoutes } from './explain/explain.routes.ts';
import { explaining } from './explain/explain.service.ts';
import { mountDiscovery } from './id-tokens/discovery.mount.ts';
import { createSigningKeys } from './id-tokens/keys.ts';
import { type JobsFace, jobsFace } from './jobs/face.ts';
import { jobCaller } from './jobs/job-caller.ts';
import { jobRoutes } from './jobs/jobs.routes.ts';
import { jobsService } from './jobs/jobs.service.ts';
import { writeAccess } from './jobs/write-access.ts';
import { lintRoutes } from './lint/lint.routes.ts';
import { artifactFiles } from './page-files/artifact-files.ts';
import { badgeFile } from './page-files/badge-files.ts';
import { logFile } from './page-files/log-file.ts';
import { movePipelines } from './pipelines/contributions.queries.ts';
import { coverageHistoryRoutes } from './pipelines/coverage-history.routes.ts';
import { type CreateOutcome, pipelineMaker } from './pipelines/create.ts';
import { countFailedPipelines } from './pipelines/failed.queries.ts';
import { failedPipelineRoutes } from './pipelines/failed.routes.ts';
import { followers } from './pipelines/following.ts';
import { groupPipelineRoutes } from './pipelines/group-pipelines.routes.ts';
import { type MergeRequestPipelines, mergeRequestPipelines } from './pipelines/merge-request-pipelines.ts';
import { pipelineMetadataRoutes } from './pipelines/metadata.routes.ts';
import { pipelineRoutes } from './pipelines/pipelines.routes.ts';
import type { CreatePipeline } from './pipelines/request.ts';
import { pipelineStatisticsRoute } from './pipelines/statistics.routes.ts';
import { type TrainPipelines, trainPipelines } from './pipelines/train-pipelines.ts';
import { jobDeployments, requestApprovals } from './ports.ts';
import { comparisonRoutes } from './reports/comparisons.routes.ts';
import { exposedArtifactRoutes } from './reports/exposed-artifacts.routes.ts';
import { reportReader } from './reports/ingest.ts';
import { mergeRequestReportRoutes } from './reports/merge-requests.routes.ts';
import { resourceTasks } from './resource-groups/assign.ts';
import { resourceGroupRoutes } from './resource-groups/resource-groups.routes.ts';
import { runnerArtifactRoutes } from './runner-protocol/artifacts.routes.ts';
import { createHeldPolls } from './runner-protocol/held-polls.ts';
import { requestRoutes } from './runner-protocol/requests.routes.ts';
import { updateRoutes } from './runner-protocol/updates.routes.ts';
import { fleetRoutes } from './runners/fleet.routes.ts';
import { placeRoutes } from './runners/places.routes.ts';
import { registrationRoutes } from './runners/registration.routes.ts';
import { registrationTokens } from './runners/registration-tokens.service.ts';
import { runnerRoutes } from './runners/runners.routes.ts';
import { runnerAccess } from './runners/runners.service.ts';
import { scheduleTasks } from './schedules/runs.ts';
import { scheduleRoutes } from './schedules/schedules.routes.ts';
import { schedulesService } from './schedules/schedules.service.ts';
import { scheduleVariableRoutes } from './schedules/variables.routes.ts';
import { blockedUsers } from './scheduling/blocked-users.ts';
import { ciTasks } from './scheduling/tasks.ts';
import { secureFileRoutes } from './secure-files/secure-files.routes.ts';
import { statusRoutes } from './statuses/statuses.routes.ts';
import { statusService } from './statuses/statuses.service.ts';
import { terminalSockets } from './terminals/terminals.mount.ts';
import { terminalRoutes } from './terminals/terminals.routes.ts';
import { terminalsService } from './terminals/terminals.service.ts';
import { testHistoryRoutes } from './test-reports/history.routes.ts';
import { testReportReader } from './test-reports/ingest.ts';
import { testReports } from './test-reports/report.ts';
import { testReportRoutes } from './test-reports/test-reports.routes.ts';
import { traceArchive } from './traces/archiving.ts';
import { logLineRoutes } from './traces/lines.routes.ts';
import { triggerRoutes } from './triggers/triggers.routes.ts';
import { triggersService } from './triggers/triggers.service.ts';
import { variableRoutes } from './variables/variables.routes.ts';

export { rewriteArtifactUrl } from './artifacts/addresses.ts';
export { reportBytes } from './artifacts/report-bytes.ts';
export type { CiFeatureDependencies } from './deps.ts';
export type { JobsFace } from './jobs/face.ts';
export { JobEntity, type JobJson } from './jobs/jobs.entity.ts';
export type { JobPlan } from './jobs/plan.ts';
export { DeclaredInput } from './lint/lint.entity.ts';
export { badgeAnswer } from './page-files/badge.ts';
export { componentName, semanticVersion } from './pipelines/components.ts';
export { buildMergedResult } from './pipelines/merged-results.ts';
export {
  PipelineBasic,
  PipelineDetail,
  type PipelineDetailJson,
  type PipelineJson,
  pipelineBasic,
} from './pipelines/pipelines.entity.ts';
export { mergedRef } from './pipelines/references.ts';
export type { TrainPipelines } from './pipelines/train-pipelines.ts';
export { pipelineRelation } from './pipelines/transfer.ts';
export { type Admission, type JobDeployments, type JobEnvironment, jobDeployments, requestApprovals } from './ports.ts';
export { resourceGroupRelation } from './resource-groups/transfer.ts';
export { builtInRunnerToken, ensureBuiltInRunner } from './runners/built-in.ts';
export { onlineSeconds } from './runners/runner-status.ts';
export { nextRunOf, timingProblems } from './schedules/timing.ts';
export { pipelineScheduleRelation } from './schedules/transfer.ts';
export { scopeCovers } from './variables/masking.ts';
export { reportedVariables } from './variables/reported.ts';

export interface Ci extends Feature {
  /** Makes and starts a pipeline; the reasons when there is none to make. */
  createPipeline(request: CreatePipeline): Promise<CreateOutcome>;
  /** The caller behind the token of a running job; null for any other. */
  resolveJobToken(tokenSha256: Buffer): Promise<Caller | null>;
  /** For merge requests: reading their pipelines and starting one. */
  readonly mergeRequestPipelines: MergeRequestPipelines;
  /** For merge trains: the pipelines of what would be merged. */
  readonly trainPipelines: TrainPipelines;
  /** For deployments. */
  readonly jobs: JobsFace;
  /** Makes another user the one who started pipelines and jobs, when theirs is removed. */
  movePipelines(tx: Db, fromUserId: number, toUserId: number): Promise<void>;
  /** Looks once for jobs that waited for the built-in runner before this process was there. */
  start(): void;
  /** Answers all held polls; the process stops. */
  drain(): void;
}

/** One per process, made by app.ts. */
export function ciFeature(given: CiFeatureDependencies): Ci {
  const deps: CiDependencies = {
    ...given,
    announce: publish,
    deployments: given.ports.one(jobDeployments),
    approvals: given.ports.one(requestApprovals),
    enqueue: (tx, name, payload, options) =>
      addJob<{ readonly job_id: number } | { readonly pipeline_id: number }>(tx, { name }, payload, {
        ...(options?.runAt ? { runAt: options.runAt } : {}),
        ...(options?.key ? { jobKey: options.key } : {}),
      }),
  };
  const { db } = deps;
  const polls = createHeldPolls(deps);
  const tokens = registrationTokens(deps);
  const jobs = jobsService(deps);
  const writes = writeAccess(deps);
  const keys = createSigningKeys(deps);
  const terminals = terminalsService(deps, writes);
  const sockets = terminalSockets(deps, terminals);
  const pipelines = pipelineMaker(deps);
  const ofRequests = mergeRequestPipelines(deps, pipelines);
  const artifacts = artifactsService(deps);
  const access = runnerAccess(db, deps.parents);
  const schedules = schedulesService(deps, pipelines);
  const reports = testReports(deps, writes);
  const logs = traceArchive(deps);
  const work = [
    ciTasks(deps, polls.look),
    { tasks: [logs.task], cron: [] },
    scheduleTasks(deps, schedules),
    { tasks: bridgeTasks(deps, pipelines), cron: [] },
    { tasks: [ofRequests.task], cron: [] },
    resourceTasks(deps),
  ];

  deps.ports.provide(runnersTokens, { of: tokens.read });
  deps.ports.provide(failedPipelines, { count: countFailedPipelines });
  return {
    routes: [
      ...pipelineRoutes(deps, pipelines, jobs, writes),
      ...failedPipelineRoutes(deps),
      ...groupPipelineRoutes(deps),
      ...pipelineMetadataRoutes(deps, writes),
      pipelineStatisticsRoute(deps),
      ...coverageHistoryRoutes(deps),
      ...testReportRoutes(deps, reports),
      ...testHistoryRoutes(deps, reports),
      ...mergeRequestReportRoutes(deps, writes),
      ...comparisonRoutes(deps, writes),
      ...exposedArtifactRoutes(deps, writes),
      ...resourceGroupRoutes(deps),
      ...triggerRoutes(deps, triggersService(deps, pipelines)),
      ...scheduleRoutes(deps, schedules),
      ...scheduleVariableRoutes(deps, schedules),
      ...jobRoutes(deps, jobs, writes),
      ...logLineRoutes(deps, writes),
      ...fleetRoutes(deps, compatibleVersion),
      ...terminalRoutes(deps, terminals),
      ...cacheRoutes(deps),
      ...artifactUsageRoutes(deps),
      ...artifactRoutes(deps, writes),
      ...statusRoutes(deps, statusService(deps)),
      ...variableRoutes(deps),
      ...secureFileRoutes(deps),
      ...lintRoutes(deps, pipelines),
      ...explainRoutes(deps, explaining(deps, pipelines)),
      ...runnerRoutes(deps, access),
      ...placeRoutes(deps, access),
      ...registrationRoutes(deps, access, tokens),
      ...requestRoutes(deps, polls, { writes, keys, terminals }),
      ...updateRoutes(deps),
      ...runnerArtifactRoutes(deps, artifacts, writes),
    ],
    pageFiles: [logFile(deps, writes), badgeFile(deps), ...artifactFiles(deps, writes)],
    tasks: work.flatMap(({ tasks }) => tasks),
    cron: work.flatMap(({ cron }) => cron),
    consumers: [
      ...followers(deps, pipelines),
      testReportReader(deps),
      reportReader(deps),
      logs.consumer,
      blockedUsers(deps),
    ],
    mount: (server) => {
      mountDiscovery(server, deps.externalUrl, keys);
      sockets.mount(server);
    },
    createPipeline: pipelines.create,
    resolveJobToken: (tokenSha256) => jobCaller(db, tokenSha256),
    mergeRequestPipelines: ofRequests.reader,
    trainPipelines: trainPipelines(deps, pipelines),
    jobs: jobsFace(deps, jobs, writes),
    movePipelines,
    start: polls.look,
    drain: () => {
      polls.drain();
      sockets.drain();
    },
  };
}
