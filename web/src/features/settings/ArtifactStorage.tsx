/** What the artifacts of a project take, and what the clean-up of expired ones removed. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { artifactStatistics } from '../../lib/caches.ts';
import { bytes } from '../../lib/time.ts';
import { FormError } from '../../ui/FormError.tsx';
import ui from '../../ui/ui.module.css';
import { useProject } from '../projects/useProject.ts';
import classes from './caches.module.css';

export function ArtifactStorage() {
  const { path } = useProject();
  const { data, error } = useQuery(artifactStatistics(path));
  return (
    <>
      <h2>Artifacts</h2>
      <Text c="var(--mr-dim)" mb="md">
        Expired artifacts are removed every minute. Those of the latest successful pipeline of each branch can be kept
        (Pipelines).
      </Text>
      <FormError error={error} />
      {data ? (
        <dl className={classes.statistics}>
          <div>
            <dt>Artifacts</dt>
            <dd>{data.count}</dd>
          </div>
          <div>
            <dt>Size</dt>
            <dd>
              {bytes(data.size)}
              {data.quota === null ? '' : ` of ${bytes(data.quota)}`}
            </dd>
          </div>
          <div>
            <dt>Expiring</dt>
            <dd>{bytes(data.expiring_size)}</dd>
          </div>
        </dl>
      ) : null}
      {data && data.removals.length > 0 ? (
        <div className={classes.scroll}>
          <table className={ui.table} aria-label="Removed artifacts">
            <thead>
              <tr>
                <th>Day</th>
                <th>Removed</th>
                <th>Size</th>
              </tr>
            </thead>
            <tbody>
              {data.removals.map((day) => (
                <tr key={day.removed_on}>
                  <td>{day.removed_on}</td>
                  <td>{day.count}</td>
                  <td>{bytes(day.size)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </>
  );
}
