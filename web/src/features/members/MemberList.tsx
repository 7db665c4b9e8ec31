/** Everybody with a role: those of the place itself can be changed, the others say where their role comes from. */
import { ActionIcon, Badge, NativeSelect, TextInput } from '@mantine/core';
import { IconUserMinus } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { Member, MemberSource } from '../../lib/members.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { levelName, levels } from './levels.ts';
import classes from './members.module.css';

interface Props {
  readonly source: MemberSource;
  readonly members: readonly Member[];
  readonly manages: boolean;
  readonly changed: () => Promise<unknown>;
}

const from = ({ source }: Member) => (source?.kind === 'shared' ? 'invited with' : 'inherited from');

export function MemberList({ source, members, manages, changed }: Props) {
  const change = useMutation({
    mutationFn: ({ user, ...body }: { user: number; access_level: number; expires_at?: string | null }) =>
      source.change(user, body),
    onSuccess: changed,
  });
  const remove = useMutation({ mutationFn: (user: number) => source.remove(user), onSuccess: changed });
  return (
    <>
      <FormError error={change.error ?? remove.error} />
      <DataList label="Members">
        {members.map((member) => {
          const own = member.source?.kind === 'direct';
          return (
            <DataRow
              key={member.id}
              title={<UserChip user={member} />}
              meta={
                <>
                  <span>@{member.username}</span>
                  {own ? null : (
                    <span>
                      {from(member)}{' '}
                      <a className={classes.source} href={member.source?.web_url ?? '#'}>
                        {member.source?.name}
                      </a>
                    </span>
                  )}
                  <span>
                    since <TimeAgo at={member.created_at} />
                  </span>
                  {member.expires_at ? <span>until {member.expires_at}</span> : null}
                </>
              }
              after={
                manages && own ? (
                  <>
                    <NativeSelect
                      size="xs"
                      aria-label={`Level of ${member.name}`}
                      data={[...levels]}
                      value={String(member.access_level)}
                      onChange={(event) =>
                        change.mutate({ user: member.id, access_level: Number(event.currentTarget.value) })
                      }
                    />
                    <TextInput
                      size="xs"
                      type="date"
                      aria-label={`Last day of ${member.name}`}
                      defaultValue={member.expires_at ?? ''}
                      onBlur={(event) => {
                        const expires_at = event.currentTarget.value || null;
                        if (expires_at !== member.expires_at)
                          change.mutate({ user: member.id, access_level: member.access_level, expires_at });
                      }}
                    />
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size={30}
                      aria-label={`Remove ${member.name}`}
                      onClick={() => remove.mutate(member.id)}
                    >
                      <IconUserMinus size={16} />
                    </ActionIcon>
                  </>
                ) : (
                  <Badge variant="light" color="gray">
                    {levelName(member.access_level)}
                  </Badge>
                )
              }
            />
          );
        })}
      </DataList>
    </>
  );
}
