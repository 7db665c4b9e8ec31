/** Keeps histories quick: the commit-graph, with changed paths, follows what is pushed. In the background. */
import * as git from '@millrace/git';
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { addJob, defineTask } from '../../../kernel/queue/index.ts';
import type { RepositoryRow } from '../face.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { WritePath } from '../writes/write-path.ts';

/** Writes between two commit-graphs of a busy repository; what is newer is read from the objects themselves. */
const writesBetween = 32;

const payload = Type.Object({ project_id: Type.Integer() });
const commitGraph = { name: 'repository.commit_graph', maxAttempts: 3 };

/**
 * Adds the work when it is due, in the transaction that moved the refs: after the first pushes, which bring whole
 * histories, and then once in a while. One at a time in all processes, so that no two write the same file.
 */
export async function commitGraphDue(tx: Db, projectId: number, generation: number, via: string): Promise<void> {
  const first = via === 'push' && generation <= 3;
  if (!first && generation % writesBetween !== 0) return;
  await addJob(
    tx,
    commitGraph,
    { project_id: projectId },
    { jobKey: `commit_graph:${projectId}`, queueName: 'commit_graph' },
  );
}

export function commitGraphTask(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly project: (db: Db, id: number) => Promise<RepositoryRow | null>;
  readonly exclusively: WritePath['exclusively'];
}) {
  return defineTask(
    commitGraph.name,
    payload,
    async ({ project_id }) => {
      const project = await deps.project(deps.db, project_id);
      if (!project) return;
      const repo = deps.open(project);
      try {
        await git.writeCommitGraph(repo);
      } catch (error) {
        if (!git.isGitError(error, 'locked')) throw error;
        // Nobody else is at it: the lock is of one that was killed. Other locks go too, so only as the only writer.
        await deps.exclusively(project, async () => {
          await git.removeStaleLocks(repo);
          await git.writeCommitGraph(repo);
        });
      }
    },
    { maxAttempts: commitGraph.maxAttempts, timeout: 3_600_000 },
  );
}
