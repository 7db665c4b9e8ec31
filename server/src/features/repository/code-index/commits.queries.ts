/** Commit messages of default branches, for searches over many projects. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface IndexedCommit {
  readonly sha: string;
  readonly committedAt: Date;
  readonly message: string;
}

/** Those of the commits that are stored already. */
export async function storedCommits(db: Db, indexId: number, shas: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ sha: string }>`select sha from code_commits
    where index_id = ${indexId} and sha = any(${[...shas]}::text[])`.execute(db);
  return new Set(rows.map(({ sha }) => sha));
}

export async function addCommits(db: Db, indexId: number, commits: readonly IndexedCommit[]): Promise<void> {
  await sql`insert into code_commits (index_id, sha, committed_at, message)
    select ${indexId}::bigint, c.sha, c.committed_at, c.message
    from unnest(${commits.map(({ sha }) => sha)}::text[], ${commits.map(({ committedAt }) => committedAt)}::timestamptz[],
      ${commits.map(({ message }) => message)}::text[]) c (sha, committed_at, message)
    on conflict (index_id, sha) do nothing`.execute(db);
}

export async function removeCommits(tx: Db, indexId: number, shas: readonly string[]): Promise<void> {
  await sql`delete from code_commits where index_id = ${indexId} and sha = any(${[...shas]}::text[])`.execute(tx);
}

/** Removes all but these. */
export async function keepCommits(tx: Db, indexId: number, shas: readonly string[]): Promise<void> {
  await sql`delete from code_commits c where c.index_id = ${indexId}
    and not exists (select from unnest(${[...shas]}::text[]) kept (sha) where kept.sha = c.sha)`.execute(tx);
}
