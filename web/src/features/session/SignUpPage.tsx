/** Asking for an account, and what happens next. */
import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { signIn } from '../../lib/api.ts';
import { type NewAccount, passwordRules, registrationQuery, signUp } from '../../lib/registration.ts';
import { switchSession } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { LinkButton } from '../../ui/links.ts';
import { MarkdownOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { Page } from '../../ui/Page.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { headingOf, InstanceDescription, InstanceLogo } from './Instance.tsx';
import classes from './session.module.css';
import { Terms } from './Terms.tsx';

/** What keeps a new account from signing in. */
function Waiting({ account, email, after }: { account: NewAccount; email: string; after: string }) {
  return (
    <Page title={account.confirmed ? 'Your account is pending approval' : 'Confirm your email address'} narrow="form">
      <Stack gap="md">
        {account.confirmed ? null : (
          <Text>
            We sent a confirmation link to <strong>{email}</strong>. Open it to confirm your email address.
          </Text>
        )}
        {account.state === 'active' ? null : (
          <Text>An administrator has to approve the account @{account.username}. You will be notified by email.</Text>
        )}
        {after ? <MarkdownOnDemand html={after} /> : null}
        <div>
          <LinkButton to="/users/sign_in">Sign in</LinkButton>
        </div>
        {account.confirmed ? null : (
          <Anchor component={Link} to="/users/confirmation/new">
            Did not receive it? Send again
          </Anchor>
        )}
      </Stack>
    </Page>
  );
}

export default function SignUpPage() {
  const { data: offers } = useSuspenseQuery(registrationQuery);
  const fields = useFields({ name: '', username: '', email: '', password: '', terms_accepted: false });
  const [made, setMade] = useState<NewAccount | null>(null);
  const router = useRouter();
  const sending = useForm(async () => {
    const account = await signUp(fields.values);
    if (account.state !== 'active' || !account.confirmed) return setMade(account);
    switchSession(await signIn(fields.values.username, fields.values.password, false));
    router.history.push('/');
  });
  if (made) return <Waiting account={made} email={fields.values.email} after={offers.after_sign_up_html} />;
  if (!offers.signup_enabled)
    return (
      <Page title="Create an account" narrow="form">
        <Stack gap="md">
          <Alert variant="light" role="note">
            Only administrators can create accounts on this instance.
          </Alert>
          <div>
            <LinkButton to="/users/sign_in">Sign in</LinkButton>
          </div>
        </Stack>
      </Page>
    );
  const shared = { of: fields, reason: sending.reason, required: true };
  const named = ['name', 'username', 'email', 'password', 'terms_accepted', 'terms'].some((name) =>
    sending.reason(name),
  );
  return (
    <Page title="Create an account" heading={headingOf('Create an account', offers.instance, 'on')} narrow="form">
      <InstanceLogo of={offers.instance} />
      <InstanceDescription of={offers.instance} />
      <form {...sending.form} className={classes.form}>
        <FormError error={named ? null : sending.error} />
        <Stack gap="md">
          {offers.require_admin_approval_after_user_signup ? (
            <Text c="var(--mr-dim)">New accounts must be approved by an administrator.</Text>
          ) : null}
          <TextField {...shared} name="name" label="Name" autoComplete="name" autoFocus />
          <TextField
            {...shared}
            name="username"
            label="Username"
            description="Used in the URLs of your profile and projects"
            autoComplete="username"
            autoCapitalize="none"
          />
          <TextField {...shared} name="email" label="Email" type="email" autoComplete="email" />
          <PasswordField
            {...shared}
            name="password"
            label="Password"
            description={passwordRules(offers)}
            autoComplete="new-password"
          />
          {offers.terms_html === null ? null : (
            <Terms
              html={offers.terms_html}
              accepted={fields.values.terms_accepted}
              accept={(accepted) => fields.set('terms_accepted', accepted)}
              error={sending.reason('terms_accepted') ?? sending.reason('terms')}
            />
          )}
          <Button type="submit" loading={sending.pending}>
            Create account
          </Button>
        </Stack>
      </form>
      <div className={classes.links}>
        <span>
          Already have an account? <Link to="/users/sign_in">Sign in</Link>
        </span>
      </div>
    </Page>
  );
}
