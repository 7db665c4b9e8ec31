/** SQL of the host keys. */
import type { Db } from '../../kernel/db/index.ts';

/** Keeps the value if there is none yet; the one that is kept, whoever came first. */
export async function claimHostKeys(db: Db, value: unknown): Promise<unknown> {
  await db
    .insertInto('instance_state')
    .values({ key: 'ssh_host_keys', value: JSON.stringify(value) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  return await findHostKeys(db);
}

/** Undefined when there are none. */
export async function findHostKeys(db: Db): Promise<unknown> {
  const row = await db
    .selectFrom('instance_state')
    .select('value')
    .where('key', '=', 'ssh_host_keys')
    .executeTakeFirst();
  return row?.value;
}
