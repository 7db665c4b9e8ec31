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
      <Page title="Forgotten password" narrow>
        <Alert variant="light" role="note">
          This instance sends no messages for new passwords. An administrator can set one for you.
        </Alert>
      </Page>
    );
  return (
    <AskByMail
      title="Forgotten password"
      text="A message with a link goes to the primary address of your account. The link works for two days."
      action="Send the link"
      send={askForPassword}
    />
  );
}
