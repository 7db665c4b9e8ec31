/** Who asks for access, and which addresses are invited. */
import { Button, NativeSelect, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { MemberSource } from '../../lib/members.ts';
import { inDays } from '../../lib/time.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { levels } from './levels.ts';

interface Props {
  readonly source: MemberSource;
  readonly changed: () => Promise<unknown>;
}

export function AccessRequests({ source, changed }: Props) {
  const { data: requests = [], error } = useQuery({
    queryKey: [...source.key, 'requests'],
    queryFn: () => source.requests(),
    refetchOnMount: 'always',
  });
  const approve = useMutation({
    mutationFn: (id: number) => source.approve(id),
    onSuccess: changed,
  });
  return (
    <section aria-label="Access requests">
      <FormError error={approve.error ?? error} />
      {requests.length === 0 ? <Text c="var(--mr-dim)">No access requests.</Text> : null}
      {requests.length === 0 ? null : (
        <DataList label="Access requests">
          {requests.map((user) => (
            <DataRow
              key={user.id}
              title={<UserChip user={user} />}
              meta={
                <>
                  <span>@{user.username}</span>
                  <span>
                    asked <TimeAgo at={user.requested_at} />
                  </span>
                </>
              }
              after={
                <>
                  <Button size="xs" aria-label={`Approve ${user.name}`} onClick={() => approve.mutate(user.id)}>
                    Approve
                  </Button>
                  <ConfirmButton
                    title="Decline access request"
                    about={`Decline ${user.name}`}
                    text={`${user.name} will not become a member, and can request access again.`}
                    action="Decline request"
                    label="Decline"
                    run={() => source.deny(user.id)}
                    shown={changed}
                  />
                </>
              }
            />
          ))}
        </DataList>
      )}
    </section>
  );
}

export function Invitations({ source, changed }: Props) {
  const { data: invitations = [], error } = useQuery({
    queryKey: [...source.key, 'invitations'],
    queryFn: () => source.invitations(),
    refetchOnMount: 'always',
  });
  const change = useMutation({
    mutationFn: ({ email, ...terms }: { email: string; access_level?: number; expires_at?: string | null }) =>
      source.changeInvitation(email, terms),
    onSuccess: changed,
  });
  return (
    <section aria-label="Invitations">
      <FormError error={change.error ?? error} />
      {invitations.length === 0 ? <Text c="var(--mr-dim)">No pending invitations.</Text> : null}
      {invitations.length === 0 ? null : (
        <DataList label="Invitations">
          {invitations.map(({ id, invite_email, access_level, created_at, expires_at, created_by_name }) => (
            <DataRow
              key={id}
              title={invite_email}
              meta={
                <span>
                  invited <TimeAgo at={created_at} />
                  {created_by_name ? ` by ${created_by_name}` : ''}
                </span>
              }
              after={
                <>
                  <NativeSelect
                    size="xs"
                    aria-label={`Role of ${invite_email}`}
                    data={[...levels]}
                    value={String(access_level)}
                    onChange={(event) =>
                      change.mutate({ email: invite_email, access_level: Number(event.currentTarget.value) })
                    }
                  />
                  <TextInput
                    size="xs"
                    type="date"
                    aria-label={`Expiration date of ${invite_email}`}
                    min={inDays(1)}
                    defaultValue={expires_at?.slice(0, 10) ?? ''}
                    onBlur={(event) => {
                      const day = event.currentTarget.value || null;
                      if (day !== (expires_at?.slice(0, 10) ?? null))
                        change.mutate({ email: invite_email, expires_at: day });
                    }}
                  />
                  <ConfirmButton
                    title="Cancel invitation"
                    about={`Cancel the invitation of ${invite_email}`}
                    text={`The link that was sent to ${invite_email} stops working.`}
                    action="Cancel invitation"
                    run={() => source.takeBack(invite_email)}
                    shown={changed}
                  />
                </>
              }
            />
          ))}
        </DataList>
      )}
    </section>
  );
}
