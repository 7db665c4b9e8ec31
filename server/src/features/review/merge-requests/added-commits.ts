/** What a merge request says of itself when commits are pushed to its branch. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { escapeHtml } from '../../../kernel/markdown/index.ts';
import { systemNote } from '../../collaboration/notes/index.ts';
import type { RepositoryAccess } from '../../repository/index.ts';
import { noteableOf } from './history.ts';
import { ofFork } from './sources.ts';

/** Commits that are listed one by one, the newest. */
const mostListed = 100;
/** As long as ids of commits are in short. */
const short = (sha: string) => sha.slice(0, 8);
const counted = (count: number) => `${count} ${count === 1 ? 'commit' : 'commits'}`;
const item = (text: string) => `<li>${text}</li>`;

interface Heads {
  readonly before: string;
  readonly head: string;
  readonly target: string;
}

/**
 * Reads what came to a branch, and answers the step that says so under the request: its own commits one by one, and in one line those
 * that came from the target branch. Null where the branch only lost commits.
 */
export async function commitsAfterPush(
  repository: Pick<RepositoryAccess, 'commitsBetween' | 'pushed'>,
  subject: ProjectSubject,
  request: MergeRequest,
  { before, head, target }: Heads,
): Promise<((tx: Db, authorId: number) => Promise<void>) | null> {
  const { count } = await repository.pushed(subject.project, before, head);
  if (count === 0) return null;
  const window = { skip: 0, limit: mostListed };
  const [brought, own] = await Promise.all([
    repository.commitsBetween(subject, before, head, window),
    repository.commitsBetween(subject, target, head, window),
  ]);
  const ownIds = new Set(own.map(({ id }) => id));
  const listed = brought.filter(({ id }) => ownIds.has(id)).reverse();
  const [newest] = brought.filter(({ id }) => !ownIds.has(id));
  const others = count - listed.length;
  const fork = ofFork(request) ? `${subject.namespace.full_path}:` : '';
  const from = `<code>${escapeHtml(`${fork}${request.target_branch}`)}</code>`;
  const range = newest ? (others === 1 ? newest.short_id : `${short(before)}...${newest.short_id}`) : null;
  const earlier =
    range === null ? `${counted(others)} before these` : `${range} - ${counted(others)} from branch ${from}`;
  // Where the code is for members and the request is for everybody, titles of commits are not for everybody either.
  const { repository_access_level: code, merge_requests_access_level: requests } = subject.project;
  const titled = code === 'enabled' || requests !== 'enabled';
  const items = [
    ...(others > 0 ? [item(earlier)] : []),
    ...listed.map(({ short_id, title }) => item(titled ? `${short_id} - ${escapeHtml(title)}` : short_id)),
  ];
  const page = `/${subject.namespace.full_path}/${subject.project.path}/-/compare/${before}...${head}`;
  const body = `added ${counted(count)}\n\n<ul>${items.join('')}</ul>\n\n[Compare with previous version](${page})`;
  return async (tx, authorId) => {
    await systemNote(tx, noteableOf(request), authorId, 'commit', body);
  };
}
