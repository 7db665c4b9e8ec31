/** Failed pipelines that somebody has to look after: theirs, of late, and the newest of their ref. */
import { type RawBuilder, sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { grantHolds } from '../../namespaces/index.ts';

/** Older ones are nobody's work any more. */
const days = 30;

export interface FailedPipelineRow extends Pipeline {
  readonly project_name: string;
  readonly project_path: string;
  readonly namespace_full_name: string;
  readonly namespace_full_path: string;
}

/** Of projects where the user is a member now; those of merge requests only while they are open. */
const failedOf = (userId: number): RawBuilder<unknown> => sql`from pipelines p
  join projects j on j.id = p.project_id join namespaces n on n.id = j.namespace_id
  where p.user_id = ${userId} and p.status = 'failed' and p.source <> 'parent_pipeline'
    and p.created_at > now() - make_interval(days => ${days})
    and not exists (
      select from pipelines newer where newer.project_id = p.project_id and newer.ref = p.ref and newer.id > p.id
        and newer.source <> 'parent_pipeline'
    )
    and (p.merge_request_id is null
      or exists (select from merge_requests m where m.id = p.merge_request_id and m.state = 'opened'))
    and exists (
      select from grants g where g.user_id = ${userId} and g.level >= ${Level.reporter}
        and (g.project_id = j.id or g.namespace_id = any (n.traversal_ids)) and ${grantHolds('g')}
    )`;

export async function listFailedPipelines(
  db: Db,
  userId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: FailedPipelineRow[]; total: number }> {
  const listed = sql<FailedPipelineRow>`select p.*, j.name as project_name, j.path as project_path,
      n.full_name as namespace_full_name, n.full_path as namespace_full_path
    ${failedOf(userId)} order by p.id desc limit ${page.limit} offset ${page.offset}`;
  const [{ rows }, total] = await Promise.all([listed.execute(db), countFailedPipelines(db, userId)]);
  return { rows, total };
}

export const countFailedPipelines = (db: Db, userId: number): Promise<number> =>
  countUpTo(db, { limit: (most) => sql`select p.id ${failedOf(userId)} limit ${most}` });
