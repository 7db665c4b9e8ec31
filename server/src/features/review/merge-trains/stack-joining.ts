/** Adding a stack to a merge train: a request with all that it stands on, in their order; all of them or none. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest, MergeTrainEntry } from '../../../kernel/db/rows.ts';
import { plainError } from '../../../kernel/http/errors.ts';
import type { LoadedCandidate, MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import { requestsById } from '../merge-requests/history.queries.ts';
import { requireByIid } from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies } from '../merge-requests/merge-requests.service.ts';
import type { MergeAcceptance } from '../merging/acceptance.ts';
import type { MergeOptions } from '../merging/merge-commits.ts';
import { stackOf } from '../stacks/stacks.queries.ts';
import type { Joined, MergeTrainService } from './merge-trains.service.ts';

/** A request as it is merged by the train of the request below: into that target, on top of that head. */
export const onTop = <T extends LoadedCandidate>(
  candidate: T,
  below: Pick<MergeRequest, 'head_sha'>,
  { target_branch }: Pick<MergeRequest, 'target_branch'>,
): T => ({ ...candidate, row: { ...candidate.row, target_branch, stack_base_sha: below.head_sha } });

export function stackJoining(
  { db, repository }: Pick<MergeRequestDependencies, 'db' | 'repository'>,
  checks: MergeCheckService,
  { atHead, mergerOf }: Pick<MergeAcceptance, 'atHead' | 'mergerOf'>,
  trains: Pick<MergeTrainService, 'joinAll'>,
  board: (entry: MergeTrainEntry) => Promise<void>,
) {
  /** From the lowest to the one that was asked for. */
  async function stackUpTo(projectId: number, iid: number): Promise<MergeRequest[]> {
    const row = await requireByIid(db, projectId, iid);
    const ids = (await stackOf(db, row)).filter(({ depth }) => depth <= 0).map(({ id }) => id);
    const rows = new Map((await requestsById(db, ids)).map((each) => [each.id, each]));
    return ids.flatMap((id) => rows.get(id) ?? []);
  }

  /** Each is checked as if it were to be merged into the target of the lowest. */
  return async function joinStack(
    subject: ProjectSubject,
    caller: Caller,
    iid: number,
    options: MergeOptions,
  ): Promise<Joined> {
    const stack = await stackUpTo(subject.project.id, iid);
    const target_branch = stack[0]?.target_branch ?? '';
    const merger = await mergerOf(subject, caller, { target_branch });
    const target = await repository.branch(subject.project, target_branch);
    const rows: MergeRequest[] = [];
    for (const [at, { id }] of stack.entries()) {
      const candidate = await atHead(await checks.load(subject, caller, { id }));
      const below = rows.at(-1);
      const heads = candidate.heads && target !== null ? { head: candidate.heads.head, target } : null;
      const facts = checks.knownFacts({ ...(below ? onTop(candidate, below, { target_branch }) : candidate), heads });
      await checks.requireImmediate(facts, at === stack.length - 1 ? options.sha : undefined);
      await checks.requireOnTrain(facts);
      rows.push(candidate.row);
    }
    const joined = await trains.joinAll(merger, rows, options);
    const top = joined.at(-1);
    if (!top) throw plainError(405, '405 Method Not Allowed');
    await board(top.entry);
    return top;
  };
}

export type JoinStack = ReturnType<typeof stackJoining>;
