/** Rows of `namespace_custom_attributes` and `project_custom_attributes`: what administrators note of groups and projects. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export type AttributedKind = 'group' | 'project';
export interface CustomAttributeValue {
  readonly key: string;
  readonly value: string;
}

/** The tables are two, because each has a foreign key of its own. */
const places = {
  group: { table: sql.table('namespace_custom_attributes'), column: sql.ref('namespace_id') },
  project: { table: sql.table('project_custom_attributes'), column: sql.ref('project_id') },
} as const;

/** Attributes of each of the ids, in the order of their keys. */
export async function customAttributesOf(
  db: Db,
  kind: AttributedKind,
  ids: readonly number[],
): Promise<Map<number, CustomAttributeValue[]>> {
  const found = new Map<number, CustomAttributeValue[]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return found;
  const { table, column } = places[kind];
  const { rows } = await sql<CustomAttributeValue & { id: number }>`
    select ${column} as id, key, value from ${table} where ${column} = any(${[...ids]}::bigint[]) order by key`.execute(
    db,
  );
  for (const { id, key, value } of rows) found.get(id)?.push({ key, value });
  return found;
}

export async function findCustomAttribute(
  db: Db,
  kind: AttributedKind,
  id: number,
  key: string,
): Promise<string | null> {
  const { table, column } = places[kind];
  const { rows } = await sql<{ value: string }>`
    select value from ${table} where ${column} = ${id} and key = ${key}`.execute(db);
  return rows[0]?.value ?? null;
}

export async function saveCustomAttribute(
  tx: Db,
  kind: AttributedKind,
  id: number,
  { key, value }: CustomAttributeValue,
): Promise<void> {
  const { table, column } = places[kind];
  await sql`insert into ${table} (${column}, key, value) values (${id}, ${key}, ${value})
    on conflict (${column}, key) do update set value = excluded.value`.execute(tx);
}

/** False when there is none of the name. */
export async function deleteCustomAttribute(tx: Db, kind: AttributedKind, id: number, key: string): Promise<boolean> {
  const { table, column } = places[kind];
  const { rows } = await sql`delete from ${table} where ${column} = ${id} and key = ${key} returning key`.execute(tx);
  return rows.length > 0;
}

/** Condition on the column of ids: it has each of the values. */
export function hasCustomAttributes(
  kind: AttributedKind,
  id: RawBuilder<unknown>,
  wanted: Readonly<Record<string, string>>,
): RawBuilder<unknown>[] {
  const { table, column } = places[kind];
  return Object.entries(wanted).map(
    ([key, value]) => sql`${id} in (select ${column} from ${table} where key = ${key} and value = ${value})`,
  );
}
