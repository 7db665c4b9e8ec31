/**
 * The status of each merge request of a list. The same checks in the same order as for one, over facts that are loaded for
 * all of them at once: a constant number of statements, and nothing from git.
 */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { unresolvedThreads } from '../../collaboration/notes/index.ts';
import { approvedOfEach } from '../approvals/listed-approvals.ts';
import type { StateDependencies } from '../approvals/state.service.ts';
import { allPassedOfEach } from '../status-checks/status-checks.service.ts';
import type { MergeFactSources } from './list.ts';
import { type FactSource, firstRefusal, type LiveHeads, type MergeCheck } from './merge-check.ts';
import { type ListedCandidate, listedCandidates } from './merge-facts.queries.ts';

/** Says of a row that a list shows what its status is. */
export type ListedStatus = (row: Pick<MergeRequest, 'id'>) => string;

/** Asked for a fact that nobody has stored. */
class NotKnown extends Error {}

/** The commits that the mergeability which is stored is about; null where there is none, or it is of other commits. */
function triedHeads({ checked_against: commits, merge_status, head_sha }: MergeRequest): LiveHeads | null {
  if (merge_status !== 'can_be_merged' && merge_status !== 'cannot_be_merged') return null;
  const [target, head] = commits?.split(':') ?? [];
  return target && head && head === head_sha ? { target, head } : null;
}

/** What the row alone says where it says enough; null where the checks have to be asked. */
function statusOfRow(row: MergeRequest): string | null {
  if (row.state !== 'opened') return 'not_open';
  if (triedHeads(row) === null) return row.merge_status === 'checking' ? 'checking' : 'unchecked';
  if (row.merge_status === 'can_be_merged') return null;
  return row.has_conflicts ? 'conflict' : 'broken_status';
}

export function listedStatuses(
  { db, settings }: { readonly db: Db } & Pick<StateDependencies, 'settings'>,
  sources: MergeFactSources,
  checks: () => readonly MergeCheck[],
) {
  /** By source, what is known of each request. */
  async function factsOf(candidates: readonly ListedCandidate[]): Promise<Map<FactSource<unknown>, Facts>> {
    const where = (wanted: (rules: ListedCandidate['rules']) => boolean) =>
      candidates.flatMap(({ row, rules }) => (wanted(rules) ? [row] : []));
    const discussed = where((rules) => rules.only_allow_merge_if_all_discussions_are_resolved).map(({ id }) => id);
    const [open, approved, passed] = await Promise.all([
      unresolvedThreads(db, 'merge_request', discussed),
      approvedOfEach(
        { db, settings },
        where((rules) => rules.hasApprovalRules),
      ),
      allPassedOfEach(
        db,
        where((rules) => rules.only_allow_merge_if_all_status_checks_passed),
      ),
    ]);
    return new Map<FactSource<unknown>, Facts>([
      [sources.threads, new Map(discussed.map((id) => [id, !open.has(id)]))],
      [sources.approvals, approved],
      [sources.statusChecks, passed],
      [
        sources.divergence,
        new Map(
          candidates.flatMap(({ row: { id, checked_behind: behind } }) => (behind === null ? [] : [[id, { behind }]])),
        ),
      ],
      [sources.lock, new Map(candidates.flatMap(({ row, hasLocks }) => (hasLocks ? [] : [[row.id, null]])))],
    ]);
  }

  async function judged(candidate: ListedCandidate, known: ReadonlyMap<FactSource<unknown>, Facts>): Promise<string> {
    const { row } = candidate;
    const get = async <T>(source: FactSource<T>): Promise<T> => {
      const facts = known.get(source);
      if (!facts?.has(row.id)) throw new NotKnown();
      return facts.get(row.id) as T;
    };
    const trial = async () => ({ hasConflicts: false, empty: false });
    try {
      const refusal = await firstRefusal({ ...candidate, heads: triedHeads(row), get, trial }, checks());
      return refusal?.status ?? 'mergeable';
    } catch (error) {
      if (error instanceof NotKnown) return 'checking';
      throw error;
    }
  }

  /** Locks of the caller's own are in nobody's way. */
  return async function statusesOf(
    rows: readonly MergeRequest[],
    caller: Pick<Caller, 'user'> | null,
  ): Promise<ListedStatus> {
    const statuses = new Map(rows.map((row) => [row.id, statusOfRow(row)]));
    const open = rows.filter(({ id }) => statuses.get(id) === null);
    const candidates = await listedCandidates(db, open, caller?.user?.id ?? null);
    const known = await factsOf(candidates);
    for (const candidate of candidates) statuses.set(candidate.row.id, await judged(candidate, known));
    // One that was removed while it was listed.
    return ({ id }) => statuses.get(id) ?? 'not_open';
  };
}
type Facts = ReadonlyMap<number, unknown>;

export type ListedStatuses = ReturnType<typeof listedStatuses>;
