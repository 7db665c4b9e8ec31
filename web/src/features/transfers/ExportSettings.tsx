/** The archive of a project: making one, and fetching the last. */
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { projectExport } from '../../lib/transfers.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useProject } from '../projects/useProject.ts';
import { ImportOutcome } from './ImportOutcome.tsx';

const words = {
  none: 'No export yet.',
  queued: 'The export is queued.',
  started: 'The export is being created.',
  finished: 'The export is ready to download.',
  regeneration_in_progress: 'A new export is being created. The previous one is ready to download.',
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
        The export contains the repository with all branches and tags, Git LFS files, the wiki, uploads, settings,
        issues, boards, labels, milestones, merge requests with their comments and approvals, pipelines, releases,
        snippets, members, and webhooks without their secrets. It never contains CI/CD variables or tokens. To import it
        elsewhere, use New project, Import from export file.
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
          {there ? 'Export again' : 'Export project'}
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
