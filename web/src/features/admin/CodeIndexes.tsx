/** How far the index of code is, with the way to build it again. */
import { Button, Group, Progress, Text } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { codeIndexes } from '../../lib/background-jobs.ts';
import { bytes } from '../../lib/time.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';

const badges = { failed: 'failed', running: 'running', pending: 'pending', ready: 'success' } as const;

export function CodeIndexes() {
  const cache = useQueryClient();
  const { data } = useSuspenseQuery(codeIndexes());
  const rebuild = useMutation({
    mutationFn: (of?: { project_id: number | null; group_id: number | null }) =>
      unwrap(
        client.POST('/admin/code_indexes/rebuild', {
          body: {
            ...(of?.project_id == null ? {} : { project_id: of.project_id }),
            ...(of?.group_id == null ? {} : { group_id: of.group_id }),
          },
        }),
      ),
    onSuccess: (now) => cache.setQueryData(codeIndexes().queryKey, now),
  });
  return (
    <section aria-label="Code search">
      <Group justify="space-between" mt="xl" mb="sm">
        <div>
          <Text component="h2" fw={600}>
            Code search
          </Text>
          <Text size="sm" c="dimmed">
            {data.ready} of {data.repositories} repositories are indexed: {data.files} files, {bytes(data.bytes)}
          </Text>
        </div>
        <Button size="xs" variant="default" loading={rebuild.isPending} onClick={() => rebuild.mutate(undefined)}>
          Rebuild index
        </Button>
      </Group>
      <FormError error={rebuild.error} />
      {data.unfinished.length === 0 ? null : (
        <DataList label="Repositories that are not indexed">
          {data.unfinished.map((index) => (
            <DataRow
              key={`${index.project_path}:${index.kind}`}
              before={<StatusBadge status={badges[index.state]} />}
              title={`${index.project_path}${index.kind === 'wiki' ? ' (wiki)' : ''}`}
              meta={
                <>
                  {index.error ? <span>{index.error}</span> : null}
                  {index.total > 0 ? (
                    <>
                      <span>
                        {index.done} of {index.total} files
                      </span>
                      <Progress
                        value={(index.done / index.total) * 100}
                        w={160}
                        aria-label={`Progress of ${index.project_path}`}
                      />
                    </>
                  ) : null}
                </>
              }
              after={
                index.state === 'failed' ? (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Rebuild the index of ${index.project_path}`}
                    onClick={() => rebuild.mutate(index)}
                  >
                    Rebuild
                  </Button>
                ) : null
              }
            />
          ))}
        </DataList>
      )}
    </section>
  );
}
