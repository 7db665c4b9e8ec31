/** Rebasing: the source branch of a merge request is made anew on top of its target, in the background. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { forbidden, HttpError, plainError, unauthorized, unprocessable } from '../../../kernel/http/errors.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { stackBase } from '../../repository/index.ts';
import * as queries from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import { ofFork, type RequestSources } from '../merge-requests/sources.ts';

const task = { name: 'merge-requests.rebase', maxAttempts: 5 };
/** A rebase of which nothing was heard for so long has ended, whatever became of it. */
const longestMinutes = 60;
const conflicts = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.';

/** Whether one was asked for and has not ended. */
export function rebaseInProgress({ rebase_started_at: at }: Pick<MergeRequest, 'rebase_started_at'>): boolean {
  return at !== null && Date.now() - at.getTime() < longestMinutes * 60_000;
}

type Dependencies = Pick<
  MergeRequestDependencies,
  'db' | 'repository' | 'project' | 'projectAs' | 'actingAs' | 'changed' | 'log'
>;

export function rebasing(deps: Dependencies, sources: RequestSources, service: Pick<MergeRequestService, 'follow'>) {
  const { db, repository } = deps;

  /** Why the caller may not have the source branch moved; null where they may. */
  async function refusal(source: ProjectSubject | null, row: MergeRequest, caller: Caller): Promise<string | null> {
    const { source_branch: branch } = row;
    if (!source || (await repository.branch(source.project, branch)) === null) return 'Source branch does not exist';
    const may =
      (await repository.mayPush(source, caller, branch)) || (await sources.collaborates(source, caller)).has(branch);
    if (!may) return 'Cannot push to source branch';
    if (!(await repository.mayBeForced(source.project, branch))) return 'Source branch is protected from force push';
    return null;
  }

  /** Asks for one: 403 for who may not push, 409 while another runs. */
  async function start(caller: Caller, row: MergeRequest, skipCi: boolean): Promise<void> {
    const userId = caller.user?.id;
    if (userId === undefined) throw unauthorized();
    if (row.state !== 'opened') throw forbidden('The merge request is not open');
    const source = row.source_project_id === null ? null : await deps.projectAs(row.source_project_id, caller);
    const reason = await refusal(source, row, caller);
    if (reason !== null) throw forbidden(reason);
    await transaction(db, async (tx) => {
      const now = await queries.lockById(tx, row.id);
      if (now?.state !== 'opened') throw forbidden('The merge request is not open');
      if (rebaseInProgress(now)) throw plainError(409, 'A rebase of the merge request is in progress already.');
      const changed = await queries.updateRow(tx, row.id, { rebase_started_at: new Date(), merge_error: null });
      await addJob(tx, task, { merge_request_id: row.id, user_id: userId, skip_ci: skipCi });
      await deps.changed(tx, changed);
    });
  }

  async function ended(id: number, error: string | null): Promise<void> {
    await transaction(db, async (tx) => {
      const row = await queries.lockById(tx, id);
      if (row?.rebase_started_at == null) return;
      const changed = await queries.updateRow(tx, id, { rebase_started_at: null, merge_error: error });
      await deps.changed(tx, changed);
    });
  }

  /** Moves the branch; done again after it was moved it finds nothing to do. */
  async function rebase(row: MergeRequest, userId: number, skipCi: boolean): Promise<void> {
    const context = await deps.actingAs(userId, row.source_project_id ?? 0);
    const target = await deps.project(row.project_id);
    const user = context?.caller.user;
    if (!context || !target || !user) throw forbidden('Cannot push to source branch');
    const { caller, subject: source } = context;
    const reason = await refusal(source, row, caller);
    if (reason !== null) throw forbidden(reason);
    const onto = await repository.branch(target, row.target_branch);
    if (onto === null) throw unprocessable('Target branch does not exist');
    const ref = `refs/heads/${row.source_branch}`;
    const held = `refs/keep-around/${onto}`;
    if (ofFork(row)) {
      await repository.carry(source.project, target, onto);
      await repository.keepRef(db, source.project, held, onto);
    }
    let moved: string | null = null;
    try {
      await repository.write({
        subject: source,
        caller,
        kind: 'api',
        pushOptions: skipCi ? ['ci.skip'] : [],
        async build(bench) {
          const head = await repository.branch(source.project, row.source_branch);
          if (head === null) throw unprocessable('Source branch does not exist');
          const committer = { name: user.name, email: user.commit_email ?? user.email };
          const below = await stackBase(repository, source.project, row, { target: onto, head });
          const tip = await bench.rebase(head, onto, committer, below);
          if (tip === null) throw unprocessable(conflicts);
          moved = tip;
          return tip === head ? [] : [{ ref, before: head, after: tip }];
        },
      });
    } finally {
      if (ofFork(row)) await repository.keepRef(db, source.project, held, null);
    }
    // Whoever reads that the rebase has ended reads the new head as well.
    if (moved !== null)
      await service.follow(source.project.id, row.source_branch, moved, userId, skipCi ? { skip_ci: true } : {});
  }

  const tasks: readonly Task[] = [
    defineTask(
      task.name,
      Type.Object({ merge_request_id: Type.Integer(), user_id: Type.Integer(), skip_ci: Type.Boolean() }),
      async ({ merge_request_id: id, user_id, skip_ci }, { attempt, maxAttempts }) => {
        const row = await queries.byId(db, id);
        if (row?.rebase_started_at == null) return;
        try {
          if (row.state === 'opened') await rebase(row, user_id, skip_ci);
        } catch (error) {
          const told = error instanceof HttpError && error.status < 500 ? error.message : null;
          if (told === null && attempt < maxAttempts) throw error;
          if (told === null) deps.log.error({ err: error, merge_request: id }, 'a rebase failed');
          await ended(id, told ?? 'Rebase failed: try again later.');
          return;
        }
        await ended(id, null);
      },
      { maxAttempts: task.maxAttempts, timeout: 600_000 },
    ),
  ];

  return { start, tasks };
}
