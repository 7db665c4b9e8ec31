/** Releases go with their tags, however these are removed. */
import { recordAudit } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Release, ReleaseLink } from '../../../kernel/db/rows.ts';
import * as queries from './releases.queries.ts';

export type RecordReleaseFact = (
  tx: Db,
  fact: {
    kind: 'release.created' | 'release.updated' | 'release.deleted';
    projectId: number;
    actorId: number | null;
    payload: Record<string, unknown>;
  },
) => Promise<void>;

/** What hooks are told of a release that is gone. */
export const snapshotOf = (release: Release, links: readonly ReleaseLink[]) => ({
  id: release.id,
  tag: release.tag,
  sha: release.sha,
  name: release.name,
  description: release.description,
  created_at: release.created_at,
  released_at: release.released_at,
  links: links.map(({ id, link_type, name, url }) => ({ id, link_type, name, url })),
});

export type TagsRemoved = (tx: Db, projectId: number, actorId: number | null, tags: readonly string[]) => Promise<void>;

export const tagsRemoved =
  (recordFact: RecordReleaseFact): TagsRemoved =>
  async (tx, projectId, actorId, tags) => {
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
      await recordFact(tx, { kind: 'release.deleted', projectId, actorId, payload: snapshotOf(release, own) });
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
