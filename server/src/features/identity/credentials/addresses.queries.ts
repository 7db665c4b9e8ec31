/** Rows of `user_addresses`: only of instances that limit them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Keeps that a person acts from an address; false where it is one too many, which is not kept. */
export async function admitAddress(
  db: Db,
  userId: number,
  address: string,
  { most, seconds }: { readonly most: number; readonly seconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    with others as (
      select count(*) as count from user_addresses
      where user_id = ${userId} and address <> ${address} and seen_at > now() - make_interval(secs => ${seconds}))
    insert into user_addresses (user_id, address)
    select ${userId}::bigint, ${address}::text from others where count < ${most}
    on conflict (user_id, address) do update set seen_at = excluded.seen_at
    returning 1`.execute(db);
  return rows.length > 0;
}

/** What no window reaches back to any more. */
export async function forgetAddresses(db: Db, seconds: number): Promise<void> {
  await db
    .deleteFrom('user_addresses')
    .where('seen_at', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .execute();
}
