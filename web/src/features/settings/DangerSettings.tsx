/** Deleting a project. */
import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { ActionSection } from '../../ui/ActionSection.tsx';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useProject } from '../projects/useProject.ts';

export function DangerSettings() {
  const { project, path } = useProject();
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const remove = useMutation({
    mutationFn: () => unwrap(client.DELETE('/projects/{id}', { params: { path: { id: path } } })),
    async onSuccess() {
      await navigate({ to: '/' });
      cache.removeQueries({ queryKey: ['project', path] });
      await cache.invalidateQueries({ queryKey: ['projects'] });
    },
  });
  return (
    <ActionSection title="Delete project">
      <Text>
        Its repository, issues, merge requests, pipelines, logs and artifacts will be deleted. You can restore it during
        the deletion delay of this instance.
      </Text>
      <Button color="red" onClick={() => setAsking(true)}>
        Delete project
      </Button>
      <ConfirmName
        opened={asking}
        title="Delete project"
        text="The project and everything in it will be deleted."
        name={project.path_with_namespace}
        action="Delete project"
        pending={remove.isPending}
        error={remove.error}
        close={() => setAsking(false)}
        confirm={() => remove.mutate()}
      />
    </ActionSection>
  );
}
