/** What is kept of the last commits of directories. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface KeptLastCommits {
  readonly path: string;
  /** Null for one that is still to be found. */
  readonly commit: string | null;
  /** Commit by name of the entry. */
  readonly entries: Readonly<Record<string, string>>;
}

const digestOf = (path: string): Buffer => createHash('sha256').update(path).digest();

export async function keptOf(db: Db, projectId: number, path: string): Promise<KeptLastCommits | null> {
  const row = await db
    .selectFrom('kept_last_commits')
    .select(['path', 'commit', 'entries'])
    .where('project_id', '=', projectId)
    .where('path_digest', '=', digestOf(path))
    .executeTakeFirst();
  return (row as KeptLastCommits | undefined) ?? null;
}

/** Directories of which something is kept, with the commit that it is for; null for those that are still to be found. */
export async function keptCommits(db: Db, projectId: number): Promise<Map<string, string | null>> {
  const rows = await db
    .selectFrom('kept_last_commits')
    .select(['path', 'commit'])
    .where('project_id', '=', projectId)
    .execute();
  return new Map(rows.map(({ path, commit }) => [path, commit]));
}

/** Keeps an answer; of a directory that is new only while there are fewer than `most`. */
export async function keep(db: Db, projectId: number, kept: KeptLastCommits, most: number): Promise<void> {
  const { path, commit, entries } = kept;
  // A project that is gone meanwhile keeps nothing.
  await sql`
    insert into kept_last_commits (project_id, path_digest, path, commit, entries)
    select id, ${digestOf(path)}, ${path}, ${commit}, ${JSON.stringify(entries)}::jsonb from projects
    where id = ${projectId}
      and ((select count(*) from kept_last_commits where project_id = ${projectId}) < ${most}
        or exists (select from kept_last_commits where project_id = ${projectId} and path_digest = ${digestOf(path)}))
    on conflict (project_id, path_digest) do update set commit = excluded.commit, entries = excluded.entries
    where excluded.commit is not null`.execute(db);
}

export async function forgetKept(db: Db, projectId: number, path: string): Promise<void> {
  await db
    .deleteFrom('kept_last_commits')
    .where('project_id', '=', projectId)
    .where('path_digest', '=', digestOf(path))
    .execute();
}
