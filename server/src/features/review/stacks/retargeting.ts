/** Merge requests whose target branch was merged or deleted follow it to where it went. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import {
  type Fact,
  type FactConsumer,
  type FactDelivery,
  mergeRequestFacts,
  on,
  pushed,
} from '../../../kernel/events/index.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { RepositoryAccess } from '../../repository/index.ts';
import * as requests from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import { mergedFrom, mergedInto } from './stacks.queries.ts';

interface Dependencies {
  readonly db: Db;
  readonly repository: Pick<RepositoryAccess, 'branch' | 'isProtected'>;
}

/** Branches that were merged one into the other and deleted all. */
const mostSteps = 20;

export function retargeting(
  { db, repository }: Dependencies,
  service: Pick<MergeRequestService, 'update'>,
): FactConsumer {
  /** The branch that has what a branch had when it was merged; null where it was not, or nothing is left. */
  async function successor(project: Project, branch: string): Promise<string | null> {
    let next: string | null = branch;
    for (let step = 0; next !== null && step < mostSteps; step += 1) {
      next = await mergedInto(db, project.id, next);
      if (next !== null && (await repository.branch(project, next)) !== null) return next;
    }
    return null;
  }

  async function retarget(
    delivery: Pick<FactDelivery, 'actingAs'>,
    actorId: number | null,
    request: MergeRequest,
    { branch, below }: { readonly branch: string; readonly below: MergeRequest | null },
    why: string,
  ): Promise<void> {
    const userId = actorId ?? request.author_id;
    const context = userId === null ? null : await delivery.actingAs(userId, request.project_id);
    if (!context || request.source_branch === branch) return;
    try {
      await service.update(context.subject, context.caller, request, {
        target_branch: branch,
        target_note: why,
        ...(below?.head_sha ? { stack_base_sha: below.head_sha } : {}),
      });
    } catch (error) {
      // The branch has a request into that target already, or is gone: this one stays as it is.
      if (error instanceof HttpError && error.status < 500) return;
      throw error;
    }
  }

  async function branchDeleted(fact: Fact<typeof pushed>, delivery: FactDelivery): Promise<void> {
    const branch = /^refs\/heads\/(.+)$/.exec(fact.payload.ref)?.[1];
    if (branch === undefined || fact.project_id === null || !/^0+$/.test(fact.payload.after)) return;
    for (const request of await requests.openIntoBranch(db, fact.project_id, branch)) {
      const context = await delivery.actingAs(fact.actor_id ?? request.author_id ?? 0, fact.project_id);
      if (!context || (await repository.branch(context.subject.project, branch)) !== null) continue;
      const target = await successor(context.subject.project, branch);
      const why = `deleted the \`${branch}\` branch. This merge request now targets the \`${target}\` branch`;
      if (target === null) continue;
      const below = await mergedFrom(db, fact.project_id, branch);
      await retarget(delivery, fact.actor_id, request, { branch: target, below }, why);
    }
  }

  /** A protected branch lives on after it was merged, and so do the requests into it. */
  async function baseMerged(fact: Fact<typeof mergeRequestFacts.merged>, delivery: FactDelivery): Promise<void> {
    const base = await requests.byId(db, fact.payload.merge_request_id);
    if (base?.state !== 'merged' || base.source_project_id !== base.project_id) return;
    for (const request of await requests.openIntoBranch(db, base.project_id, base.source_branch)) {
      const context = await delivery.actingAs(fact.actor_id ?? request.author_id ?? 0, base.project_id);
      if (!context) continue;
      const { project } = context.subject;
      if (base.source_branch === project.default_branch) return;
      if (await repository.isProtected(project, `refs/heads/${base.source_branch}`)) return;
      const why = `changed target branch from \`${base.source_branch}\` to \`${base.target_branch}\`: !${base.iid} was merged`;
      await retarget(delivery, fact.actor_id, request, { branch: base.target_branch, below: base }, why);
    }
  }

  return {
    name: 'merge-requests.retarget',
    handlers: [on(pushed, branchDeleted), on(mergeRequestFacts.merged, baseMerged)],
  };
}
