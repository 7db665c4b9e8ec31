/** What the groups above a place say of who may become a member, and whether they send mail. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface EntryTerms {
  /** Projects take no members of their own. */
  readonly locked: boolean;
  /** Comma-separated domains that addresses must have; of the top-level group. */
  readonly domains: string | null;
}

export async function entryTerms(db: Db, namespaceIds: readonly number[]): Promise<EntryTerms> {
  const { rows } = await sql<EntryTerms>`select bool_or(n.membership_lock) as locked,
      max(n.allowed_email_domains_list) filter (where n.parent_id is null) as domains
    from namespaces n where n.id = any(${[...namespaceIds]}::bigint[])`.execute(db);
  return rows[0] ?? { locked: false, domains: null };
}

/** Domains of the confirmed addresses of somebody, lower case. */
export async function confirmedDomains(db: Db, userId: number): Promise<string[]> {
  const { rows } = await sql<{ domain: string }>`
    select lower(substring(a.email from '@([^@]*)$')) as domain from (
      select email from users where id = ${userId} and confirmed_at is not null
      union select email from emails where user_id = ${userId} and confirmed_at is not null) a`.execute(db);
  return rows.map(({ domain }) => domain);
}

/** Whether people are told by mail of what happens here: not where the project or a group above switched it off. */
export async function sendsMail(
  db: Db,
  place: { readonly kind: 'group' | 'project'; readonly id: number; readonly namespaceIds: readonly number[] },
): Promise<boolean> {
  const { rows } = await sql<{ off: boolean }>`select exists (
      select from namespaces where id = any(${[...place.namespaceIds]}::bigint[]) and kind = 'group' and not emails_enabled)
    or exists (select from projects where id = ${place.kind === 'project' ? place.id : null}::bigint
      and not emails_enabled) as off`.execute(db);
  return !rows[0]?.off;
}
