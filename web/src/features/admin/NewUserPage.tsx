/** A new account: who it is for, and how the person gets in. Everything else is on the page for editing. */
import { Checkbox, Radio, Stack } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client, unwrap } from '../../lib/api.ts';
import { passwordRules, registrationQuery } from '../../lib/registration.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { Save } from '../settings/Save.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function NewUserPage() {
  const { data: rules } = useSuspenseQuery(registrationQuery);
  const mails = rules.password_reset_enabled;
  const fields = useFields({
    name: '',
    username: '',
    email: '',
    password: '',
    way: mails ? 'mail' : 'password',
    confirmed: true,
    admin: false,
    external: false,
  });
  const { values } = fields;
  const cache = useQueryClient();
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const { way, password, confirmed, ...rest } = values;
    const user = await unwrap(
      client.POST('/users', {
        body: {
          ...rest,
          skip_confirmation: confirmed,
          ...(way === 'mail'
            ? { reset_password: true }
            : way === 'none'
              ? { force_random_password: true }
              : { password }),
        },
      }),
    );
    await cache.invalidateQueries({ queryKey: ['users'] });
    await navigate({ to: '/admin/users/$username', params: { username: user.username } });
  });
  const shared = { of: fields, reason: sending.reason, required: true, autoComplete: 'off' } as const;
  return (
    <AdminFrame title="New user">
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <TextField {...shared} name="name" label="Name" autoFocus />
          <TextField {...shared} name="username" label="Username" />
          <TextField {...shared} name="email" label="Email" type="email" />
          <Checkbox
            label="Email is confirmed"
            description="Otherwise the user must confirm it before signing in"
            checked={values.confirmed}
            onChange={(event) => fields.set('confirmed', event.currentTarget.checked)}
          />
          <Radio.Group label="Password" value={values.way} onChange={(way) => fields.set('way', way)}>
            <Stack gap={6} mt={6}>
              <Radio
                value="mail"
                label="Let the user choose"
                description={mails ? 'Sends a link by email' : 'Requires a mail server, and none is configured'}
                disabled={!mails}
              />
              <Radio value="password" label="Set a password" description="The user can change it later" />
              <Radio value="none" label="None" description="For accounts that sign in with SSO or LDAP" />
            </Stack>
          </Radio.Group>
          {values.way === 'password' ? (
            <PasswordField
              {...shared}
              name="password"
              label="Initial password"
              description={passwordRules(rules)}
              autoComplete="new-password"
            />
          ) : null}
          <Checkbox
            label="Administrator"
            description="Full access to this instance"
            checked={values.admin}
            onChange={(event) => fields.set('admin', event.currentTarget.checked)}
          />
          <Checkbox
            label="External"
            description="Cannot see internal projects and groups"
            checked={values.external}
            onChange={(event) => fields.set('external', event.currentTarget.checked)}
          />
          <Save pending={sending.pending} done={false} label="Create user" />
        </Stack>
      </form>
    </AdminFrame>
  );
}
