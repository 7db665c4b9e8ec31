/** What collaboration needs of later domains. */
import type { ProjectSubject } from '../../kernel/authz/subjects.ts';
import { onePort } from '../../kernel/ports.ts';

/** Commits that come to a repository. */
export interface PushedCommits {
  /** The newest commits that a push to a branch brought, the newest first; none where the branch was removed. */
  brought(
    subject: ProjectSubject,
    push: { readonly ref: string; readonly before: string; readonly after: string },
    limit: number,
  ): Promise<readonly { readonly id: string; readonly message: string }[]>;
}

export const pushedCommits = onePort<PushedCommits>('commits of pushes');
