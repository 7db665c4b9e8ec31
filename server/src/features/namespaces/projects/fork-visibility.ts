/**
 * A fork is never more open than the project that it is of: what was private does not become public by a copy. The rule
 * holds when a fork is made or linked, when it is opened, and when its source is closed, which closes it as well.
 */
import { entityOfPlace, eventsOfChanges, originOfCaller, recordAudits } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { projectFacts, recordFact } from '../../../kernel/events/index.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { openness, type Visibility, visibilities } from '../naming/naming.ts';
import { heldVisibility, lockOpenForks, setVisibility } from './fork-visibility.queries.ts';

/** Throws the API's 400 where a fork would be more open than its source, which cannot change until the transaction ends. */
export async function requireNoMoreOpen(tx: Db, visibility: Visibility, sourceId: number | null): Promise<void> {
  const source = sourceId === null ? undefined : await heldVisibility(tx, sourceId);
  if (source !== undefined && openness(visibility) > openness(source))
    throw invalidRecord({
      visibility_level: [`${visibility} is not allowed since the fork source project has lower visibility.`],
    });
}

/** The same where a project that exists becomes a fork. */
export async function requireLinkable(tx: Db, projectId: number, sourceId: number): Promise<void> {
  // The source is held first, in the order of those who close it.
  await heldVisibility(tx, sourceId);
  const visibility = await heldVisibility(tx, projectId);
  if (visibility !== undefined) await requireNoMoreOpen(tx, visibility, sourceId);
}

/** In the transaction that closes projects: their forks follow. */
export async function closeForks(
  tx: Db,
  caller: Caller,
  sourceIds: readonly number[],
  visibility: Visibility,
): Promise<void> {
  const tooOpen = visibilities.filter((each) => openness(each) > openness(visibility));
  if (sourceIds.length === 0 || tooOpen.length === 0) return;
  const forks = await lockOpenForks(tx, sourceIds, tooOpen);
  if (forks.length === 0) return;
  await setVisibility(
    tx,
    forks.map(({ project }) => project.id),
    visibility,
  );
  for (const { project, namespace } of forks) {
    const about = { ...originOfCaller(caller), entity: entityOfPlace({ kind: 'project', project, namespace }) };
    await recordAudits(tx, eventsOfChanges(about, 'project', project, { visibility }));
    await recordFact(
      tx,
      projectFacts.updated,
      { project_id: project.id },
      { project_id: project.id, namespace_id: project.namespace_id, actor_id: caller.user?.id ?? null },
    );
  }
}
