/** Somebody changed a file while it was edited: what can be done, with everything typed still there. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { LinkButton } from '../../ui/links.ts';
import { useProject } from '../projects/useProject.ts';
import type { Drafting } from './useDraft.ts';

interface Props {
  readonly drafting: Drafting;
  readonly gitRef: string;
  /** Goes on with a new branch that begins where the edit began. */
  apart(): void;
}

export function OutdatedFile({ drafting, gitRef, apart }: Props) {
  const { path, segment } = useProject();
  const edited = Object.entries(drafting.draft.files).filter(([, file]) => file.previous !== null);
  const [first] = edited;
  /** What is there now counts as seen. */
  const overwrite = useMutation({
    mutationFn: () =>
      Promise.all(
        edited.map(async ([key, file]) => {
          const found = await unwrap(
            client.GET('/projects/{id}/repository/files/{file_path}', {
              params: { path: { id: path, file_path: file.previous ?? '' }, query: { ref: gitRef } },
            }),
          );
          drafting.change(key, { ...file, lastCommit: found.last_commit_id }, found.commit_id);
        }),
      ),
  });
  return (
    <Alert color="race" variant="light" role="alert" mb="sm" title="Somebody changed this meanwhile">
      <Text mb="sm">
        {overwrite.isSuccess
          ? 'Commit again to put what you typed in place of their change.'
          : 'What you typed is kept. Look at the other change, put yours in its place, or commit to a new branch and let a merge request bring both together.'}
      </Text>
      {overwrite.error ? <Text mb="sm">{overwrite.error.message}</Text> : null}
      <Group gap="sm">
        <LinkButton
          to="/p/$path/commits/$"
          params={{ path: segment, _splat: first ? `${gitRef}/${first[1].previous}` : gitRef }}
          target="_blank"
        >
          See what changed
        </LinkButton>
        <Button size="xs" variant="default" onClick={apart}>
          Commit to a new branch
        </Button>
        <Button size="xs" variant="default" loading={overwrite.isPending} onClick={() => overwrite.mutate()}>
          Put mine in its place
        </Button>
      </Group>
    </Alert>
  );
}
