/** External status checks of projects, and what they said of merge requests. */
import { sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ExternalStatusChecksTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { CheckStatus } from './status-checks.entity.ts';

export interface CheckBranch {
  readonly id: number;
  readonly name: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly code_owner_approval_required: boolean;
}

export interface StatusCheck {
  readonly id: number;
  readonly project_id: number;
  readonly name: string;
  readonly external_url: string;
  readonly shared_secret_encrypted: Buffer | null;
  /** The protected branches that it is for; all when there are none. */
  readonly branches: readonly CheckBranch[];
}

type CheckRow = Omit<StatusCheck, 'branches'>;
const columns = ['id', 'project_id', 'name', 'external_url', 'shared_secret_encrypted'] as const;

async function withBranches(db: Db, checks: readonly CheckRow[]): Promise<StatusCheck[]> {
  if (checks.length === 0) return [];
  const rows = await db
    .selectFrom('external_status_check_branches as link')
    .innerJoin('protected_branches as branch', 'branch.id', 'link.protected_branch_id')
    .select([
      'link.check_id',
      'branch.id',
      'branch.name',
      'branch.created_at',
      'branch.updated_at',
      'branch.code_owner_approval_required',
    ])
    .where(
      'link.check_id',
      'in',
      checks.map(({ id }) => id),
    )
    .orderBy('branch.id')
    .execute();
  return checks.map((check) => ({
    ...check,
    branches: rows.flatMap(({ check_id, ...branch }) => (check_id === check.id ? [branch] : [])),
  }));
}

export async function listChecks(
  db: Db,
  projectId: number,
  window?: { readonly limit: number; readonly offset: number },
): Promise<StatusCheck[]> {
  let query = db.selectFrom('external_status_checks').select(columns).where('project_id', '=', projectId).orderBy('id');
  if (window) query = query.limit(window.limit).offset(window.offset);
  return await withBranches(db, await query.execute());
}

/** Those of several projects. */
export async function checksOf(db: Db, projectIds: readonly number[]): Promise<StatusCheck[]> {
  const query = db
    .selectFrom('external_status_checks')
    .select(columns)
    .where('project_id', 'in', [...projectIds]);
  return await withBranches(db, await query.orderBy('id').execute());
}

/** How many there are, counted up to one more than is ever told. */
export const countChecks = (db: Db, projectId: number): Promise<number> =>
  countUpTo(db, db.selectFrom('external_status_checks').select('id').where('project_id', '=', projectId));

export async function findCheck(db: Db, projectId: number, id: number): Promise<StatusCheck | undefined> {
  const rows = await db
    .selectFrom('external_status_checks')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
  return (await withBranches(db, rows))[0];
}

export async function insertCheck(
  tx: Db,
  check: Pick<CheckRow, 'project_id' | 'name' | 'external_url' | 'shared_secret_encrypted'>,
): Promise<number> {
  const row = await tx.insertInto('external_status_checks').values(check).returning('id').executeTakeFirstOrThrow();
  return row.id;
}

export async function updateCheck(tx: Db, id: number, changes: Updateable<ExternalStatusChecksTable>): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  await tx.updateTable('external_status_checks').set(changes).where('id', '=', id).execute();
}

/** False when somebody else was faster. */
export async function deleteCheck(tx: Db, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('external_status_checks').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Replaces the branches that a check is for; false when one of them is not a protected branch of the project. */
export async function setBranches(tx: Db, projectId: number, id: number, ids: readonly number[]): Promise<boolean> {
  const wanted = [...new Set(ids)];
  // Those who replace them at the same time do so one after the other.
  await tx.selectFrom('external_status_checks').select('id').where('id', '=', id).forUpdate().execute();
  await tx.deleteFrom('external_status_check_branches').where('check_id', '=', id).execute();
  if (wanted.length === 0) return true;
  const known = await tx
    .selectFrom('protected_branches')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', 'in', wanted)
    .forKeyShare()
    .execute();
  if (known.length < wanted.length) return false;
  await tx
    .insertInto('external_status_check_branches')
    .values(wanted.map((branchId) => ({ check_id: id, protected_branch_id: branchId })))
    .execute();
  return true;
}

/** What each check said last of a commit of a merge request. */
export async function latestResponses(db: Db, mergeRequestId: number, sha: string): Promise<Map<number, CheckStatus>> {
  return (await latestResponsesOf(db, [{ id: mergeRequestId, sha }])).get(mergeRequestId) ?? new Map();
}

/** The same of several merge requests, by their ids. */
export async function latestResponsesOf(
  db: Db,
  requests: readonly { readonly id: number; readonly sha: string }[],
): Promise<Map<number, Map<number, CheckStatus>>> {
  const { rows } = await sql<{ id: number; check_id: number; status: CheckStatus }>`
    select distinct on (r.merge_request_id, r.check_id) r.merge_request_id as id, r.check_id, r.status
    from unnest(${requests.map(({ id }) => id)}::bigint[], ${requests.map(({ sha }) => sha)}::text[]) w (id, sha)
      join status_check_responses r on r.merge_request_id = w.id and r.sha = w.sha
    order by r.merge_request_id, r.check_id, r.id desc`.execute(db);
  const said = new Map<number, Map<number, CheckStatus>>();
  for (const { id, check_id, status } of rows)
    said.set(id, (said.get(id) ?? new Map<number, CheckStatus>()).set(check_id, status));
  return said;
}

/** Null when the check or the merge request has gone meanwhile. */
export async function insertResponse(
  tx: Db,
  values: {
    readonly merge_request_id: number;
    readonly check_id: number;
    readonly sha: string;
    readonly status: CheckStatus;
  },
): Promise<number | null> {
  const there = await tx
    .selectFrom('external_status_checks')
    .select('id')
    .where('id', '=', values.check_id)
    .forKeyShare()
    .executeTakeFirst();
  if (!there) return null;
  const row = await tx.insertInto('status_check_responses').values(values).returning('id').executeTakeFirstOrThrow();
  return row.id;
}
