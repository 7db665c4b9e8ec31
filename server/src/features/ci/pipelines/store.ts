/** Stores pipelines with their jobs and starts them. */
import { transaction } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import { pipelineFacts, recordFact } from '../../../kernel/events/index.ts';
import type { CiDependencies } from '../deps.ts';
import { insertPipelineSource, startedBy } from '../downstream/sources.queries.ts';
import { insertExplanations } from '../explain/explain.queries.ts';
import { ensureGroups } from '../resource-groups/resource-groups.queries.ts';
import { beginningOf } from '../scheduling/first-pass.ts';
import { notifyPending } from '../scheduling/process.queries.ts';
import { processPipelines } from '../scheduling/process.ts';
import { sealed } from '../variables/sealing.ts';
import type { Compiled } from './compile.ts';
import {
  insertJobs,
  insertPipelines,
  insertPipelineVariables,
  type NewPipeline,
  priorityOfPipeline,
} from './pipelines.queries.ts';
import type { CreatePipeline } from './request.ts';

/** A pipeline that is ready to be stored; without a plan it has ended already. */
export interface Prepared {
  readonly kind: 'prepared';
  readonly request: CreatePipeline;
  readonly row: Omit<NewPipeline, 'iid'>;
  readonly plan: Extract<Compiled, { kind: 'plan' }> | null;
  /** The number where its configuration has asked for it. */
  readonly iid?: number | undefined;
}

/** Stores pipelines of one project in one transaction: all of them or none. In the order of what was prepared. */
export async function storePipelines(deps: CiDependencies, prepared: readonly Prepared[]): Promise<Pipeline[]> {
  const [first] = prepared;
  if (!first) return [];
  const { project } = first.request.subject;
  return await transaction(deps.db, async (tx) => {
    const before = first.request.upstream && (await startedBy(tx, first.request.upstream));
    if (before) return [before];
    const unnumbered = prepared.filter(({ iid }) => iid === undefined).length;
    let next = unnumbered === 0 ? 0 : await deps.takeIids(tx, project.id, 'pipeline', unnumbered);
    const rows: NewPipeline[] = [];
    const beginnings = prepared.map(({ plan }) => (plan ? beginningOf(plan.jobs) : null));
    for (const [at, { request, row, iid }] of prepared.entries()) {
      const { upstream } = request;
      const inherited = upstream?.child
        ? { queue_priority: await priorityOfPipeline(tx, upstream.job.pipeline_id) }
        : {};
      // Of one that was triggered others are told: its status changes with a pass.
      const status = upstream ? null : beginnings[at]?.pipeline;
      rows.push({ ...row, ...inherited, ...(status ? { status } : {}), iid: iid ?? next++ });
    }
    const pipelines = await insertPipelines(tx, rows);
    const stored = prepared.map((each, at) => ({
      ...{ ...each, pipeline: pipelines[at] as Pipeline, statuses: beginnings[at]?.statuses ?? [] },
    }));
    for (const { request, pipeline } of stored)
      if (request.upstream) await insertPipelineSource(tx, pipeline.id, request.upstream);
    await insertPipelineVariables(
      tx,
      stored.flatMap(({ request, pipeline }) =>
        (request.variables ?? []).map((item) => ({
          pipelineId: pipeline.id,
          key: item.key,
          sealed: deps.secrets.seal(item.value, sealed.pipelineVariable),
          type: item.variable_type,
          raw: item.raw ?? false,
        })),
      ),
    );
    for (const { plan, pipeline, row } of stored) {
      const context = { project_id: project.id, actor_id: pipeline.user_id };
      const payload = { pipeline_id: pipeline.id, status: pipeline.status };
      await recordFact(tx, pipelineFacts.created, { ...payload, status: row.status }, context);
      if (!plan) await recordFact(tx, pipelineFacts.finished, payload, context);
      else if (pipeline.status !== row.status) await recordFact(tx, pipelineFacts.changed, payload, context);
    }
    await deps.announce(tx, `project:${project.id}:pipelines`);
    const started = stored.flatMap((each) => (each.plan ? [{ ...each, plan: each.plan }] : []));
    if (started.length === 0) return pipelines;
    await insertJobs(
      tx,
      started.flatMap(({ plan, pipeline, statuses }) =>
        plan.jobs.map((job, at) => ({ pipeline, job, status: statuses[at] ?? 'created' })),
      ),
    );
    if (started.some(({ statuses }) => statuses.includes('pending'))) await notifyPending(tx);
    await insertExplanations(
      tx,
      started.map(({ plan, pipeline }) => ({ pipelineId: pipeline.id, explanation: plan.explanation })),
    );
    const groups = started.flatMap(({ plan }) => plan.jobs.flatMap((job) => job.resourceGroup ?? []));
    await ensureGroups(tx, project.id, [...new Set(groups)]);
    // Runners fetch by these refs: the commit stays reachable when the branch moves on.
    await deps.repository.keepRefs(
      tx,
      project,
      started.map(({ pipeline }) => ({ ref: `refs/pipelines/${pipeline.id}`, sha: pipeline.sha })),
    );
    // Those that have more to do than to let their first jobs wait.
    await processPipelines(
      deps,
      tx,
      started.flatMap(({ pipeline, row }) => (pipeline.status === row.status ? [pipeline] : [])),
    );
    // Whoever creates one is told of it as it was created, before its first jobs were let wait.
    return stored.map(({ pipeline, row }) => ({ ...pipeline, status: row.status }));
  });
}
