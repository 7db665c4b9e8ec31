/** Releases go with their tags, however these are removed. */

import { recordAudit } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Release, ReleaseLink } from '../../../kernel/db/rows.ts';
import { recordFact, releaseDeleted, toInstant } from '../../../kernel/events/index.ts';
import * as queries from './releases.queries.ts';

/** What hooks report of a release that is gone. */
export const snapshotOf = (release: Release, links: readonly ReleaseLink[]) => ({
  id: release.id,
  tag: release.tag,
  sha: release.sha,
  name: release.name,
  description: release.description,
  created_at: toInstant(release.created_at),
  released_at: toInstant(release.released_at),
  links: links.map(({ id, link_type, name, url }) => ({ id, link_type, name, url })),
});

export type TagsRemoved = (tx: Db, projectId: number, actorId: number | null, tags: readonly string[]) => Promise<void>;

export const tagsRemoved: TagsRemoved = async (tx, projectId, actorId, tags) => {
  if (tags.length === 0) return;
  const gone = await queries.releasesOfTags(tx, projectId, tags);
  if (gone.length === 0) return;
  const links = await queries.linksOf(
    tx,
    gone.map(({ id }) => id),
  );
  const author = actorId === null ? null : ((await queries.nameOf(tx, actorId)) ?? null);
  const path = await queries.pathOfProject(tx, projectId);
  for (const release of gone) {
    await queries.deleteRelease(tx, release.id);
    const own = links.filter(({ release_id }) => release_id === release.id);
    const context = { project_id: projectId, actor_id: actorId };
    await recordFact(tx, releaseDeleted, snapshotOf(release, own), context);
    await recordAudit(tx, {
      author,
      address: null,
      entity: { type: 'Project', id: projectId, path },
      event: 'release_deleted',
      details: { tag: release.tag, name: release.name ?? release.tag },
      target: { type: 'Release', id: release.id, details: release.tag },
    });
  }
};
