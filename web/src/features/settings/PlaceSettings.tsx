/** Moving a project elsewhere, and making it read-only. */
import { Button, NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { toSegment } from '../../lib/urls.ts';
import { ActionSection } from '../../ui/ActionSection.tsx';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useProject } from '../projects/useProject.ts';

export function Transfer() {
  const { project, path } = useProject();
  const { data: places, error } = useQuery(data.transferLocations(path));
  const [target, setTarget] = useState('');
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const move = useMutation({
    mutationFn: () =>
      unwrap(client.PUT('/projects/{id}/transfer', { params: { path: { id: path } }, body: { namespace: target } })),
    async onSuccess(moved) {
      await navigate({ to: '/o/$path', params: { path: toSegment(moved.path_with_namespace) } });
      cache.removeQueries({ queryKey: ['project', path] });
    },
  });
  return (
    <ActionSection title="Transfer project">
      <Text>Everything in it moves along. Old URLs redirect until they are taken by another project.</Text>
      <FormError error={error ?? null} />
      <NativeSelect
        label="New group"
        w="100%"
        maw={420}
        value={target}
        onChange={(event) => setTarget(event.currentTarget.value)}
        data={[
          { value: '', label: 'Choose a group' },
          ...(places ?? []).map((place) => ({ value: String(place.id), label: place.full_path })),
        ]}
      />
      <Button variant="default" disabled={target === ''} onClick={() => setAsking(true)}>
        Transfer project
      </Button>
      <ConfirmName
        opened={asking}
        title="Transfer project"
        text="The URL of the project changes, and members of the new group get access to it."
        name={project.path_with_namespace}
        action="Transfer project"
        pending={move.isPending}
        error={move.error}
        close={() => setAsking(false)}
        confirm={() => move.mutate()}
      />
    </ActionSection>
  );
}

export function Archive() {
  const { project, path } = useProject();
  const cache = useQueryClient();
  const change = useMutation({
    mutationFn: () => {
      const params = { params: { path: { id: path } } };
      return unwrap(
        project.archived
          ? client.POST('/projects/{id}/unarchive', params)
          : client.POST('/projects/{id}/archive', params),
      );
    },
    onSuccess: () => cache.invalidateQueries({ queryKey: ['project', path], exact: true }),
  });
  return (
    <ActionSection title={project.archived ? 'Unarchive project' : 'Archive project'}>
      <Text>
        {project.archived
          ? 'The project is read-only.'
          : 'An archived project is read-only and hidden from lists of active projects.'}
      </Text>
      <FormError error={change.error} />
      <Button variant="default" loading={change.isPending} onClick={() => change.mutate()}>
        {project.archived ? 'Unarchive project' : 'Archive project'}
      </Button>
    </ActionSection>
  );
}

export function Restore() {
  const { path } = useProject();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const restore = useMutation({
    mutationFn: () => unwrap(client.POST('/projects/{id}/restore', { params: { path: { id: path } } })),
    async onSuccess(restored) {
      await navigate({ to: '/o/$path', params: { path: toSegment(restored.path_with_namespace) } });
      cache.removeQueries({ queryKey: ['project', path] });
      await cache.invalidateQueries({ queryKey: ['projects'] });
    },
  });
  return (
    <ActionSection title="Restore project">
      <Text>The project is scheduled for deletion. It gets its name and URL back if they are still free.</Text>
      <FormError error={restore.error} />
      <Button loading={restore.isPending} onClick={() => restore.mutate()}>
        Restore project
      </Button>
    </ActionSection>
  );
}
