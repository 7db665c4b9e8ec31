/** What is left of a pipeline that goes: nothing. Its jobs, logs and artifacts go with it, and the ref that kept its commit. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import type { RepositoryRow } from '../../repository/index.ts';
import type { CiDependencies } from '../deps.ts';
import { lockPipeline } from '../scheduling/process.queries.ts';
import { deletePipeline } from './pipelines.queries.ts';

/** `first` does what comes before, under the lock of the pipeline, and says whether it may go. */
export async function removePipeline(
  deps: Pick<CiDependencies, 'db' | 'announce' | 'repository'>,
  project: RepositoryRow,
  id: number,
  first: (tx: Db, pipeline: Pipeline) => Promise<boolean>,
): Promise<boolean> {
  const removed = await transaction(deps.db, async (tx) => {
    const pipeline = await lockPipeline(tx, id);
    if (!pipeline || !(await first(tx, pipeline))) return false;
    await deletePipeline(tx, id);
    await deps.announce(tx, `project:${project.id}:pipelines`);
    return true;
  });
  if (removed) await deps.repository.keepRef(deps.db, project, `refs/pipelines/${id}`, null);
  return removed;
}
