/** A person: picture, words and links, projects, whom they follow and who follows them. */
import { Avatar, Badge, Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearch } from '@tanstack/react-router';
import { userByName } from '../../lib/accounts.ts';
import { client, unwrap } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { toSegment } from '../../lib/urls.ts';
import { ofUser } from '../../lib/users.ts';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { TabRow } from '../../ui/TabRow.tsx';
import { EventList } from '../activity/EventList.tsx';
import { About } from './About.tsx';
import { ContributionCalendar } from './ContributionCalendar.tsx';
import { People } from './People.tsx';
import { ProjectList } from './ProjectList.tsx';
import classes from './profile.module.css';

/** Following, or not any more. */
function useFollow(id: number) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (follow: boolean) => {
      const path = { params: { path: { id } } };
      const call = follow ? client.POST('/users/{id}/follow', path) : client.POST('/users/{id}/unfollow', path);
      const { response } = await call;
      // 304: it was so already.
      if (response.status !== 304) await unwrap(call);
    },
    onSuccess: () => cache.invalidateQueries({ queryKey: ['users', id] }),
  });
}

export default function ProfilePage({ username }: { username: string }) {
  const { data: found } = useSuspenseQuery(userByName(username));
  const of = ofUser(found.id);
  const { data: user } = useSuspenseQuery(of.details());
  const { data: projects = [] } = useQuery(of.projects());
  const { data: events = [] } = useQuery(of.events());
  const { data: followers } = useQuery(of.followers());
  const { data: following } = useQuery(of.following());
  const { data: session } = useQuery(sessionQuery);
  const { tab = 'projects' } = useSearch({ from: '/o/$path' });
  // Of the address, which leads before the tab is there.
  const marked = useLocation({ select: ({ search }) => (search as { tab?: string }).tab }) ?? 'projects';
  const follow = useFollow(user.id);
  const self = session?.user;
  const isOwn = self?.id === user.id;
  const followed = user.is_followed ?? followers?.some(({ id }) => id === self?.id) ?? false;
  const withheld = followers === undefined;
  const tabs = [
    ['projects', 'Projects', projects.length],
    ['activity', 'Activity', null],
    ['followers', 'Followers', followers?.length ?? 0],
    ['following', 'Following', following?.length ?? 0],
  ] as const;
  return (
    <Page
      title={user.name}
      actions={
        <>
          {session?.admin || self?.is_admin ? (
            <LinkButton to="/admin/users/$username" params={{ username: user.username }}>
              Administer
            </LinkButton>
          ) : null}
          {isOwn ? <LinkButton to="/-/user_settings/profile">Edit profile</LinkButton> : null}
          {!isOwn && !withheld ? (
            <Button
              size="xs"
              variant={followed ? 'default' : 'filled'}
              loading={follow.isPending}
              onClick={() => follow.mutate(!followed)}
            >
              {followed ? 'Unfollow' : 'Follow'}
            </Button>
          ) : null}
        </>
      }
    >
      <FormError error={follow.error} />
      <div className={classes.layout}>
        <section aria-label="About" className={classes.person}>
          <Avatar src={user.avatar_url} name={user.name} size={120} color="race" variant="filled" alt="" />
          <div className={classes.names}>
            @{user.username}
            {user.pronouns ? ` · ${user.pronouns}` : ''}
          </div>
          {user.state === 'active' ? null : <Badge variant="default">{user.state.replaceAll('_', ' ')}</Badge>}
          {user.bot ? <Badge variant="default">bot</Badge> : null}
          <About user={user} />
        </section>
        <div className={classes.content}>
          {withheld ? null : <ContributionCalendar userId={user.id} />}
          <TabRow label="Profile" className={classes.tabs}>
            {tabs.map(([name, label, count]) =>
              name !== 'projects' && withheld ? null : (
                <Link
                  key={name}
                  to="/o/$path"
                  params={{ path: toSegment(user.username) }}
                  search={{ tab: name === 'projects' ? undefined : name }}
                  activeOptions={{ exact: true }}
                  aria-current={name === marked ? 'page' : undefined}
                >
                  {label} {count}
                </Link>
              ),
            )}
          </TabRow>
          {withheld ? (
            <Text c="var(--mr-dim)" mb="md">
              This profile is private.
            </Text>
          ) : null}
          {tab === 'activity' ? (
            <EventList events={events} />
          ) : tab === 'followers' && followers ? (
            <People label="Followers" people={followers} nobody="No followers yet" />
          ) : tab === 'following' && following ? (
            <People label="Following" people={following} nobody="Not following anyone yet" />
          ) : (
            <ProjectList projects={projects} />
          )}
        </div>
      </div>
    </Page>
  );
}
