/** Pipelines that start by themselves: for pushes and for merge requests. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Fact, FactConsumer } from '../../../kernel/events/index.ts';
import { readPushOptions } from '../../repository/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findMergeRequest } from '../jobs/context.queries.ts';
import { type Pipelines, refOfRequest, shortRef, zeroSha } from './create.ts';
import { existsFor } from './pipelines.queries.ts';

interface PushPayload {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly push_options?: readonly string[];
  readonly job_id?: number;
  readonly alike?: number;
}

/** Branches, or tags, of one push that each get a pipeline; where more are made or moved, none does. */
const mostPipelines = 4;

/** The consumers that make pipelines. Each may be called again with the same fact. */
export function followers(deps: CiDependencies, pipelines: Pipelines): FactConsumer[] {
  const { db, log } = deps;

  async function acting(fact: Fact, fallback: number | null = null) {
    const actor = fact.actor_id ?? fallback;
    if (fact.project_id === null || actor === null) return null;
    const found = await deps.actingAs(actor, fact.project_id);
    if (!found) log.info({ fact: fact.id, actor }, 'no pipeline: its user or project is gone or blocked');
    return found && found.subject.project.builds_access_level !== 'disabled' ? found : null;
  }

  async function pushed(fact: Fact): Promise<void> {
    const payload = fact.payload as unknown as PushPayload;
    const { name, tag, branch } = shortRef(payload.ref);
    if (payload.after === zeroSha || (!tag && !branch)) return;
    if ((payload.alike ?? 1) > mostPipelines && !(await deps.allPipelinesOfPush(fact.project_id ?? 0))) return;
    const context = await acting(fact);
    if (!context) return;
    const projectId = context.subject.project.id;
    const sha = await deps.repository.resolve(context.subject.project, payload.after);
    if (sha === null) return;
    const key = { projectId, sha, ref: name, source: 'push', beforeSha: payload.before };
    if (await existsFor(db, key)) return;
    const options = readPushOptions(payload.push_options ?? []).ci;
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

  async function headMoved(fact: Fact): Promise<void> {
    const {
      merge_request_id: id,
      job_id,
      skip_ci,
    } = fact.payload as { merge_request_id: number; job_id?: number; skip_ci?: true };
    if (job_id !== undefined || skip_ci) return;
    const row = await findMergeRequest(db, id);
    if (row?.state !== 'opened' || row.head_sha === null || row.source_project_id === null) return;
    // Code of a fork does not run with this project's variables, but where it comes from.
    const context = await acting({ ...fact, project_id: row.source_project_id }, row.author_id);
    if (!context || !canOnProject(context.caller, 'create_pipeline', context.subject)) return;
    const ref = refOfRequest(row, row.source_project_id);
    const source = 'merge_request_event';
    const key = {
      projectId: row.source_project_id,
      sha: row.head_sha,
      ref: shortRef(ref).name,
      source,
      beforeSha: zeroSha,
    };
    if (await existsFor(db, key)) return;
    await pipelines.create({
      ...context,
      ref,
      sha: row.head_sha,
      beforeSha: zeroSha,
      source,
      mergeRequest: row,
      keepBroken: false,
    });
  }

  return [
    { name: 'ci.pipelines-of-pushes', kinds: ['push'], handle: pushed },
    {
      name: 'ci.pipelines-of-merge-requests',
      kinds: ['merge_request.opened', 'merge_request.head_changed'],
      handle: headMoved,
    },
  ];
}
