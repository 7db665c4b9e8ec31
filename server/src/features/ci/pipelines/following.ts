/** Pipelines that start by themselves: for pushes and for merge requests. */
import { ZERO_SHA } from '@millrace/git';
import { canOnProject } from '../../../kernel/authz/can.ts';
import {
  type Fact,
  type FactConsumer,
  type FactDelivery,
  mergeRequestFacts,
  on,
  pushed,
} from '../../../kernel/events/index.ts';
import { readPushOptions } from '../../repository/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findMergeRequest } from '../jobs/context.queries.ts';
import type { Pipelines } from './create.ts';
import { requestRun } from './merged-results.ts';
import { existsFor, existsForHead } from './pipelines.queries.ts';
import { shortRef } from './references.ts';

/** When a merge request needs a pipeline of its head. */
const headMoves = [mergeRequestFacts.opened, mergeRequestFacts.head_changed] as const;

/** The consumers that make pipelines. Each may be called again with the same fact. */
export function followers(deps: CiDependencies, pipelines: Pipelines): FactConsumer[] {
  const { db, log } = deps;

  async function acting(delivery: FactDelivery, factId: number, projectId: number | null, actor: number | null) {
    if (projectId === null || actor === null) return null;
    const found = await delivery.actingAs(actor, projectId);
    if (!found) log.info({ fact: factId, actor }, 'no pipeline: its user or project is gone or blocked');
    return found && found.subject.project.builds_access_level !== 'disabled' ? found : null;
  }

  async function follow({ id, payload, project_id, actor_id }: Fact<typeof pushed>, delivery: FactDelivery) {
    const { name, tag, branch } = shortRef(payload.ref);
    if (payload.after === ZERO_SHA || (!tag && !branch)) return;
    // Branches, or tags, of one push that each get a pipeline; where more are made or moved, none does.
    const { git_push_pipeline_limit: most } = await deps.settings.read();
    if (most > 0 && payload.alike > most && !(await deps.allPipelinesOfPush(project_id ?? 0))) return;
    const context = await acting(delivery, id, project_id, actor_id);
    if (!context) return;
    const projectId = context.subject.project.id;
    const sha = await deps.repository.resolve(context.subject.project, payload.after);
    if (sha === null) return;
    const key = { projectId, sha, ref: name, source: 'push', beforeSha: payload.before };
    if (await existsFor(db, key)) return;
    const options = readPushOptions(payload.push_options).ci;
    // A job that pushes would start itself again.
    if (options.none || payload.job_id !== undefined) return;
    await pipelines.create({
      ...context,
      ref: payload.ref,
      sha,
      beforeSha: payload.before,
      source: 'push',
      variables: options.variables.map((variable) => ({ ...variable, variable_type: 'env_var' })),
      ...(Object.keys(options.inputs).length > 0 ? { inputs: options.inputs } : {}),
      skip: options.skip,
      keepBroken: true,
    });
  }

  async function headMoved(fact: Fact<(typeof headMoves)[number]>, delivery: FactDelivery): Promise<void> {
    const { merge_request_id, job_id, skip_ci } = fact.payload;
    if (job_id !== undefined || skip_ci) return;
    const row = await findMergeRequest(db, merge_request_id);
    if (row?.state !== 'opened' || row.head_sha === null || row.source_project_id === null) return;
    // Code of a fork does not run with this project's variables, but where it comes from.
    const context = await acting(delivery, fact.id, row.source_project_id, fact.actor_id ?? row.author_id);
    if (!context || !canOnProject(context.caller, 'create_pipeline', context.subject)) return;
    if (await existsForHead(db, row.id, row.head_sha)) return;
    await pipelines.create({
      ...context,
      ...(await requestRun(deps, context.subject, row, row.head_sha)),
      beforeSha: ZERO_SHA,
      source: 'merge_request_event',
      mergeRequest: row,
      keepBroken: false,
    });
  }

  return [
    { name: 'ci.pipelines-of-pushes', prompt: true, handlers: [on(pushed, follow)] },
    { name: 'ci.pipelines-of-merge-requests', handlers: [on(headMoves, headMoved)] },
  ];
}
