/** SQL of what happened to a merge request, or through it, for the first time. */
import { type RawBuilder, sql } from 'kysely';

export interface Firsts {
  /** When it was first deployed to a production environment; null before. */
  readonly deployed: Date | null;
  /** Whether no other request of the author was merged in the project before it. */
  readonly contribution: boolean;
}

/** As JSON, over a row `r` of `merge_requests`: read along with others, where one request is shown. */
export const firsts: RawBuilder<{ deployed: string | null; contribution: boolean }> = sql`jsonb_build_object(
  'deployed', (
    select min(d.finished_at) from deployment_merge_requests k join deployments d on d.id = k.deployment_id
      join environments e on e.id = d.environment_id
    where k.merge_request_id = r.id and d.status = 'success' and e.tier = 'production'
  ), 'contribution', not exists (
    select from merge_requests m where m.project_id = r.project_id and m.author_id = r.author_id
      and m.state = 'merged' and m.id <> r.id and (r.merged_at is null or m.merged_at < r.merged_at)
  ))`;
