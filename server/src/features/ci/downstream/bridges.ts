/** Trigger jobs: they start a pipeline, end as it does where they wait for it, and take it along when they are canceled. */
import { expandVariables, type Variable } from '@millrace/ci-config';
import { ZERO_SHA } from '@millrace/git';
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job, Pipeline } from '../../../kernel/db/rows.ts';
import { defineTask, type Task } from '../../../kernel/queue/index.ts';
import { readArchiveText } from '../artifacts/archive-text.ts';
import { findArtifact } from '../artifacts/artifacts.queries.ts';
import type { CiDependencies } from '../deps.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { findMergeRequest } from '../jobs/context.queries.ts';
import { type Ending, finishJob } from '../jobs/finish.ts';
import { findJobById, jobsInStatuses, lockJob } from '../jobs/jobs.queries.ts';
import type { JobPlan } from '../jobs/plan.ts';
import type { Pipelines } from '../pipelines/create.ts';
import { findPipelineById } from '../pipelines/pipelines.queries.ts';
import { fullRef, mayRunOn, resolveReference } from '../pipelines/references.ts';
import type { CreatePipeline, PipelineVariableInput } from '../pipelines/request.ts';
import { lockPipeline } from '../scheduling/process.queries.ts';
import {
  assignResourceTask,
  cancelDownstreamTask,
  mirrorDownstreamTask,
  mirrorUpstreamTask,
  processPipeline,
  startDownstreamTask,
} from '../scheduling/process.ts';
import { bridgeVariablesOf, forwarded } from './bridge-variables.ts';
import { mirrored, mirrors } from './mirrored-status.ts';
import {
  downstreamOf,
  noteDownstreamErrors,
  showOnBridge,
  startBridge,
  treeSize,
  upstreamsOf,
} from './sources.queries.ts';
import { upstreamStatus } from './upstream-status.ts';

/** Children of children: how deep. */
const deepestChild = 2;
/** Pipelines in one tree, over all projects. */
const largestTree = 1000;
/** Times that one ref of a project may come in a chain of pipelines. */
const mostOfOneRef = 2;
/** Milliseconds: configurations may include files of slow servers. */
const longestStart = 10 * 60_000;

const JobPayload = Type.Object({ job_id: Type.Integer() });
const PipelinePayload = Type.Object({ pipeline_id: Type.Integer() });

type Plan = NonNullable<JobPlan['trigger']>;
/** What the pipeline is made of, or the reason for which the job fails. */
type Target =
  | { readonly reason: string; readonly errors?: readonly string[] }
  | { readonly request: Omit<CreatePipeline, 'upstream' | 'keepBroken'> };

export function bridgeTasks(deps: CiDependencies, pipelines: Pipelines): Task[] {
  const { db, repository } = deps;

  const finish = (job: Job, ending: Ending, errors?: readonly string[]) =>
    transaction(db, async (tx) => {
      const ended = await finishJob(deps, tx, { jobId: job.id, pipelineId: job.pipeline_id }, ending);
      if (ended && errors) await noteDownstreamErrors(tx, job.id, errors);
      return ended;
    });
  const drop = (job: Job, failureReason: string, errors?: readonly string[]) =>
    finish(job, { event: 'drop', failureReason }, errors);

  const upstreams = upstreamStatus(deps, finish);

  /** A file that a job of the parent pipeline has left. */
  async function artifactOf(parent: Pipeline, name: string, path: string): Promise<string | null> {
    const jobs = await jobsInStatuses(db, parent.id, ['success', 'failed']);
    const from = jobs.find((job) => job.name === name);
    const archive = from && (await findArtifact(db, from.id, 'archive'));
    const { max_artifacts_content_include_size: most } = await deps.settings.read();
    return archive ? await readArchiveText(deps.objects, archive, path, most) : null;
  }

  async function childOf(
    acting: { readonly caller: Caller; readonly subject: ProjectSubject },
    parent: Pipeline,
    trigger: Plan,
    variables: readonly PipelineVariableInput[],
  ): Promise<Target> {
    const ancestors = await upstreamsOf(db, parent.id);
    const root = ancestors.findIndex(({ source }) => source !== 'parent_pipeline');
    if (root >= deepestChild) return { reason: 'reached_max_descendant_pipelines_depth' };
    const mergeRequest =
      parent.merge_request_id === null ? undefined : await findMergeRequest(db, parent.merge_request_id);
    const request = {
      ...acting,
      ref: parent.ref.startsWith('refs/') ? parent.ref : fullRef(parent),
      sha: parent.sha,
      beforeSha: parent.before_sha,
      source: 'parent_pipeline',
      variables,
      ...(mergeRequest ? { mergeRequest } : {}),
      config: { path: 'trigger:include', text: JSON.stringify({ include: trigger.include }) },
      artifact: (job: string, path: string) => artifactOf(parent, job, path),
    } as const;
    return { request };
  }

  async function elsewhere(
    caller: Caller,
    from: Pipeline,
    trigger: Plan,
    scope: readonly Variable[],
    variables: readonly PipelineVariableInput[],
  ): Promise<Target> {
    const path = expandVariables(trigger.project ?? '', scope).replace(/^\/+/, '');
    const subject = path === '' ? null : await deps.parents.project(path, caller);
    if (!subject || !canOnProject(caller, 'read_project', subject))
      return { reason: 'downstream_bridge_project_not_found' };
    if (subject.project.id === from.project_id) return { reason: 'invalid_bridge_trigger' };
    const branch = trigger.branch === null ? subject.project.default_branch : expandVariables(trigger.branch, scope);
    const found = await resolveReference(repository, subject, branch ?? '');
    const may =
      canOnProject(caller, 'create_pipeline', subject) &&
      (!found || (await mayRunOn(repository, subject, caller, found.ref)));
    if (!may) return { reason: 'insufficient_bridge_permissions' };
    const none = 'downstream_pipeline_creation_failed';
    if (!found) return { reason: none, errors: ['Reference not found'] };
    if (found.ambiguous) return { reason: none, errors: ['Ref is ambiguous'] };
    const chain = (await upstreamsOf(db, from.id)).filter(({ source }) => source !== 'parent_pipeline');
    const counts = Map.groupBy(chain, ({ project_id, ref, source }) => JSON.stringify([project_id, ref, source]));
    if ([...counts.values()].some((same) => same.length > mostOfOneRef)) return { reason: 'pipeline_loop_detected' };
    const inputs = trigger.inputs ? { inputs: trigger.inputs } : {};
    return {
      request: { subject, caller, ...found, beforeSha: ZERO_SHA, source: 'pipeline', variables, ...inputs },
    };
  }

  async function targetOf(job: Job, parent: Pipeline): Promise<Target> {
    const plan = job.plan as unknown as JobPlan;
    const { trigger } = plan;
    const acting = job.user_id === null ? null : await deps.actingAs(job.user_id, job.project_id);
    if (!trigger || !acting || !canOnProject(acting.caller, 'update_pipeline', acting.subject))
      return { reason: 'insufficient_bridge_permissions' };
    const upstreams = await upstreamsOf(db, parent.id);
    const root = upstreams.at(-1)?.id ?? parent.id;
    if ((await treeSize(db, root, largestTree)) >= largestTree)
      return { reason: 'reached_max_pipeline_hierarchy_size' };
    const { caller, subject } = acting;
    if (!(await deps.mayTriggerDownstream(caller, subject, parent.sha)))
      return { reason: 'reached_downstream_pipeline_trigger_rate_limit' };
    const known = await bridgeVariablesOf(deps, { user: caller.user, subject }, job, parent, trigger.include !== null);
    const variables = forwarded(plan, trigger, known);
    if (trigger.include) return await childOf(acting, parent, trigger, variables);
    return await elsewhere(caller, parent, trigger, known.scope, variables);
  }

  /** Lets a job end as the latest pipeline of another project does. */
  async function followUpstream(job: Job, parent: Pipeline): Promise<void> {
    const plan = job.plan as unknown as JobPlan;
    const acting = job.user_id === null ? null : await deps.actingAs(job.user_id, job.project_id);
    if (!acting) return void (await drop(job, 'insufficient_upstream_permissions'));
    const { caller, subject } = acting;
    const { scope } = await bridgeVariablesOf(deps, { user: caller.user, subject }, job, parent, false);
    await upstreams.follow(job, caller, plan.upstream ?? '', scope);
  }

  /**
   * Starts the pipeline of a job that waits for it; `again` after a crash, where it goes on. Passes over the pipeline may
   * ask for it more than once at the same time: the first one does it.
   */
  async function start(id: number, again: boolean): Promise<void> {
    const known = await findJobById(db, id);
    if (known?.kind !== 'bridge') return;
    const job = await transaction(db, async (tx) => {
      const pipeline = await lockPipeline(tx, known.pipeline_id);
      const started = pipeline && (await startBridge(tx, id, again ? ['pending', 'running'] : ['pending']));
      if (!started) return undefined;
      await deps.announce(tx, `job:${id}`);
      await processPipeline(deps, tx, pipeline.id, pipeline);
      return started;
    });
    const parent = job && (await findPipelineById(db, job.pipeline_id));
    if (!job || !parent) return;
    if ((job.plan as unknown as JobPlan).upstream !== undefined) return await followUpstream(job, parent);
    if (!(await downstreamOf(db, [id])).has(id)) {
      const target = await targetOf(job, parent);
      if ('reason' in target) return void (await drop(job, target.reason, target.errors));
      const child = target.request.source === 'parent_pipeline';
      const outcome = await pipelines.create({ ...target.request, upstream: { job, child }, keepBroken: true });
      if (outcome.kind === 'refused') {
        return void (await drop(job, 'downstream_pipeline_creation_failed', outcome.reasons));
      }
    }
    await mirror(id);
  }

  /**
   * Brings a trigger job to what its pipeline says now. Tasks of one job run at the same time: what the pipeline says is
   * read after the lock was taken, so that whoever writes last has read last.
   */
  async function mirror(id: number): Promise<void> {
    const known = await findJobById(db, id);
    if (known?.kind !== 'bridge') return;
    await transaction(db, async (tx) => {
      const parent = await lockPipeline(tx, known.pipeline_id);
      const job = parent && (await lockJob(tx, id));
      const pipeline = job && (await downstreamOf(tx, [id])).get(id);
      if (!parent || !job || job.retried || !pipeline) return;
      const { strategy = null } = (job.plan as unknown as JobPlan).trigger ?? {};
      const wanted = mirrored(strategy, pipeline);
      if (!mirrors(strategy, job.status) || wanted.status === job.status) return;
      const place = { jobId: id, pipelineId: parent.id };
      if ('ending' in wanted) {
        // Jobs end from where they run.
        if (job.status !== 'running') await showOnBridge(tx, id, 'running');
        await finishJob(deps, tx, place, wanted.ending);
        return;
      }
      await showOnBridge(tx, id, wanted.status);
      // The next one may have the resource.
      if (wanted.status === 'skipped' && job.resource_group !== null)
        await deps.enqueue(tx, assignResourceTask, { job_id: id });
      await deps.announce(tx, `job:${id}`);
      await processPipeline(deps, tx, parent.id, parent);
    });
  }

  /** Cancels the pipeline that a job started, and through its jobs what they started. */
  async function cancel(id: number): Promise<void> {
    const job = await findJobById(db, id);
    const child = (await downstreamOf(db, [id])).get(id);
    if (!job || child?.source !== 'parent_pipeline') return;
    await transaction(db, async (tx) => {
      const pipeline = await lockPipeline(tx, child.id);
      if (pipeline) await cancelJobs(deps, tx, pipeline, job.canceled_by_id);
    });
  }

  return [
    defineTask(startDownstreamTask, JobPayload, async ({ job_id: id }, { attempt }) => start(id, attempt > 1), {
      timeout: longestStart,
    }),
    defineTask(mirrorDownstreamTask, JobPayload, async ({ job_id: id }) => mirror(id)),
    defineTask(mirrorUpstreamTask, PipelinePayload, async ({ pipeline_id: id }) => upstreams.mirrorAll(id)),
    defineTask(cancelDownstreamTask, JobPayload, async ({ job_id: id }) => cancel(id)),
  ];
}
