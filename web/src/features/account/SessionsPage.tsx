/** Where somebody is signed in, and ending it from here. */
import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { deviceOf } from './device.ts';

export default function SessionsPage() {
  const { data: sessions } = useSuspenseQuery(data.activeSessions());
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['active-sessions'] });
  return (
    <Page title="Active sessions" narrow>
      <Stack gap="lg">
        <Text c="var(--mr-dim)">Browsers that are signed in as you.</Text>
        <DataList label="Sessions">
          {sessions.map((session) => (
            <DataRow
              key={session.id}
              title={deviceOf(session.user_agent)}
              meta={
                <>
                  {session.impersonator ? <strong>@{session.impersonator} impersonating you</strong> : null}
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
                  <Badge variant="light">This session</Badge>
                ) : (
                  <ConfirmButton
                    title="Sign out of this session"
                    text={`${deviceOf(session.user_agent)} (${session.ip_address}) is signed out immediately.`}
                    action="Sign out"
                    run={() =>
                      unwrap(
                        client.DELETE('/user/sessions/{session_id}', { params: { path: { session_id: session.id } } }),
                      )
                    }
                    shown={again}
                  />
                )
              }
            />
          ))}
        </DataList>
        {sessions.length > 1 ? (
          <Group>
            <ConfirmButton
              title="Sign out of all other sessions"
              text="All browsers except this one are signed out immediately."
              action="Sign out"
              label="Sign out of all other sessions"
              size="sm"
              run={() => unwrap(client.DELETE('/user/sessions'))}
              shown={again}
            />
          </Group>
        ) : null}
      </Stack>
    </Page>
  );
}
