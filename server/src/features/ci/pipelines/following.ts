/** Pipelines that start by themselves: for pushes and for merge requests. */
import type { Fact, FactConsumer } from '../../../kernel/events/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findMergeRequest } from '../jobs/context.queries.ts';
import { type Pipelines, type PipelineVariableInput, shortRef, zeroSha } from './create.ts';
import { existsFor } from './pipelines.queries.ts';

interface PushPayload {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly push_options?: readonly string[];
}

/** `ci.variable="KEY=value"` among the push options. */
function optionVariables(options: readonly string[]): PipelineVariableInput[] {
  return options.flatMap((option) => {
    const match = /^ci\.variable="?([A-Za-z0-9_]{1,255})=([\s\S]*?)"?$/.exec(option);
    return match ? [{ key: match[1] ?? '', value: match[2] ?? '', variable_type: 'env_var' as const }] : [];
  });
}

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
    const context = await acting(fact);
    if (!context) return;
    const projectId = context.subject.project.id;
    const sha = await deps.repository.resolve(context.subject.project, payload.after);
    if (sha === null) return;
    const key = { projectId, sha, ref: name, source: 'push', beforeSha: payload.before };
    if (await existsFor(db, key)) return;
    const options = payload.push_options ?? [];
    await pipelines.create({
      ...context,
      ref: payload.ref,
      sha,
      beforeSha: payload.before,
      source: 'push',
      variables: optionVariables(options),
      skip: options.some((option) => option === 'ci.skip' || option === 'ci.skip=true'),
      keepBroken: true,
    });
  }

  async function headMoved(fact: Fact): Promise<void> {
    const { merge_request_id: id } = fact.payload as { merge_request_id: number };
    const row = await findMergeRequest(db, id);
    // Code of a fork does not run with this project's variables.
    if (row?.state !== 'opened' || row.head_sha === null || row.source_project_id !== row.project_id) return;
    const context = await acting(fact, row.author_id);
    if (!context) return;
    const ref = `refs/merge-requests/${row.iid}/head`;
    const source = 'merge_request_event';
    const key = { projectId: row.project_id, sha: row.head_sha, ref, source, beforeSha: zeroSha };
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
