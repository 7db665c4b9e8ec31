/** The texts of a merge request that may close issues. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import type { PushedCommits } from '../../collaboration/index.ts';

/** Commits of a push whose messages are read. */
export const mostCommits = 100;

/** Title with description, and messages of the newest commits that it brings; none of requests into other branches than the default one. */
export async function closingTexts(
  { title, description, base_sha, head_sha, target_branch }: MergeRequest,
  subject: ProjectSubject,
  pushedCommits: PushedCommits,
): Promise<string[]> {
  if (target_branch !== subject.project.default_branch) return [];
  const own = `${title}\n\n${description ?? ''}`;
  if (base_sha === null || head_sha === null) return [own];
  const brought = { ref: `refs/heads/${target_branch}`, before: base_sha, after: head_sha };
  return [own, ...(await pushedCommits.brought(subject, brought, mostCommits)).map(({ message }) => message)];
}
