/** One member: those of the place itself can be changed, the others say where their role comes from. */
import { ActionIcon, Badge, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconUserMinus } from '@tabler/icons-react';
import type { Member } from '../../lib/members.ts';
import { inDays } from '../../lib/time.ts';
import { DataRow } from '../../ui/DataList.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { levelName, levelsOf } from './levels.ts';
import classes from './members.module.css';

export interface MemberActions {
  change(member: Member, terms: { access_level: number; expires_at?: string | null }): void;
  remove(member: Member): void;
}

interface Props {
  readonly member: Member;
  readonly manages: boolean;
  readonly topLevel: boolean;
  readonly selected: boolean;
  select(selected: boolean): void;
  readonly actions: MemberActions;
}

const from = ({ source }: Member) => (source?.kind === 'shared' ? 'invited with' : 'inherited from');

export function MemberRow({ member, manages, topLevel, selected, select, actions }: Props) {
  const own = member.source?.kind === 'direct';
  return (
    <DataRow
      before={
        manages ? (
          <Checkbox
            size="xs"
            aria-label={`Select ${member.name}`}
            checked={selected}
            disabled={!own}
            onChange={(event) => select(event.currentTarget.checked)}
          />
        ) : undefined
      }
      title={
        <a href={`/${member.username}`} data-entry>
          <UserChip user={member} />
        </a>
      }
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
            joined <TimeAgo at={member.created_at} />
          </span>
          {member.expires_at ? <span>until {member.expires_at}</span> : null}
          {member.state === 'active' ? null : <strong>{member.state}</strong>}
        </>
      }
      after={
        manages && own ? (
          <>
            <NativeSelect
              size="xs"
              aria-label={`Role of ${member.name}`}
              data={levelsOf(topLevel)}
              value={String(member.access_level)}
              onChange={(event) => actions.change(member, { access_level: Number(event.currentTarget.value) })}
            />
            <TextInput
              key={member.expires_at}
              size="xs"
              type="date"
              aria-label={`Expiration date of ${member.name}`}
              min={inDays(1)}
              defaultValue={member.expires_at ?? ''}
              onBlur={(event) => {
                const expires_at = event.currentTarget.value || null;
                if (expires_at !== member.expires_at)
                  actions.change(member, { access_level: member.access_level, expires_at });
              }}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={30}
              aria-label={`Remove ${member.name}`}
              onClick={() => actions.remove(member)}
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
}
