/** What follows from a write to a project's repository: facts, the first branch, the next generation. */

import * as git from '@millrace/git';
import type { Db } from '../../../kernel/db/index.ts';
import { pushed, recordFact, repositoryUpdated } from '../../../kernel/events/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { RepositoryRow } from '../face.ts';
import { maintenanceDue } from '../maintenance/maintenance.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { RefChange } from './protection.ts';
import type { Settle } from './write-path.ts';
import * as queries from './writes.queries.ts';

export interface ProjectSettlingDependencies {
  readonly open: OpenRepository;
  readonly settings: Settings;
  readonly announce: (tx: Db, topic: string) => Promise<void>;
  /** What goes with tags. */
  readonly tagsRemoved: (tx: Db, projectId: number, actorId: number | null, tags: readonly string[]) => Promise<void>;
}

/** What kind of ref it is, and what became of it. */
const kindOf = ({ ref, before, after }: RefChange): string =>
  `${ref.split('/', 2).join('/')} ${before === git.ZERO_SHA ? 'made' : after === git.ZERO_SHA ? 'removed' : 'moved'}`;

/**
 * The branch that becomes the default one of a repository without one, when it is among those that were made; HEAD
 * follows. Null where there was a default branch.
 */
export async function firstBranch(
  repo: git.Repo,
  current: string | null,
  moved: readonly RefChange[],
): Promise<{ readonly chosen: string; readonly headMoved: boolean } | null> {
  const created = moved.flatMap(({ ref, before, after }) =>
    before === git.ZERO_SHA && after !== git.ZERO_SHA && ref.startsWith('refs/heads/') ? [ref.slice(11)] : [],
  );
  if (created.length === 0) return null;
  const currentExists =
    current !== null &&
    !created.includes(current) &&
    (await git.readRef(repo, `refs/heads/${current}` as git.RefName)) !== null;
  if (currentExists) return null;
  const chosen = current !== null && created.includes(current) ? current : created[0];
  if (chosen === undefined) return null;
  // The default branch of a project without commits may have been renamed in its row only.
  const headMoved = (await git.defaultBranch(repo)) !== chosen;
  if (headMoved) await git.setDefaultBranch(repo, chosen);
  return { chosen, headMoved };
}

export function projectSettling(deps: ProjectSettlingDependencies): Settle {
  /** The first branch is protected as the namespace says. True when HEAD was pointed elsewhere. */
  async function first(tx: Db, project: RepositoryRow, moved: readonly RefChange[]): Promise<boolean> {
    const found = await firstBranch(deps.open(project), project.default_branch, moved);
    if (!found) return false;
    if (found.chosen !== project.default_branch) await queries.setDefaultBranch(tx, project.id, found.chosen);
    await queries.protectDefaultBranch(tx, project.id, found.chosen);
    return found.headMoved;
  }

  return async (tx, project, actorId, moved, details, intents) => {
    const at = await queries.settleAndBump(tx, project.id, intents);
    if (at === null) return null;
    const headMoved = await first(tx, project, moved);
    const alike = new Map<string, number>();
    for (const change of moved) alike.set(kindOf(change), (alike.get(kindOf(change)) ?? 0) + 1);
    const told = new Map<string, number>();
    const context = { project_id: project.id, actor_id: actorId };
    for (const change of moved) {
      const nth = told.get(kindOf(change)) ?? 0;
      told.set(kindOf(change), nth + 1);
      await recordFact(
        tx,
        pushed,
        {
          ref: change.ref,
          before: change.before,
          after: change.after,
          push_options: [...details.pushOptions],
          via: details.via,
          ...(details.jobId === undefined ? {} : { job_id: details.jobId }),
          refs: moved.length,
          alike: alike.get(kindOf(change)) ?? 1,
          nth,
        },
        context,
      );
    }
    const changes = moved.map(({ ref, before, after }) => ({ ref, before, after }));
    if (moved.length > 0) await recordFact(tx, repositoryUpdated, { changes }, context);
    const tagsGone = moved.flatMap(({ ref, after }) =>
      after === git.ZERO_SHA && ref.startsWith('refs/tags/') ? [ref.slice('refs/tags/'.length)] : [],
    );
    await deps.tagsRemoved(tx, project.id, actorId, tagsGone);
    await maintenanceDue(tx, deps.settings, project.id, at, details.via);
    await deps.announce(tx, `project:${project.id}:refs`);
    return { generation: at.refs_generation, headMoved };
  };
}
