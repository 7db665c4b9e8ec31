/** Webhooks of a project as archives hold them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

type Maybe<T> = T | null | undefined;

export interface HookLine {
  readonly name?: Maybe<string>;
  readonly description?: Maybe<string>;
  readonly url: string;
  readonly events: readonly string[];
  readonly push_events_branch_filter?: Maybe<string>;
  readonly branch_filter_strategy: 'wildcard' | 'regex' | 'all_branches';
  readonly enable_ssl_verification: boolean;
}

/** Without tokens, headers and bodies of their own; those with secret parts in the address stay behind. */
export async function hooksOf(db: Db, projectId: number): Promise<HookLine[]> {
  return await db
    .selectFrom('web_hooks')
    .select(['name', 'description', 'url', 'events', 'push_events_branch_filter', 'branch_filter_strategy'])
    .select('enable_ssl_verification')
    .where('project_id', '=', projectId)
    .where(sql<boolean>`url_variable_keys = '{}'`)
    .orderBy('id')
    .execute();
}

export async function insertHook(tx: Db, projectId: number, row: HookLine): Promise<null> {
  await tx
    .insertInto('web_hooks')
    .values({
      ...row,
      name: row.name ?? null,
      description: row.description ?? null,
      push_events_branch_filter: row.push_events_branch_filter ?? null,
      events: [...row.events],
      project_id: projectId,
    })
    .execute();
  return null;
}
