/** Asking for a link with which to choose a new password. */
import { Alert } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { askForPassword, registrationQuery } from '../../lib/registration.ts';
import { Page } from '../../ui/Page.tsx';
import { AskByMail } from './AskByMail.tsx';

export default function ForgottenPasswordPage() {
  const { data: offers } = useSuspenseQuery(registrationQuery);
  if (!offers.password_reset_enabled)
    return (
      <Page title="Reset password" narrow="form">
        <Alert variant="light" role="note">
          This instance does not send password reset messages. Ask an administrator to set a new password for you.
        </Alert>
      </Page>
    );
  return (
    <AskByMail
      title="Reset password"
      text="We will send a link to your primary email address. It is valid for two days."
      action="Send link"
      send={askForPassword}
    />
  );
}
