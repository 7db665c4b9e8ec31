/** What repositories need of later domains. */
import type { Db } from '../../kernel/db/index.ts';
import { onePort } from '../../kernel/ports.ts';

export interface ReleasesOfTags {
  /** Descriptions of the releases of tags that have one. */
  texts(db: Db, projectId: number, tags: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** In the transaction that removes tags. */
  tagsRemoved(tx: Db, projectId: number, actorId: number | null, tags: readonly string[]): Promise<void>;
}

export const releasesOfTags = onePort<ReleasesOfTags>('releases of tags');
