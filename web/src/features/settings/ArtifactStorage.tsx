/** What the artifacts of a project take, and what the clean-up of expired ones removed. */
import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { artifactStatistics } from '../../lib/caches.ts';
import { bytes } from '../../lib/time.ts';
import { FormError } from '../../ui/FormError.tsx';
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
          <Table aria-label="Removed artifacts" verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Day</Table.Th>
                <Table.Th>Removed</Table.Th>
                <Table.Th>Size</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.removals.map((day) => (
                <Table.Tr key={day.removed_on}>
                  <Table.Td>{day.removed_on}</Table.Td>
                  <Table.Td>{day.count}</Table.Td>
                  <Table.Td>{bytes(day.size)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      ) : null}
    </>
  );
}
