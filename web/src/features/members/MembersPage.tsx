/** Who takes part in a project, at which level, and inviting others. */
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { IconUserMinus } from '@tabler/icons-react';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { levelName, levels } from './levels.ts';
import classes from './members.module.css';

function AddMember() {
  const { path } = useProject();
  const [username, setUsername] = useState('');
  const [chosen, setChosen] = useState('30');
  const cache = useQueryClient();
  const sending = useForm(async () => {
    await unwrap(
      client.POST('/projects/{id}/members', {
        params: { path: { id: path } },
        body: { username, access_level: Number(chosen) },
      }),
    );
    setUsername('');
    await cache.invalidateQueries({ queryKey: ['project', path, 'members'] });
  });
  return (
    <form {...sending.form} className={classes.add}>
      <FormError error={sending.error} />
      <div className={classes.fields}>
        <TextInput
          label="Username"
          required
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          error={sending.reason('username') ?? sending.reason('user_id')}
        />
        <NativeSelect
          label="Level"
          data={[...levels]}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
          error={sending.reason('access_level')}
        />
        <Button type="submit" loading={sending.pending}>
          Add
        </Button>
      </div>
    </form>
  );
}

export default function MembersPage() {
  const view = useProject();
  const { project, parts, path } = view;
  const { data: members } = useSuspenseQuery(parts.members());
  const cache = useQueryClient();
  const done = () => cache.invalidateQueries({ queryKey: ['project', path, 'members'] });
  const change = useMutation({
    mutationFn: ({ user, to }: { user: number; to: number }) =>
      unwrap(
        client.PUT('/projects/{id}/members/{user_id}', {
          params: { path: { id: path, user_id: user } },
          body: { access_level: to },
        }),
      ),
    onSuccess: done,
  });
  const remove = useMutation({
    mutationFn: (user: number) =>
      unwrap(client.DELETE('/projects/{id}/members/{user_id}', { params: { path: { id: path, user_id: user } } })),
    onSuccess: done,
  });
  const manages = view.level >= level.maintainer;
  return (
    <Page title={`Members · ${project.name_with_namespace}`} heading="Members">
      {manages ? <AddMember /> : null}
      <FormError error={change.error ?? remove.error} />
      <DataList label="Members">
        {members.map((member) => (
          <DataRow
            key={member.id}
            title={<UserChip user={member} />}
            meta={
              <>
                <span>@{member.username}</span>
                <span>
                  since <TimeAgo at={member.created_at} />
                </span>
                {member.expires_at ? <span>until {member.expires_at}</span> : null}
              </>
            }
            after={
              manages ? (
                <>
                  <NativeSelect
                    size="xs"
                    aria-label={`Level of ${member.name}`}
                    data={[...levels]}
                    value={String(member.access_level)}
                    onChange={(event) => change.mutate({ user: member.id, to: Number(event.currentTarget.value) })}
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
                <span>{levelName(member.access_level)}</span>
              )
            }
          />
        ))}
      </DataList>
    </Page>
  );
}
