/** Where somebody is signed in, and ending it from here. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { deviceOf } from './device.ts';

export default function SessionsPage() {
  const { data: sessions } = useSuspenseQuery(data.activeSessions());
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['active-sessions'] });
  const end = useMutation({
    mutationFn: (id: number) =>
      unwrap(client.DELETE('/user/sessions/{session_id}', { params: { path: { session_id: id } } })),
    onSuccess: again,
  });
  const endOthers = useMutation({ mutationFn: () => unwrap(client.DELETE('/user/sessions')), onSuccess: again });
  return (
    <Page title="Active sessions" narrow>
      <Stack gap="lg">
        <Text c="var(--mr-dim)">Browsers that are signed in as you.</Text>
        <FormError error={end.error ?? endOthers.error} />
        <DataList label="Sessions">
          {sessions.map((session) => (
            <DataRow
              key={session.id}
              title={deviceOf(session.user_agent)}
              meta={
                <>
                  {session.impersonator ? <strong>@{session.impersonator} acting as you</strong> : null}
                  <span>{session.ip_address}</span>
                  <span>
                    signed in <TimeAgo at={session.created_at} />
                  </span>
                  <span>
                    seen <TimeAgo at={session.last_seen_at} />
                  </span>
                </>
              }
              after={
                session.current ? (
                  <Badge variant="light">This one</Badge>
                ) : (
                  <Button
                    size="xs"
                    variant="default"
                    loading={end.isPending && end.variables === session.id}
                    onClick={() => end.mutate(session.id)}
                  >
                    Sign out
                  </Button>
                )
              }
            />
          ))}
        </DataList>
        {sessions.length > 1 ? (
          <Group>
            <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
              Sign out everywhere else
            </Button>
          </Group>
        ) : null}
      </Stack>
    </Page>
  );
}
