/** Direct transfers: each group and project with what came in and what did not, and how to cancel them. */
import { Box, Group, Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  cancelTransfer,
  countsOf,
  inProgress,
  type Transfer,
  type TransferPart,
  transferParts,
  transfers,
} from '../../lib/remote-imports.ts';
import { toSegment } from '../../lib/urls.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

const badges = {
  created: 'pending',
  started: 'running',
  finished: 'success',
  failed: 'failed',
  canceled: 'canceled',
} as const;
const shownFailures = 5;

function Part({ part }: { part: TransferPart }) {
  const { imported, total } = countsOf(part);
  const there = part.namespace_id !== null || part.project_id !== null;
  const params = { path: toSegment(part.destination_full_path) };
  return (
    <DataRow
      before={<StatusBadge status={badges[part.status]} />}
      title={
        there ? (
          <Link to={part.entity_type === 'group' ? '/g/$path' : '/o/$path'} params={params} data-entry>
            {part.destination_full_path}
          </Link>
        ) : (
          part.destination_full_path
        )
      }
      meta={
        <>
          <span>
            {part.entity_type} {part.source_full_path}
          </span>
          {total > 0 ? (
            <span>
              {imported} of {total} records imported
            </span>
          ) : null}
          {part.status === 'started' && total > 0 ? (
            <Progress
              value={(imported / total) * 100}
              w={120}
              size="sm"
              aria-label={`Progress of ${part.source_full_path}`}
            />
          ) : null}
          {part.failures.slice(0, shownFailures).map(({ relation, exception_message: reason, source_title: row }) => (
            <span key={`${relation}:${row}:${reason}`} style={{ color: 'var(--mr-failed)' }}>
              {relation.replaceAll('_', ' ')}: {reason}
            </span>
          ))}
          {part.failures.length > shownFailures ? (
            <span>{part.failures.length - shownFailures} more were left out</span>
          ) : null}
        </>
      }
    />
  );
}

function One({ transfer }: { transfer: Transfer }) {
  const cache = useQueryClient();
  const { data: parts = [] } = useQuery(transferParts(transfer));
  const host = new URL(transfer.source_url).host;
  return (
    <section aria-label={`Transfer from ${host}`}>
      <Group justify="space-between" mt="md" mb="xs">
        <Group gap="sm">
          <StatusBadge status={badges[transfer.status]} />
          <Text fw={600}>From {host}</Text>
          <TimeAgo at={transfer.created_at} />
        </Group>
        {inProgress(transfer) ? (
          <ConfirmButton
            title="Cancel transfer"
            text="The transfer stops. What has been imported so far is kept."
            action="Stop the transfer"
            label="Cancel"
            run={() =>
              // Also where it had come to its end meanwhile.
              cancelTransfer(transfer.id).finally(() => cache.invalidateQueries({ queryKey: ['transfers'] }))
            }
          />
        ) : null}
      </Group>
      <DataList label={`Groups and projects from ${host}`}>
        {parts.map((part) => (
          <Part key={part.id} part={part} />
        ))}
      </DataList>
    </section>
  );
}

export function Transfers() {
  const { data: all = [] } = useQuery(transfers());
  if (all.length === 0) return null;
  return (
    <Box component="section" aria-label="Direct transfers" mb="xl">
      <h2>Direct transfers</h2>
      {all.map((transfer) => (
        <One key={transfer.id} transfer={transfer} />
      ))}
    </Box>
  );
}
