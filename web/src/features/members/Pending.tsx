/** Who waits for a seat of a top-level group or below it, until an owner lets them in. */
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { pendingMembers } from '../../lib/seats.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { UserChip } from '../../ui/UserChip.tsx';

export function Pending({ path, changed }: { path: string; changed: () => Promise<unknown> }) {
  const { data, error } = useQuery(pendingMembers(path));
  const approve = useMutation({
    mutationFn: (member_id: number | 'all') =>
      unwrap(
        member_id === 'all'
          ? client.POST('/groups/{id}/members/approve_all', { params: { path: { id: path } } })
          : client.PUT('/groups/{id}/members/{member_id}/approve', { params: { path: { id: path, member_id } } }),
      ),
    onSuccess: changed,
  });
  const waiting = data?.items.filter(({ invited }) => !invited) ?? [];
  const invited = data?.items.filter((member) => member.invited) ?? [];
  return (
    <section aria-label="Waiting">
      <FormError error={error ?? approve.error} />
      {data && data.items.length === 0 ? (
        <EmptyState title="No pending members">
          When all seats are taken, new members wait here until an owner approves them.
        </EmptyState>
      ) : null}
      {waiting.length > 1 ? (
        <Group mb="sm">
          <Button size="xs" loading={approve.isPending} onClick={() => approve.mutate('all')}>
            Approve all
          </Button>
        </Group>
      ) : null}
      {data && data.items.length > 0 ? (
        <DataList label="Waiting">
          {waiting.map((member) => (
            <DataRow
              key={member.id}
              title={<UserChip user={{ name: member.name ?? '', avatar_url: member.avatar_url }} />}
              meta={
                <>
                  <span>@{member.username}</span>
                  <span>waiting for a seat</span>
                </>
              }
              after={
                <Button
                  size="xs"
                  aria-label={`Approve ${member.name}`}
                  disabled={approve.isPending}
                  onClick={() => approve.mutate(member.id)}
                >
                  Approve
                </Button>
              }
            />
          ))}
          {invited.map((member) => (
            <DataRow key={`i${member.id}`} title={member.email ?? ''} meta={<span>invited, not accepted yet</span>} />
          ))}
        </DataList>
      ) : null}
      {data && data.nextPage !== null ? (
        <Text size="xs" c="var(--mr-dim)" mt="sm">
          Only the first 100 are shown.
        </Text>
      ) : null}
    </section>
  );
}
