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
    <ActionSection title="Move the project">
      <Text>
        Members, branches, merge requests and pipelines move along. Old addresses lead to the new place until something
        else is there.
      </Text>
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
        Move project
      </Button>
      <ConfirmName
        opened={asking}
        title="Move project"
        text="The address of the project changes, and the members of the new group are its members."
        name={project.path_with_namespace}
        action="Move project"
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
    <ActionSection title={project.archived ? 'Open the project again' : 'Archive the project'}>
      <Text>
        {project.archived
          ? 'It is read-only now: nobody can push or change anything in it.'
          : 'An archived project is read-only, and is left out of lists of active projects.'}
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
    <ActionSection title="Bring the project back">
      <Text>It waits for its removal. Brought back, it has its name and address again if they are free.</Text>
      <FormError error={restore.error} />
      <Button loading={restore.isPending} onClick={() => restore.mutate()}>
        Restore project
      </Button>
    </ActionSection>
  );
}
