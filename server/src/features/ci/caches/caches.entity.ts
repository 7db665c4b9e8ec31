/** Caches of jobs as the API returns them. */
import type { Static } from 'typebox';
import { Count, Decimal, Entity, Flag, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import type { CacheTotals, JobCache } from './caches.queries.ts';

export const JobCacheEntity = Entity('JobCache', {
  id: Id(),
  key: Text(),
  protected: Flag({ description: 'Whether a job of a protected branch or tag saved it' }),
  size: Count({ description: 'Bytes of the archive' }),
  hits: Count({ description: 'How many times jobs restored it' }),
  created_at: Timestamp(),
  updated_at: Timestamp({ description: 'When it was last saved' }),
  last_used_at: Timestamp({ description: 'When it was last restored or saved' }),
});

export const jobCacheJson = (row: JobCache): Static<typeof JobCacheEntity> => ({
  id: row.id,
  key: row.key,
  protected: row.protected,
  size: row.size,
  hits: row.hits,
  created_at: row.created_at,
  updated_at: row.updated_at,
  last_used_at: row.last_used_at,
});

export const JobCacheStatistics = Entity('JobCacheStatistics', {
  count: Count({ description: 'Caches that are stored' }),
  size: Count({ description: 'Bytes of all of them' }),
  size_limit: Count({ description: 'Bytes beyond which the least recently used are deleted' }),
  hits: Count({ description: 'Requests of jobs that found a cache, since the caches were cleared' }),
  misses: Count({ description: 'Requests of jobs that found none' }),
  hit_rate: Nullable(Decimal({ description: 'Share of requests that found a cache, from 0 to 1' })),
});

export function jobCacheStatistics(totals: CacheTotals, limit: number): Static<typeof JobCacheStatistics> {
  const { hits, misses } = totals;
  const asked = hits + misses;
  return { ...totals, size_limit: limit, hit_rate: asked === 0 ? null : Math.round((hits / asked) * 1000) / 1000 };
}
