/** Groups whose members have a role here, and inviting another one. */
import { Button, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as data from '../../lib/data.ts';
import type { MemberSource } from '../../lib/members.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { levelName, levels } from './levels.ts';
import classes from './members.module.css';
import { UntilField } from './UntilField.tsx';

export interface InvitedGroup {
  readonly group_id: number;
  readonly group_name: string;
  readonly group_full_path: string;
  readonly group_access_level: number;
  readonly expires_at: string | null;
}

interface Props {
  readonly source: MemberSource;
  readonly groups: readonly InvitedGroup[];
  readonly manages: boolean;
  readonly changed: () => Promise<unknown>;
}

export function InvitedGroups({ source, groups, manages, changed }: Props) {
  const { data: namespaces = [] } = useQuery({ ...data.namespaces(), enabled: manages });
  const known = new Set(groups.map(({ group_id }) => group_id));
  const choices = namespaces.filter(({ id, kind }) => kind === 'group' && !known.has(id));
  const [group, setGroup] = useState('');
  const [chosen, setChosen] = useState('30');
  const [until, setUntil] = useState('');
  const sending = useForm(async () => {
    await source.share({ group_id: Number(group), group_access: Number(chosen), expires_at: until || null });
    setGroup('');
    await changed();
  });
  return (
    <section aria-label="Invited groups">
      <FormError error={sending.error} />
      {manages ? (
        <form {...sending.form} className={classes.add} aria-label="Invite a group">
          <div className={classes.fields}>
            <NativeSelect
              label="Group"
              required
              data={[
                { value: '', label: 'Choose a group' },
                ...choices.map(({ id, full_path }) => ({ value: String(id), label: full_path })),
              ]}
              value={group}
              onChange={(event) => setGroup(event.currentTarget.value)}
            />
            <NativeSelect
              label="Maximum role"
              data={[...levels]}
              value={chosen}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
            <UntilField value={until} change={setUntil} />
            <Button type="submit" loading={sending.pending} disabled={group === ''}>
              Invite group
            </Button>
          </div>
        </form>
      ) : null}
      {groups.length === 0 ? <Text c="var(--mr-dim)">No groups are invited.</Text> : null}
      {groups.length === 0 ? null : (
        <DataList label="Invited groups">
          {groups.map(({ group_id, group_name, group_full_path, group_access_level, expires_at }) => (
            <DataRow
              key={group_id}
              title={<a href={`/groups/${group_full_path}`}>{group_name}</a>}
              meta={
                <>
                  <span>{group_full_path}</span>
                  <span>at most {levelName(group_access_level)}</span>
                  {expires_at ? <span>until {expires_at}</span> : null}
                </>
              }
              after={
                manages ? (
                  <ConfirmButton
                    title="Remove group"
                    about={`Remove ${group_name}`}
                    text={`Members of ${group_full_path} lose the access that this invitation gives them.`}
                    action="Remove group"
                    label="Remove"
                    run={() => source.unshare(group_id)}
                    shown={changed}
                  />
                ) : null
              }
            />
          ))}
        </DataList>
      )}
    </section>
  );
}
