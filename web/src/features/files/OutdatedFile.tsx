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
    <Alert color="race" variant="light" role="alert" mb="sm" title="This file has changed in the meantime">
      <Text mb="sm">
        {overwrite.isSuccess
          ? 'Commit again to overwrite their changes.'
          : 'Your changes are kept. View the other changes, overwrite them, or commit to a new branch and merge both with a merge request.'}
      </Text>
      {overwrite.error ? <Text mb="sm">{overwrite.error.message}</Text> : null}
      <Group gap="sm">
        <LinkButton
          to="/p/$path/commits/$"
          params={{ path: segment, _splat: first ? `${gitRef}/${first[1].previous}` : gitRef }}
          target="_blank"
        >
          View changes
        </LinkButton>
        <Button size="xs" variant="default" onClick={apart}>
          Commit to a new branch
        </Button>
        <Button size="xs" variant="default" loading={overwrite.isPending} onClick={() => overwrite.mutate()}>
          Overwrite
        </Button>
      </Group>
    </Alert>
  );
}
