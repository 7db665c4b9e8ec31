/** Projects in which nothing has happened for a long time, and who looks after them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';

/** Which projects are inactive, and since when their people must have been warned. */
export interface InactiveSince {
  /** Months without activity. */
  readonly months: number;
  /** Months since the warning; null for those that have not been warned since they were last active. */
  readonly warned: number | null;
  /** Bytes that they must exceed. */
  readonly size: number;
}

const matching = ({ months, warned, size }: InactiveSince) => sql<boolean>`
  p.marked_for_deletion_on is null and p.last_activity_at < now() - make_interval(months => ${months}::int)
  and ${
    warned === null
      ? sql`(p.inactivity_warned_at is null or p.inactivity_warned_at < p.last_activity_at)`
      : sql`p.inactivity_warned_at >= p.last_activity_at
          and p.inactivity_warned_at <= now() - make_interval(months => ${warned}::int)`
  }
  and ${
    size === 0
      ? sql`true`
      : sql`exists (select from project_statistics s where s.project_id = p.id and s.storage_size > ${size})`
  }`;

export interface InactiveProject {
  readonly id: number;
  readonly name: string;
  readonly full_path: string;
  readonly last_activity_at: Date;
}

/** A batch of them behind an id. Groups that are removed take theirs with them. */
export async function listInactive(db: Db, since: InactiveSince, behind: number): Promise<InactiveProject[]> {
  const { rows } = await sql<InactiveProject>`
    select p.id, p.name, n.full_path || '/' || p.path as full_path, p.last_activity_at
    from projects p join namespaces n on n.id = p.namespace_id
    where p.id > ${behind} and ${matching(since)}
      and not exists (select from namespaces a where a.id = any (n.traversal_ids) and a.marked_for_deletion_on is not null)
    order by p.id limit 100`.execute(db);
  return rows;
}

/** The project, held until the transaction ends; undefined where it is no longer one of them. */
export async function stillInactive(tx: Db, id: number, since: InactiveSince): Promise<Project | undefined> {
  const { rows } = await sql<Project>`
    select p.* from projects p where p.id = ${id} and ${matching(since)} for no key update`.execute(tx);
  return rows[0];
}

export async function markWarned(tx: Db, id: number): Promise<void> {
  await tx.updateTable('projects').set({ inactivity_warned_at: sql`now()` }).where('id', '=', id).execute();
}
