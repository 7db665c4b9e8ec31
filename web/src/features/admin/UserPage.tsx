/** One account as administrators see it: what it is, what belongs to it, what can be done with it. */
import { Group } from '@mantine/core';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { userByName } from '../../lib/accounts.ts';
import { client, unwrap } from '../../lib/api.ts';
import { counted } from '../../lib/counted.ts';
import { sessionQuery } from '../../lib/session.ts';
import { toSegment } from '../../lib/urls.ts';
import { ofUser } from '../../lib/users.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { LinkButton } from '../../ui/links.ts';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import account from '../account/account.module.css';
import { levelName } from '../members/levels.ts';
import { Facts } from '../profile/Facts.tsx';
import { AdminFrame } from './AdminFrame.tsx';
import { Identities } from './Identities.tsx';
import { Impersonate } from './Impersonate.tsx';
import { Marks } from './Marks.tsx';
import { Memberships } from './Memberships.tsx';
import { RemoveUser } from './RemoveUser.tsx';
import { stateWord } from './states.ts';
import { UserActions } from './UserActions.tsx';
import { UserKeys } from './UserKeys.tsx';

export default function UserPage() {
  const { username } = useParams({ from: '/administration/admin/users/$username' });
  const { data: found } = useSuspenseQuery(userByName(username));
  const of = ofUser(found.id);
  const { data: user } = useSuspenseQuery(of.details());
  const { data: emails } = useSuspenseQuery(of.emails());
  const { data: counts } = useSuspenseQuery(of.counts());
  const { data: session } = useQuery(sessionQuery);
  const own = session?.user?.id === user.id;
  const cache = useQueryClient();
  const removeEmail = (email_id: number) =>
    unwrap(client.DELETE('/users/{id}/emails/{email_id}', { params: { path: { id: user.id, email_id } } }));
  const yes = (value: boolean | undefined) => (value ? 'Yes' : 'No');
  return (
    <AdminFrame
      title={user.name}
      actions={
        <>
          <LinkButton to="/o/$path" params={{ path: toSegment(user.username) }}>
            View profile
          </LinkButton>
          <LinkButton to="/admin/users/$username/edit" params={{ username: user.username }} variant="filled">
            Edit
          </LinkButton>
        </>
      }
    >
      <Group gap="xs" mb="sm">
        <span>@{user.username}</span>
        <Marks user={user} />
      </Group>
      <UserActions user={user} own={own}>
        {session?.impersonation_enabled && !own && user.state === 'active' && !user.bot ? (
          <>
            <Impersonate user={user} />
            <LinkButton to="/admin/users/$username/impersonation_tokens" params={{ username: user.username }}>
              Impersonation tokens
            </LinkButton>
          </>
        ) : null}
      </UserActions>
      <section className={account.section} aria-label="Account">
        <h2>Account</h2>
        <Facts
          facts={[
            ['ID', user.id],
            ['State', stateWord(user.state)],
            ['Email', user.email],
            ['Confirmed', <TimeAgo key="confirmed" at={user.confirmed_at} />],
            ['Awaiting confirmation', user.unconfirmed_email],
            ['Created', <TimeAgo key="created" at={user.created_at} />],
            ['Created by', user.created_by ? <UserChip key="by" user={user.created_by} /> : null],
            ['Two-factor authentication', yes(user.two_factor_enabled)],
            ['Can create groups', yes(user.can_create_group)],
            ['Project limit', user.projects_limit?.toLocaleString('en')],
            ['Private profile', yes(user.private_profile)],
            ['Highest role', user.highest_role ? levelName(user.highest_role) : 'None'],
            [
              'Associated with',
              [
                counted(counts.projects_count, 'project', 'projects'),
                counted(counts.groups_count, 'group', 'groups'),
                counted(counts.merge_requests_count, 'merge request', 'merge requests'),
              ].join(', '),
            ],
            ['Note', user.note],
          ]}
        />
      </section>
      <section className={account.section} aria-label="Sign-ins">
        <h2>Sign-ins</h2>
        <Facts
          facts={[
            ['Number of sign-ins', (user.sign_in_count ?? 0).toLocaleString('en')],
            ['Last sign-in', <TimeAgo key="current" at={user.current_sign_in_at} />],
            ['Last IP address', user.current_sign_in_ip],
            ['Previous sign-in', <TimeAgo key="last" at={user.last_sign_in_at} />],
            ['Previous IP address', user.last_sign_in_ip],
            ['Last active', user.last_activity_on],
          ]}
        />
      </section>
      <section className={account.section} aria-label="Other addresses">
        <h2>Other addresses</h2>
        {emails.length === 0 ? 'None.' : null}
        <Facts
          facts={emails.map((email) => [
            email.email,
            <span key={email.id}>
              {email.confirmed_at ? 'confirmed' : 'not confirmed'}{' '}
              <ConfirmButton
                title="Remove email address"
                about={`Remove ${email.email}`}
                text={`${email.email} no longer belongs to ${user.name}. Commits made with it are no longer linked to the account.`}
                action="Remove address"
                label="Remove"
                size="compact-xs"
                run={() => removeEmail(email.id)}
                shown={() => cache.invalidateQueries({ queryKey: ['users', user.id] })}
              />
            </span>,
          ])}
        />
      </section>
      <Memberships id={user.id} />
      <UserKeys id={user.id} />
      <Identities user={user} />
      <RemoveUser user={user} own={own} />
    </AdminFrame>
  );
}
