/** Moving, archiving, deleting and bringing back a group. */
import { Button, NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../../lib/api.ts';
import { transferLocations } from '../../../lib/groups.ts';
import { toSegment } from '../../../lib/urls.ts';
import { ActionSection } from '../../../ui/ActionSection.tsx';
import { ConfirmName } from '../../../ui/ConfirmName.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { useGroup } from '../useGroupForm.ts';

function Move() {
  const { group, path, again } = useGroup();
  const { data: places = [] } = useQuery(transferLocations(path));
  const [to, setTo] = useState('');
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const move = useMutation({
    mutationFn: () =>
      unwrap(
        client.POST('/groups/{id}/transfer', {
          params: { path: { id: path } },
          body: to === 'top' ? {} : { group_id: to },
        }),
      ),
    async onSuccess(moved) {
      await navigate({ to: '/g/$path', params: { path: toSegment(moved.full_path) } });
      await again();
    },
  });
  const choices = [
    { value: '', label: 'Choose a new parent group' },
    ...(group.parent_id === null ? [] : [{ value: 'top', label: 'None (top-level group)' }]),
    ...places.map((place) => ({ value: String(place.id), label: place.full_name })),
  ];
  return (
    <ActionSection title="Transfer group">
      <Text>
        Everything in it moves along. Old URLs redirect; members of the current parent group lose inherited access.
      </Text>
      <NativeSelect
        label="Below"
        data={choices}
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        w="100%"
        maw={420}
      />
      <Button variant="default" disabled={to === ''} onClick={() => setAsking(true)}>
        Transfer group
      </Button>
      <ConfirmName
        opened={asking}
        title="Transfer group"
        text={`The URLs of the group and everything in it will change. New parent: ${choices.find(({ value }) => value === to)?.label}.`}
        name={group.full_path}
        action="Transfer group"
        pending={move.isPending}
        error={move.error}
        close={() => setAsking(false)}
        confirm={() => move.mutate()}
      />
    </ActionSection>
  );
}

function Archive() {
  const { group, path, again } = useGroup();
  const params = { params: { path: { id: path } } };
  const change = useMutation({
    mutationFn: () =>
      unwrap(
        group.archived ? client.POST('/groups/{id}/unarchive', params) : client.POST('/groups/{id}/archive', params),
      ),
    onSuccess: again,
  });
  return (
    <ActionSection title={group.archived ? 'Unarchive group' : 'Archive group'}>
      <Text>
        {group.archived ? 'An archived group is read-only.' : 'The group and everything in it become read-only.'}
      </Text>
      <FormError error={change.error} />
      <Button variant="default" loading={change.isPending} onClick={() => change.mutate()}>
        {group.archived ? 'Unarchive group' : 'Archive group'}
      </Button>
    </ActionSection>
  );
}

function Remove() {
  const { group, path, again } = useGroup();
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const id = { path: { id: String(group.id) } };
  const remove = useMutation({
    mutationFn: () => unwrap(client.DELETE('/groups/{id}', { params: { path: { id: path } } })),
    async onSuccess() {
      await navigate({ to: '/dashboard/groups' });
      await again();
    },
  });
  const restore = useMutation({
    mutationFn: () => unwrap(client.POST('/groups/{id}/restore', { params: id })),
    async onSuccess(back) {
      await navigate({ to: '/g/$path', params: { path: toSegment(back.full_path) } });
      await again();
    },
  });
  if (group.marked_for_deletion_on)
    return (
      <ActionSection title="Restore group">
        <Text>Scheduled for deletion since {group.marked_for_deletion_on}.</Text>
        <FormError error={restore.error} />
        <Button variant="default" loading={restore.isPending} onClick={() => restore.mutate()}>
          Restore group
        </Button>
      </ActionSection>
    );
  return (
    <ActionSection title="Delete group">
      <Text>
        Its subgroups and projects will be deleted, too. You can restore it during the deletion delay of this instance.
      </Text>
      <Button color="red" onClick={() => setAsking(true)}>
        Delete group
      </Button>
      <ConfirmName
        opened={asking}
        title="Delete group"
        text="The group, its subgroups and all their projects will be deleted."
        name={group.full_path}
        action="Delete group"
        pending={remove.isPending}
        error={remove.error}
        close={() => setAsking(false)}
        confirm={() => remove.mutate()}
      />
    </ActionSection>
  );
}

export function DangerPart() {
  return (
    <>
      <Move />
      <Archive />
      <Remove />
    </>
  );
}
