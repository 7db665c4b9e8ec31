/** How much mail one wants, from everywhere and from single groups and projects, and where it goes. */
import { Checkbox, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import * as accounts from '../../lib/accounts.ts';
import * as notifications from '../../lib/notifications.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import classes from './account.module.css';

const levels = [
  { value: 'watch', label: 'Watch: all activity' },
  { value: 'participating', label: 'Participate: threads that I take part in' },
  { value: 'mention', label: 'On mention' },
  { value: 'disabled', label: 'Nothing' },
  { value: 'custom', label: 'Custom' },
];
const asEverywhere = { value: 'global', label: 'Global' };

type Events = Readonly<Record<string, boolean>>;

interface ChosenProps {
  readonly events: Events;
  save(values: Events): Promise<unknown>;
}

/** The single events of the level `custom`: shown as chosen at once, and as they were when the server refused. */
function Chosen({ events, save }: ChosenProps) {
  const [chosen, setChosen] = useState(events);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
      {Object.entries(chosen).map(([name, on]) => (
        <Checkbox
          key={name}
          label={name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())}
          checked={on}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            setChosen((before) => ({ ...before, [name]: checked }));
            save({ [name]: checked }).catch(() => setChosen(events));
          }}
        />
      ))}
    </SimpleGrid>
  );
}

function PlaceRow({ place, name, path }: { place: notifications.Place; name: string; path: string }) {
  const { data } = useQuery(notifications.setting(place));
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: (values: notifications.Values) => notifications.save(place, values),
    onSuccess: (fresh) => cache.setQueryData(notifications.setting(place).queryKey, fresh),
  });
  return (
    <>
      <DataRow
        title={
          <Link to={place.kind === 'group' ? '/g/$path' : '/o/$path'} params={{ path: toSegment(path) }} data-entry>
            {name}
          </Link>
        }
        meta={save.error ? <span role="alert">{save.error.message}</span> : null}
        after={
          <NativeSelect
            size="xs"
            aria-label={`Notification level of ${name}`}
            disabled={!data}
            data={[asEverywhere, ...levels]}
            value={data?.level ?? 'global'}
            onChange={(event) => save.mutate({ level: event.currentTarget.value as notifications.Level })}
          />
        }
      />
      {data?.events ? (
        <DataRow
          title={`Custom notifications of ${name}`}
          meta={<Chosen events={data.events} save={save.mutateAsync} />}
        />
      ) : null}
    </>
  );
}

function Everywhere() {
  const { data } = useSuspenseQuery(notifications.everywhere());
  const { data: account } = useSuspenseQuery(accounts.self());
  const { data: emails } = useSuspenseQuery(accounts.ownEmails());
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: notifications.saveEverywhere,
    onSuccess: (fresh) => cache.setQueryData(notifications.everywhere().queryKey, fresh),
  });
  const addresses = [account.email, ...emails.flatMap(({ email, confirmed_at }) => (confirmed_at ? email : []))];
  return (
    <Stack gap="md">
      <FormError error={save.error} />
      <NativeSelect
        label="Notification email"
        description="One of your confirmed addresses. Messages about your password go to the primary address."
        data={addresses}
        value={data.notification_email}
        onChange={(event) => save.mutate({ notification_email: event.currentTarget.value })}
      />
      <NativeSelect
        label="Global notification level"
        description="Used unless a group or project below has its own level"
        data={levels}
        value={data.level === 'global' ? 'participating' : data.level}
        onChange={(event) => save.mutate({ level: event.currentTarget.value as notifications.Level })}
      />
      {data.events ? <Chosen events={data.events} save={save.mutateAsync} /> : null}
    </Stack>
  );
}

export default function NotificationsPage() {
  const { data: groups } = useSuspenseQuery(notifications.ownGroups());
  const { data: projects } = useSuspenseQuery(notifications.ownProjects());
  return (
    <Page title="Notifications" narrow>
      <Text c="var(--mr-dim)" mb="md">
        Changes take effect immediately. Groups and projects without their own level use the global one.
      </Text>
      <Everywhere />
      <section className={classes.section} aria-label="Groups">
        <h2>Groups</h2>
        {groups.length === 0 ? (
          <Text c="var(--mr-dim)">You are not a member of any group.</Text>
        ) : (
          <DataList label="Groups">
            {groups.map((group) => (
              <PlaceRow
                key={group.id}
                place={{ kind: 'group', id: group.id }}
                name={group.full_name}
                path={group.full_path}
              />
            ))}
          </DataList>
        )}
      </section>
      <section className={classes.section} aria-label="Projects">
        <h2>Projects</h2>
        {projects.length === 0 ? (
          <Text c="var(--mr-dim)">You are not a member of any project.</Text>
        ) : (
          <DataList label="Projects">
            {projects.map((project) => (
              <PlaceRow
                key={project.id}
                place={{ kind: 'project', id: project.id }}
                name={project.name_with_namespace}
                path={project.path_with_namespace}
              />
            ))}
          </DataList>
        )}
      </section>
    </Page>
  );
}
