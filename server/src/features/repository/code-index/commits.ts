/** Stores the commit messages of a default branch: after a push those that it brought, a batch at a time. */
import * as git from '@millrace/git';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { CodeIndex } from './code-index.queries.ts';
import { addCommits, keepCommits, removeCommits, storedCommits } from './commits.queries.ts';

/** Commits of one repository that are stored, the newest; older ones are searched in their project. */
const mostCommits = 100_000;
const batch = 500;
const longestMessage = 10_000;

const stored = (commit: git.Commit) => ({
  sha: commit.id,
  committedAt: new Date(commit.committer.seconds * 1_000),
  // PostgreSQL has no text with NUL.
  message: commit.message.replaceAll('\0', '').slice(0, longestMessage),
});

/** Brings the stored history to `head`; false when `until` came before the end, and the next run goes on behind it. */
export async function followHistory(
  db: Db,
  index: CodeIndex,
  of: {
    readonly repo: git.Repo;
    readonly head: git.Sha | null;
    /** What this commit contains is left out: another project has it. */
    readonly beyond: git.Sha | null;
    readonly signal: AbortSignal;
    readonly until: number;
  },
): Promise<boolean> {
  const { head, beyond, signal, until } = of;
  const repo = git.withSignal(of.repo, signal);
  const from = index.history === null ? null : git.parseSha(index.history);
  if (head === from) return true;
  const known = from !== null && head !== null && (await git.readCommit(repo, from)) !== null;
  const not = [...(known ? [from] : []), ...(beyond === null ? [] : [beyond])];
  const wanted = head === null ? [] : await git.logIds(repo, { from: [head], not, limit: mostCommits });
  for (let at = 0; at < wanted.length; at += batch) {
    signal.throwIfAborted();
    const part = wanted.slice(at, at + batch);
    const there = await storedCommits(db, index.id, part);
    const commits = await git.readCommits(
      repo,
      part.filter((sha) => !there.has(sha)),
    );
    if (commits.length > 0) await addCommits(db, index.id, commits.map(stored));
    if (at + batch < wanted.length && Date.now() > until) return false;
  }
  // What a forced push took off the branch; all others where nobody knows what was there.
  if (!known) await transaction(db, (tx) => keepCommits(tx, index.id, wanted));
  else {
    const gone = await git.logIds(repo, { from: [from], not: [head], limit: mostCommits });
    if (gone.length > 0) await removeCommits(db, index.id, gone);
  }
  return true;
}
