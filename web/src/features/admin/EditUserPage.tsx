/** Everything that administrators may change of an account. */
import { Checkbox, Stack } from '@mantine/core';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { userByName } from '../../lib/accounts.ts';
import { client, unwrap } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { ofUser } from '../../lib/users.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { LinkButton } from '../../ui/links.ts';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import account from '../account/account.module.css';
import { ProfileFields, profileValues } from '../profile/ProfileFields.tsx';
import { Save } from '../settings/Save.tsx';
import { AdminFrame } from './AdminFrame.tsx';
import { RightsFields, rightsValues } from './RightsFields.tsx';

export default function EditUserPage() {
  const { username } = useParams({ from: '/administration/admin/users/$username/edit' });
  const { data: found } = useSuspenseQuery(userByName(username));
  const of = ofUser(found.id);
  const { data: user } = useSuspenseQuery(of.details());
  const { data: emails } = useSuspenseQuery(of.emails());
  const { data: session } = useQuery(sessionQuery);
  const own = session?.user?.id === user.id;
  const fields = useFields({
    name: user.name,
    username: user.username,
    email: user.email ?? '',
    skip_reconfirmation: true,
    password: '',
    provider: '',
    extern_uid: '',
    ...profileValues(user),
    ...rightsValues(user),
  });
  const { values } = fields;
  const cache = useQueryClient();
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const { password, provider, extern_uid, projects_limit, email, skip_reconfirmation, admin, ...rest } = values;
    const fresh = await unwrap(
      client.PUT('/users/{id}', {
        params: { path: { id: user.id } },
        body: {
          ...rest,
          ...(own ? {} : { admin }),
          ...(projects_limit === '' ? {} : { projects_limit: Number(projects_limit) }),
          ...(password ? { password } : {}),
          ...(email === user.email ? {} : { email, skip_reconfirmation }),
          ...(provider || extern_uid ? { provider, extern_uid } : {}),
        },
      }),
    );
    // The name is part of the address, so that page comes first.
    await navigate({ to: '/admin/users/$username', params: { username: fresh.username } });
    await cache.invalidateQueries({ queryKey: ['users'] });
    if (own) await cache.invalidateQueries(sessionQuery);
  });
  const shared = { of: fields, reason: sending.reason, autoComplete: 'off' } as const;
  const confirmed = emails.filter(({ confirmed_at }) => confirmed_at !== null).map((each) => each.email);
  const addresses = user.confirmed_at && user.email ? [...new Set([user.email, ...confirmed])] : confirmed;
  return (
    <AdminFrame title={`Edit ${user.name}`}>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <TextField {...shared} name="name" label="Name" required />
          <TextField
            {...shared}
            name="username"
            label="Username"
            required
            description="Changes the URLs of the profile and of personal projects"
          />
          <TextField {...shared} name="email" label="Email" type="email" required />
          {values.email === user.email ? null : (
            <Checkbox
              label="Skip confirmation"
              description="Otherwise the user receives a message to confirm it"
              checked={values.skip_reconfirmation}
              onChange={(event) => fields.set('skip_reconfirmation', event.currentTarget.checked)}
            />
          )}
          <PasswordField
            {...shared}
            name="password"
            label="New password"
            description="Ends all sessions, and must be changed at the next sign-in. Leave empty to keep the current password"
            autoComplete="new-password"
          />
        </Stack>
        <section className={account.section} aria-label="Rights">
          <h2>Rights</h2>
          <RightsFields of={fields} reason={sending.reason} own={own} />
        </section>
        <section className={account.section} aria-label="Profile">
          <h2>Profile</h2>
          <Stack gap="md">
            <ProfileFields of={fields} reason={sending.reason} addresses={addresses} />
          </Stack>
        </section>
        <section className={account.section} aria-label="External identities">
          <h2>External identities</h2>
          <div className={account.pair}>
            <TextField {...shared} name="provider" label="Provider" description="Sets or replaces the identity" />
            <TextField {...shared} name="extern_uid" label="External user ID" description="Unique and permanent" />
          </div>
        </section>
        <Stack gap="md" mt="lg" align="flex-start">
          <FormError error={sending.error} />
          <Save pending={sending.pending} done={sending.done}>
            <LinkButton size="sm" to="/admin/users/$username" params={{ username: user.username }}>
              Cancel
            </LinkButton>
          </Save>
        </Stack>
      </form>
    </AdminFrame>
  );
}
