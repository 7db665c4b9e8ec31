/** Imports of projects as lists: those of one person, and all. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { allOf, projectScope, type Sql, withTables } from '../../namespaces/index.ts';

export const importStatuses = ['scheduled', 'started', 'finished', 'failed', 'canceled'] as const;

export interface ListedImport {
  readonly project_id: number;
  readonly name: string;
  readonly path_with_namespace: string;
  readonly import_type: string | null;
  readonly import_status: (typeof importStatuses)[number];
  readonly import_error: string | null;
  readonly source: string | null;
  readonly stages: readonly string[];
  readonly done_stages: readonly string[];
  readonly stats: unknown;
  readonly failures: number;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly username: string | null;
}

export interface ImportFilter {
  /** Whose they are; everybody's without. */
  readonly userId: number | null;
  readonly status: string | null;
}

/** Newest first: of projects that the caller sees. */
export async function listImports(
  db: Db,
  caller: Caller,
  { userId, status }: ImportFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: ListedImport[]; total: number }> {
  const scope = projectScope(caller, { minimum: null });
  const where: Sql[] = [
    ...(userId === null ? [] : [sql`i.user_id = ${userId}`]),
    status === null ? sql`p.import_status <> 'none'` : sql`p.import_status = ${status}`,
    scope.condition,
  ];
  const from = sql`from project_imports i join projects p on p.id = i.project_id
    join namespaces n on n.id = p.namespace_id where ${allOf(where)}`;
  const tables = withTables(scope.tables);
  const [{ rows }, total] = await Promise.all([
    sql<ListedImport>`${tables} select i.project_id, p.name, n.full_path || '/' || p.path as path_with_namespace,
      p.import_type, p.import_status, p.import_error, i.source, i.stages, i.done_stages, i.stats,
      jsonb_array_length(i.failures)::int as failures, i.created_at, i.finished_at,
      (select u.username from users u where u.id = i.user_id) as username
      ${from} order by i.project_id desc limit ${page.limit} offset ${page.offset}`.execute(db),
    countUpTo(db, { limit: (most) => sql<unknown>`${tables} select 1 ${from} limit ${most}` }),
  ]);
  return { rows, total };
}
