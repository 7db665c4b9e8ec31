/** Signing in with a name or email address and a password, and what may stand between that and a session. */
import { Anchor, Button, Checkbox, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, type SessionState, signIn, type WaitingSignIn } from '../../lib/api.ts';
import { registrationQuery } from '../../lib/registration.ts';
import { switchSession } from '../../lib/session.ts';
import { ownPath } from '../../lib/urls.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import { ExpiredPassword } from './ExpiredPassword.tsx';
import { headingOf, InstanceDescription, InstanceLogo } from './Instance.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import classes from './session.module.css';
import { Terms } from './Terms.tsx';

const reasonOf = (error: Error | null): string | null => (error instanceof ApiError ? error.reason : null);

export default function SignInPage() {
  const { return_to } = useSearch({ from: '/users/sign_in' });
  const { data: offers } = useSuspenseQuery(registrationQuery);
  const [login, setLogin] = useState('');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(false);
  const [accepted, setAccepted] = useState(false);
  const router = useRouter();
  const [waiting, setWaiting] = useState<WaitingSignIn | null>(null);
  const enter = (session: SessionState) => {
    switchSession(session);
    const next = ownPath(return_to);
    // The request of an application is the server's to answer, letter by letter.
    if (next.startsWith('/oauth/authorize')) window.location.assign(next);
    else router.history.push(next);
  };
  const go = async (withPassword: string) => {
    const session = await signIn(login, withPassword, remember, accepted);
    if (session.two_factor) setWaiting(session.two_factor);
    else enter(session);
  };
  const sending = useForm(() => go(password));
  const reason = reasonOf(sending.error);
  if (waiting) return <SecondFactor waiting={waiting} enter={enter} back={() => setWaiting(null)} />;
  if (reason === 'password_expired')
    return <ExpiredPassword login={login} password={password} rules={offers} changed={go} />;
  return (
    <Page title="Sign in" heading={headingOf('Sign in', offers.instance, 'to')} narrow="form">
      <InstanceLogo of={offers.instance} />
      <InstanceDescription of={offers.instance} />
      <form {...sending.form} className={classes.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <TextInput
            label="Username or email"
            name="login"
            autoComplete="username"
            required
            autoFocus
            value={login}
            onChange={(event) => setLogin(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Checkbox
            label="Remember me"
            checked={remember}
            onChange={(event) => setRemember(event.currentTarget.checked)}
          />
          {reason === 'terms' && offers.terms_html !== null ? (
            <Terms html={offers.terms_html} accepted={accepted} accept={setAccepted} />
          ) : null}
          <Button type="submit" loading={sending.pending}>
            Sign in
          </Button>
        </Stack>
      </form>
      {offers.sign_in_html ? <MarkdownBody html={offers.sign_in_html} /> : null}
      <div className={classes.links}>
        {offers.password_reset_enabled ? (
          <Anchor component={Link} to="/users/password/new">
            Forgot your password?
          </Anchor>
        ) : null}
        {reason === 'unconfirmed' ? (
          <Anchor component={Link} to="/users/confirmation/new">
            Resend confirmation email
          </Anchor>
        ) : null}
        {offers.signup_enabled ? (
          <span>
            No account yet? <Link to="/users/sign_up">Create an account</Link>
          </span>
        ) : null}
        <Link to="/" search={{ list: 'all' }}>
          Explore public projects
        </Link>
      </div>
    </Page>
  );
}
