/** Rows of namespaces, projects and grants for factories. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../src/kernel/db/index.ts';
import type { Grant, Namespace, Project } from '../src/kernel/db/rows.ts';
import type { GrantsTable, NamespacesTable, ProjectsTable } from '../src/kernel/db/tables.ts';

type NamespaceValues = Omit<Insertable<NamespacesTable>, 'id' | 'traversal_ids'> & { readonly ancestors: number[] };

export async function insertNamespace(db: Db, { ancestors, ...values }: NamespaceValues): Promise<Namespace> {
  const next = sql<{ id: string }>`select nextval(pg_get_serial_sequence('namespaces', 'id')) as id`;
  const id = Number((await next.execute(db)).rows[0]?.id);
  return await db
    .insertInto('namespaces')
    .values({ ...values, id, traversal_ids: [...ancestors, id] })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function insertProject(db: Db, values: Insertable<ProjectsTable>): Promise<Project> {
  return await db.insertInto('projects').values(values).returningAll().executeTakeFirstOrThrow();
}

export async function insertGrant(db: Db, values: Insertable<GrantsTable>): Promise<Grant> {
  return await db.insertInto('grants').values(values).returningAll().executeTakeFirstOrThrow();
}

export async function personalNamespace(db: Db, userId: number): Promise<Namespace> {
  return await db
    .selectFrom('namespaces')
    .selectAll()
    .where('owner_id', '=', userId)
    .where('kind', '=', 'user')
    .executeTakeFirstOrThrow();
}

/** Lets the pipelines of branches fail, without a runner. */
export async function failPipelines(db: Db, projectId: number, branches: string): Promise<void> {
  await sql`update pipelines set status = 'failed' where project_id = ${projectId} and ref like ${branches}`.execute(
    db,
  );
}
