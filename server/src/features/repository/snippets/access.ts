/** Who may do what with a snippet, and what may be pushed to it. */
import * as git from '@millrace/git';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { type Caller, type CallerUser, type ProjectSubject, readsAll } from '../../../kernel/authz/subjects.ts';
import type { Snippet } from '../../../kernel/db/rows.ts';
import { readableSize } from '../limits/sizes.ts';
import { knownSha } from '../reading/git-reader.ts';
import type { PushCheck, Refusal } from '../writes/push-check.ts';

/** A snippet with the project that it is in; null for personal ones. */
export interface SnippetSubject {
  readonly snippet: Snippet;
  readonly place: ProjectSubject | null;
}

export const mostFiles = 10;

/** The person who asks. Jobs and keys of machines are nobody where no project stands behind them. */
const personOf = ({ credential, user }: Caller): CallerUser | null =>
  credential.kind === 'job' || credential.kind === 'deploy' || credential.kind === 'deploy_key' ? null : user;

export function seesSnippet(caller: Caller, { snippet, place }: SnippetSubject): boolean {
  const user = personOf(caller);
  if (place !== null && !canOnProject(caller, 'read_snippet', place)) return false;
  if (snippet.visibility === 'public' || readsAll(caller) || user?.id === snippet.author_id) return true;
  if (place !== null && place.level >= Level.guest) return true;
  return snippet.visibility === 'internal' && user !== null && !user.external;
}

/** To change or remove it. */
export function writesSnippet(caller: Caller, { snippet, place }: SnippetSubject): boolean {
  const user = personOf(caller);
  const own = user !== null && user.id === snippet.author_id;
  if (place === null) return own || caller.admin;
  return canOnProject(caller, 'admin_snippet', place) || (own && canOnProject(caller, 'create_snippet', place));
}

/** Paths of the files of a commit, up to one more than a snippet may have. */
export async function filesAt(repo: git.Repo, commit: git.Sha): Promise<string[]> {
  const paths: string[] = [];
  for await (const { type, path } of git.walkTree(repo, commit)) {
    if (type === 'blob') paths.push(path);
    if (paths.length > mostFiles) break;
  }
  return paths;
}

/** A snippet has one branch, one to ten files, and a size. */
export const snippetCheck =
  (limit: () => Promise<number>): PushCheck<SnippetSubject> =>
  async ({ subject, caller, changes, quarantine }) => {
    const found = new Map<string, Refusal>();
    const { snippet } = subject;
    const branch = snippet.default_branch ?? 'main';
    const bytes = snippet.repository_size + (await git.quarantineBytes(quarantine));
    const maximum = await limit();
    for (const { ref, after } of changes) {
      const refuse = (reason: string, kind: Refusal['kind'] = 'permission') => found.set(ref, { reason, kind });
      if (!writesSnippet(caller, subject)) refuse('You are not allowed to update this snippet.');
      else if (ref !== `refs/heads/${branch}` || after === git.ZERO_SHA)
        refuse(`You can not create or delete branches and tags of a snippet: push to ${branch}.`);
      else if (bytes > maximum)
        refuse(
          `The snippet would exceed its size limit of ${readableSize(maximum)} by ${readableSize(bytes - maximum)} (snippet_size_limit).`,
          'content',
        );
      else {
        const files = (await filesAt(quarantine.repo, knownSha(after))).length;
        if (files === 0) refuse('The repository must contain at least 1 file.', 'content');
        else if (files > mostFiles) refuse(`The repository can contain at most ${mostFiles} files.`, 'content');
      }
    }
    return found;
  };
