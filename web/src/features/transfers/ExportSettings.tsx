/** The archive of a project: making one, and fetching the last. */
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { projectExport } from '../../lib/transfers.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useProject } from '../projects/useProject.ts';
import { ImportOutcome } from './ImportOutcome.tsx';

const words = {
  none: 'There is no archive yet.',
  queued: 'An archive is about to be made.',
  started: 'The archive is being made.',
  finished: 'The archive can be fetched.',
  regeneration_in_progress: 'A new archive is being made; the one before can be fetched.',
} as const;
const busy: ReadonlySet<string> = new Set(['queued', 'started', 'regeneration_in_progress']);

export function ExportSettings() {
  const { path } = useProject();
  const cache = useQueryClient();
  const { data: found, error } = useQuery({
    ...projectExport(path),
    refetchInterval: ({ state }) => (busy.has(state.data?.export_status ?? '') ? 1_000 : false),
  });
  const make = useMutation({
    mutationFn: () => unwrap(client.POST('/projects/{id}/export', { params: { path: { id: path } }, body: {} })),
    onSuccess: () => cache.invalidateQueries(projectExport(path)),
  });
  const status = found?.export_status;
  const there = status === 'finished' || status === 'regeneration_in_progress';
  return (
    <>
      <h2>Export</h2>
      <Text mb="sm">
        The archive holds the repository with all branches and tags, its large files, the wiki, uploaded files,
        settings, rules, labels, milestones, badges, releases, merge requests, comments, members and webhooks without
        their secrets. CI/CD variables and tokens are never in it. It makes the same project elsewhere: New project,
        Import from export file.
      </Text>
      <FormError error={make.error ?? error ?? null} />
      {found?.message ? (
        <Text c="var(--mr-failed)" mb="sm">
          {found.message}
        </Text>
      ) : null}
      <Text mb="sm" role="status">
        {status ? words[status] : ''}
      </Text>
      <Group gap="xs">
        <Button
          variant={there ? 'default' : 'filled'}
          loading={make.isPending}
          disabled={status === undefined || busy.has(status)}
          onClick={() => make.mutate()}
        >
          {there ? 'Make a new archive' : 'Make an archive'}
        </Button>
        {there && found?._links ? (
          <Button component="a" href={new URL(found._links.api_url).pathname} download>
            Download
          </Button>
        ) : null}
      </Group>
      <ImportOutcome />
    </>
  );
}
