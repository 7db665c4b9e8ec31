/** Figures of the whole instance: storage, accounts and jobs. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { nearestSaid } from '../../namespaces/index.ts';

const largestProjects = 10;

interface Sizes {
  readonly repository: number;
  readonly wiki: number;
  readonly lfs_objects: number;
  readonly job_artifacts: number;
  readonly pipeline_artifacts: number;
  readonly snippets: number;
  readonly uploads: number;
}

/** Bytes of all projects by kind. */
export async function storageByKind(db: Db): Promise<Sizes & { readonly code_index: number }> {
  const { rows } = await sql<Sizes & { readonly code_index: number }>`
    select coalesce(sum(repository_size), 0)::bigint as repository, coalesce(sum(wiki_size), 0)::bigint as wiki,
      coalesce(sum(lfs_objects_size), 0)::bigint as lfs_objects,
      coalesce(sum(job_artifacts_size), 0)::bigint as job_artifacts,
      coalesce(sum(pipeline_artifacts_size), 0)::bigint as pipeline_artifacts,
      coalesce(sum(snippets_size), 0)::bigint as snippets, coalesce(sum(uploads_size), 0)::bigint as uploads,
      (select coalesce(sum(bytes), 0)::bigint from code_indexes) as code_index
    from project_statistics`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database has no sums');
  return row;
}

export interface LargeProject extends Sizes {
  readonly id: number;
  readonly path_with_namespace: string;
  readonly storage_size: number;
  /** Bytes, of the project or the nearest group above; null where neither has one. */
  readonly repository_size_limit: number | null;
}

/** The projects that take most. */
export async function projectsByStorage(db: Db): Promise<LargeProject[]> {
  const { rows } = await sql<LargeProject>`
    select p.id, n.full_path || '/' || p.path as path_with_namespace, s.storage_size,
      coalesce(p.repository_size_limit, ${nearestSaid('repository_size_limit')}) as repository_size_limit,
      s.repository_size as repository, s.wiki_size as wiki, s.lfs_objects_size as lfs_objects,
      s.job_artifacts_size as job_artifacts, s.pipeline_artifacts_size as pipeline_artifacts,
      s.snippets_size as snippets, s.uploads_size as uploads
    from project_statistics s join projects p on p.id = s.project_id join namespaces n on n.id = p.namespace_id
    where s.storage_size > 0 order by s.storage_size desc, p.id limit ${largestProjects}`.execute(db);
  return rows;
}

export interface AccountNumbers {
  readonly active: number;
  readonly blocked: number;
  readonly pending: number;
  readonly bots: number;
}

export async function accountNumbers(db: Db): Promise<AccountNumbers> {
  const { rows } = await sql<AccountNumbers>`
    select count(*) filter (where user_type = 'human' and state = 'active')::int as active,
      count(*) filter (where user_type = 'human' and state = 'blocked_pending_approval')::int as pending,
      count(*) filter (where user_type = 'human' and state not in ('active', 'blocked_pending_approval'))::int as blocked,
      count(*) filter (where user_type not in ('human', 'ghost'))::int as bots
    from users`.execute(db);
  return rows[0] ?? { active: 0, blocked: 0, pending: 0, bots: 0 };
}

export interface JobNumbers {
  readonly jobs: number;
  readonly failed: number;
  readonly seconds: number;
  readonly running: number;
  readonly pending: number;
  readonly oldest_pending_at: Date | null;
}

/** Jobs that began this month, and those that run or wait now. */
export async function jobNumbers(db: Db): Promise<JobNumbers> {
  const { rows } = await sql<JobNumbers>`
    select month.*, (select count(*)::int from jobs where status in ('running', 'canceling')) as running,
      waiting.pending, waiting.oldest_pending_at
    from (select count(*)::int as jobs, count(*) filter (where status = 'failed')::int as failed,
        coalesce(round(sum(extract(epoch from coalesce(finished_at, now()) - started_at))), 0)::bigint as seconds
      from jobs where started_at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC') month,
      (select count(*)::int as pending, min(coalesce(queued_at, created_at)) as oldest_pending_at
      from jobs where status = 'pending') waiting`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database has no jobs');
  return row;
}
