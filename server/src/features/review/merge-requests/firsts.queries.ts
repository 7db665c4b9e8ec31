/** SQL of what happened to a merge request, or through it, for the first time. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';

export interface Firsts {
  /** When it was first deployed to a production environment; null before. */
  readonly deployed: Date | null;
  /** Whether no other request of the author was merged in the project before it. */
  readonly contribution: boolean;
}

export async function firstsOf(db: Db, row: Pick<MergeRequest, 'id' | 'project_id' | 'author_id' | 'merged_at'>) {
  const { rows } = await sql<Firsts>`
    select (
      select min(d.finished_at) from deployment_merge_requests k join deployments d on d.id = k.deployment_id
        join environments e on e.id = d.environment_id
      where k.merge_request_id = ${row.id} and d.status = 'success' and e.tier = 'production'
    ) as deployed, not exists (
      select from merge_requests m where m.project_id = ${row.project_id} and m.author_id = ${row.author_id}
        and m.state = 'merged' and m.id <> ${row.id}
        and (${row.merged_at}::timestamptz is null or m.merged_at < ${row.merged_at})
    ) as contribution`.execute(db);
  return rows[0] ?? { deployed: null, contribution: false };
}
