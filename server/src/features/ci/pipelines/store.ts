/** Stores pipelines with their jobs and starts them. */
import { transaction } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import { pipelineFacts, recordFact } from '../../../kernel/events/index.ts';
import type { CiDependencies } from '../deps.ts';
import { insertPipelineSource } from '../downstream/sources.queries.ts';
import { insertExplanations } from '../explain/explain.queries.ts';
import { ensureGroups } from '../resource-groups/resource-groups.queries.ts';
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
    const unnumbered = prepared.filter(({ iid }) => iid === undefined).length;
    let next = unnumbered === 0 ? 0 : await deps.takeIids(tx, project.id, 'pipeline', unnumbered);
    const rows: NewPipeline[] = [];
    for (const { request, row, iid } of prepared) {
      const { upstream } = request;
      const inherited = upstream?.child
        ? { queue_priority: await priorityOfPipeline(tx, upstream.job.pipeline_id) }
        : {};
      rows.push({ ...row, ...inherited, iid: iid ?? next++ });
    }
    const pipelines = await insertPipelines(tx, rows);
    const stored = prepared.map((each, at) => ({ ...each, pipeline: pipelines[at] as Pipeline }));
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
    for (const { plan, pipeline } of stored) {
      const context = { project_id: project.id, actor_id: pipeline.user_id };
      const payload = { pipeline_id: pipeline.id, status: pipeline.status };
      await recordFact(tx, pipelineFacts.created, payload, context);
      if (!plan) await recordFact(tx, pipelineFacts.finished, payload, context);
    }
    await deps.announce(tx, `project:${project.id}:pipelines`);
    const started = stored.flatMap(({ plan, pipeline }) => (plan ? [{ plan, pipeline }] : []));
    if (started.length === 0) return pipelines;
    await insertJobs(
      tx,
      started.flatMap(({ plan, pipeline }) => plan.jobs.map((job) => ({ pipeline, job }))),
    );
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
    await processPipelines(
      deps,
      tx,
      started.map(({ pipeline }) => pipeline),
    );
    return pipelines;
  });
}
