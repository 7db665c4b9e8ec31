/** Caches that jobs of a project saved: what they take, how often they help, and deleting them. */
import { Badge, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { jobCacheStatistics, jobCaches } from '../../lib/caches.ts';
import { counted } from '../../lib/counted.ts';
import { bytes } from '../../lib/time.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import ui from '../../ui/ui.module.css';
import { useProject } from '../projects/useProject.ts';
import classes from './caches.module.css';

function Statistics({ statistics }: { statistics: Schemas['JobCacheStatistics'] }) {
  const { count, size, size_limit: limit, hits, misses, hit_rate: rate } = statistics;
  return (
    <dl className={classes.statistics}>
      <div>
        <dt>Caches</dt>
        <dd>{count}</dd>
      </div>
      <div>
        <dt>Size</dt>
        <dd>
          {bytes(size)} of {bytes(limit)}
        </dd>
      </div>
      <div>
        <dt>Hit rate</dt>
        <dd>
          {rate === null
            ? 'No requests yet'
            : `${Math.round(rate * 100)} % of ${counted(hits + misses, 'request', 'requests')}`}
        </dd>
      </div>
    </dl>
  );
}

export function CacheSettings() {
  const { path } = useProject();
  const cache = useQueryClient();
  const list = useInfiniteQuery(jobCaches(path));
  const { data: statistics, error } = useQuery(jobCacheStatistics(path));
  const rows = list.data?.pages.flatMap((page) => page.items);
  const shown = () => cache.invalidateQueries({ queryKey: ['project', path, 'job-caches'] });
  return (
    <>
      <h2>Job caches</h2>
      <Text c="var(--mr-dim)" mb="md">
        Archives that jobs of the built-in runner saved with the keyword cache. Those not used for longest are deleted
        first.
      </Text>
      <FormError error={error ?? list.error} />
      {statistics ? <Statistics statistics={statistics} /> : null}
      {rows?.length === 0 ? (
        <EmptyState title="No caches yet">
          Add <code>cache: paths: [node_modules/]</code> to a job to save directories for the next pipeline.
        </EmptyState>
      ) : null}
      {rows && rows.length > 0 ? (
        <div className={classes.scroll}>
          <table className={ui.table} aria-label="Job caches">
            <thead>
              <tr>
                <th>Key</th>
                <th>Size</th>
                <th>Hits</th>
                <th>Last used</th>
                <th aria-label="Actions" />
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <td>
                    <code className={classes.key}>{row.key}</code>{' '}
                    {row.protected ? <Badge variant="light">Protected</Badge> : null}
                  </td>
                  <td>{bytes(row.size)}</td>
                  <td>{row.hits}</td>
                  <td>
                    <TimeAgo at={row.last_used_at} />
                  </td>
                  <td>
                    <ConfirmButton
                      title="Delete cache"
                      about={`Delete cache ${row.key}`}
                      text={`The cache ${row.key} will be deleted. The next job that uses it starts without.`}
                      action="Delete"
                      run={() =>
                        unwrap(
                          client.DELETE('/projects/{id}/ci/caches/{cache_id}', {
                            params: { path: { id: path, cache_id: row.id } },
                          }),
                        )
                      }
                      shown={shown}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <ShowMore more={list.hasNextPage} pending={list.isFetchingNextPage} show={list.fetchNextPage} />
        </div>
      ) : null}
      <p>
        <ConfirmButton
          title="Clear runner caches"
          text="All caches of this project will be deleted, and all runners start with new, empty caches."
          action="Clear"
          label="Clear runner caches"
          run={() => unwrap(client.DELETE('/projects/{id}/ci/caches', { params: { path: { id: path } } }))}
          shown={shown}
        />
      </p>
    </>
  );
}
