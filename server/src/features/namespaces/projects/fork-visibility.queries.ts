/** Forks beside the projects that they are of: both with their visibilities. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

/** The visibility of a project, which nobody changes before the transaction ends. */
export async function heldVisibility(tx: Db, projectId: number): Promise<Project['visibility'] | undefined> {
  const row = await tx
    .selectFrom('projects')
    .select('visibility')
    .where('id', '=', projectId)
    .forShare()
    .executeTakeFirst();
  return row?.visibility;
}

/** Forks of these projects, and forks of those, that are too open; locked, in the order of their ids. */
export async function lockOpenForks(
  tx: Db,
  sourceIds: readonly number[],
  tooOpen: ReadonlyArray<Project['visibility']>,
): Promise<Array<{ project: Project; namespace: Namespace }>> {
  const forks = sql<number>`(
    with recursive forks (id) as (
      select id from projects where forked_from_project_id = any (${[...sourceIds]}::bigint[])
      union select projects.id from projects join forks on projects.forked_from_project_id = forks.id
    ) select id from forks)`;
  const projects = await tx
    .selectFrom('projects')
    .selectAll()
    .where('id', 'in', forks)
    .where('visibility', 'in', [...tooOpen])
    .orderBy('id')
    .forUpdate()
    .execute();
  if (projects.length === 0) return [];
  const namespaces = await tx
    .selectFrom('namespaces')
    .selectAll()
    .where(
      'id',
      'in',
      projects.map((project) => project.namespace_id),
    )
    .execute();
  const byId = new Map(namespaces.map((namespace) => [namespace.id, namespace]));
  return projects.flatMap((project) => {
    const namespace = byId.get(project.namespace_id);
    return namespace ? [{ project, namespace }] : [];
  });
}

export async function setVisibility(tx: Db, ids: readonly number[], visibility: Project['visibility']): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ visibility, updated_at: sql`now()` })
    .where('id', 'in', [...ids])
    .execute();
}
