/** Payloads of pushes: to branches, to tags, and of the repository as a whole. */
import { ZERO_SHA } from '@millrace/git';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { WikiPageAt } from '../../repository/index.ts';
import {
  avatarOf,
  type CommitFacts,
  commitPart,
  projectPart,
  pushedRepositoryPart,
  type Urls,
  webUrlOf,
} from '../../review/messages/index.ts';

export interface PushedRef {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}

export interface PushedCommits {
  /** The newest ones, oldest first. */
  readonly commits: readonly (CommitFacts & {
    readonly added: readonly string[];
    readonly modified: readonly string[];
    readonly removed: readonly string[];
  })[];
  readonly count: number;
}

/** What hooks need to know of repositories. */
export interface HookRepository {
  /** What a push to a branch brought: its newest commits, at most `limit`, and how many there are. */
  pushed(subject: ProjectSubject, push: PushedRef, limit: number): Promise<PushedCommits>;
  /** Null where the commit is gone. */
  commit(subject: ProjectSubject, sha: string): Promise<CommitFacts | null>;
  /** The commit that a tag or branch leads to. */
  resolve(subject: ProjectSubject, revision: string): Promise<string | null>;
  isProtected(subject: ProjectSubject, ref: string): Promise<boolean>;
  /** A page of the wiki at a commit, or as it is; null where that is gone. */
  wikiPage(subject: ProjectSubject, slug: string, version?: string): Promise<WikiPageAt | null>;
  /** What a push to a branch that was there changed; null where a side is gone. */
  diff(subject: ProjectSubject, push: PushedRef): Promise<PushedDiff | null>;
}

export interface PushedDiff {
  readonly files: readonly PushedFile[];
  /** There are more files than these. */
  readonly overflow: boolean;
}

export interface PushedFile {
  readonly old_path: string;
  readonly new_path: string;
  /** Its hunks; empty where the file is binary or too large. */
  readonly diff: string;
  readonly new_file: boolean;
  readonly renamed_file: boolean;
  readonly deleted_file: boolean;
}

const commitsLimit = 20;
export const branchOf = (ref: string) => (ref.startsWith('refs/heads/') ? ref.slice(11) : null);

/** `-o a=b -o c` as `{a: 'b', c: true}` says it. */
const optionsOf = (options: readonly string[]) =>
  Object.fromEntries(
    options.map((option) => [
      option.split('=')[0],
      option.includes('=') ? option.slice(option.indexOf('=') + 1) : true,
    ]),
  );

export async function pushPayload(
  repository: HookRepository,
  urls: Urls,
  subject: ProjectSubject,
  user: User | null,
  push: PushedRef & { readonly options: readonly string[] },
  told: 'commits' | 'no commits' = 'commits',
) {
  const { ref, before, after } = push;
  const branch = branchOf(ref);
  const kind = branch === null ? 'tag_push' : 'push';
  const removed = after === ZERO_SHA;
  const webUrl = webUrlOf(subject, urls);
  const head = removed ? null : await repository.resolve(subject, after);
  const brought =
    removed || head === null
      ? { commits: [], count: 0 }
      : branch === null
        ? { commits: await tagged(repository, subject, head), count: 1 }
        : await repository.pushed(subject, push, commitsLimit);
  return {
    object_kind: kind,
    event_name: kind,
    before,
    after,
    ref,
    ref_protected: await repository.isProtected(subject, ref),
    checkout_sha: head,
    message: null,
    user_id: user?.id ?? null,
    user_name: user?.name ?? null,
    user_username: user?.username ?? null,
    user_email: user?.public_email || null,
    user_avatar: user && avatarOf(user, urls),
    project_id: subject.project.id,
    project: projectPart(subject, urls),
    commits:
      told === 'commits'
        ? brought.commits.map(({ added, modified, removed: gone, ...commit }) => ({
            ...commitPart(commit, webUrl),
            ...{ added, modified, removed: gone },
          }))
        : [],
    total_commits_count: brought.count,
    push_options: optionsOf(push.options),
    repository: pushedRepositoryPart(subject, urls),
  };
}

async function tagged(repository: HookRepository, subject: ProjectSubject, sha: string) {
  const { commits } = await repository.pushed(subject, { ref: 'refs/tags/', before: '0', after: sha }, 1);
  return commits;
}

export const repositoryUpdatePayload = (
  urls: Urls,
  subject: ProjectSubject,
  user: User | null,
  changes: readonly PushedRef[],
) => ({
  event_name: 'repository_update',
  user_id: user?.id ?? null,
  user_name: user?.name ?? null,
  user_email: user?.public_email || null,
  user_avatar: user && avatarOf(user, urls),
  project_id: subject.project.id,
  project: projectPart(subject, urls),
  changes: changes.map(({ before, after, ref }) => ({ before, after, ref })),
  refs: changes.map(({ ref }) => ref),
});
