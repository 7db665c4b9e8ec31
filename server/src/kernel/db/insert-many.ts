/** Many rows at once: one parameter however many there are, which the database reads faster than a value each. */
import { sql } from 'kysely';
import { recordset } from './patterns.ts';
import type { Db } from './pool.ts';
import type { Database } from './tables.ts';

/**
 * Inserts rows in their order, but none that is there already. A column that one row has and another has not is null there:
 * nothing has its default. Answers what `returning` names of the new rows.
 */
export async function insertMany<Table extends keyof Database & string, Column extends keyof Database[Table] & string>(
  tx: Db,
  table: Table,
  rows: readonly object[],
  returning: readonly Column[] = [],
): Promise<Readonly<Record<Column, number>>[]> {
  if (rows.length === 0) return [];
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const answer = returning.length === 0 ? sql`` : sql` returning ${sql.join(returning.map((name) => sql.ref(name)))}`;
  const given = await sql<Record<Column, number>>`insert into ${sql.table(table)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${recordset(rows)}::json)
    on conflict do nothing${answer}`.execute(tx);
  return given.rows;
}
