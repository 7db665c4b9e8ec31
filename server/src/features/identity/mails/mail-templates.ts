/** What accounts are told by mail. Links carry their token once; nothing else in a message is a secret. */
import type { MailText } from '../../../kernel/mail/index.ts';

interface Reader {
  readonly name: string;
  readonly username: string;
  readonly email: string;
  /** Where notices go instead. What decides over the account goes to the primary address alone. */
  readonly notification_email?: string | null;
}

const noticeTo = ({ notification_email, email }: Reader) => notification_email || email;

const hello = (name: string) => `Hello ${name},`;
const link = (externalUrl: string, path: string, name: string, token: string) =>
  `${externalUrl}${path}?${name}=${encodeURIComponent(token)}`;
const confirmationUrl = (externalUrl: string, token: string) =>
  link(externalUrl, '/users/confirmation', 'confirmation_token', token);
const passwordUrl = (externalUrl: string, token: string) =>
  link(externalUrl, '/users/password/edit', 'reset_password_token', token);

/** To the address itself: whoever reads it there may confirm it. */
export const confirmAddress = (user: Reader, address: string, token: string, externalUrl: string): MailText => ({
  to: address,
  subject: 'Confirm your email address',
  paragraphs: [hello(user.name), `Please confirm that ${address} belongs to you (account @${user.username}).`],
  action: { label: 'Confirm the address', url: confirmationUrl(externalUrl, token) },
  closing: 'The link works for three days. If you did not ask for this, ignore this message: nothing happens.',
});

export const accountCreated = (user: Reader, token: string, externalUrl: string): MailText => ({
  to: user.email,
  subject: 'Your account was created',
  paragraphs: [hello(user.name), `An administrator made an account for you: @${user.username}.`],
  action: { label: 'Choose a password', url: passwordUrl(externalUrl, token) },
  closing: 'The link works for two days and once. After that, ask for a new one on the sign-in page.',
});

export const resetPassword = (user: Reader, token: string, externalUrl: string): MailText => ({
  to: user.email,
  subject: 'Reset your password',
  paragraphs: [hello(user.name), `Somebody asked for a new password for your account @${user.username}.`],
  action: { label: 'Choose a new password', url: passwordUrl(externalUrl, token) },
  closing:
    'The link works for two days and once. If it was not you, ignore this message: your password stays as it is.',
});

export const tokensExpire = (
  user: Reader,
  tokens: readonly { readonly name: string; readonly expires_at: string }[],
  days: number,
  externalUrl: string,
): MailText => ({
  to: noticeTo(user),
  subject: `Your personal access tokens will expire in ${days} days or less`,
  paragraphs: [
    hello(user.name),
    `These personal access tokens of your account @${user.username} will expire in ${days} days or less:`,
  ],
  details: tokens.map(({ name, expires_at }) => [name, `expires on ${expires_at}`] as const),
  action: { label: 'View your access tokens', url: `${externalUrl}/-/user_settings/personal_access_tokens` },
  closing: 'Rotate the tokens that are still in use, or create new ones.',
});

export const passwordChanged = (user: Reader, byAdministrator: boolean): MailText => ({
  to: user.email,
  subject: 'Your password was changed',
  paragraphs: [
    hello(user.name),
    `The password of your account @${user.username} was changed${byAdministrator ? ' by an administrator' : ''}.`,
  ],
  closing: 'If you did not expect this, tell an administrator at once.',
});

export const addressChanged = (user: Reader, before: string): MailText => ({
  to: before,
  subject: 'Your email address was changed',
  paragraphs: [hello(user.name), `Your account @${user.username} uses another email address from now on.`],
  closing: 'If you did not expect this, tell an administrator at once.',
});

export const accountApproved = (user: Reader, externalUrl: string): MailText => ({
  to: user.email,
  subject: 'Your account was approved',
  paragraphs: [hello(user.name), `An administrator approved your account @${user.username}. You can sign in now.`],
  action: { label: 'Sign in', url: `${externalUrl}/users/sign_in` },
});

export const accountRejected = (user: Reader): MailText => ({
  to: user.email,
  subject: 'Your request for an account was declined',
  paragraphs: [hello(user.name), 'An administrator declined your request for an account. It was removed.'],
});

export const accountDeactivated = (user: Reader, externalUrl: string, addition: string | null): MailText => ({
  to: user.email,
  subject: 'Your account was deactivated',
  paragraphs: [
    hello(user.name),
    `Your account @${user.username} was deactivated. Nothing of it was removed: it works again as soon as you sign in.`,
    ...(addition ? [addition] : []),
  ],
  action: { label: 'Sign in', url: `${externalUrl}/users/sign_in` },
});

/** To each administrator who decides about it. */
export const approvalWanted = (administrator: Reader, user: Reader, externalUrl: string): MailText => ({
  to: noticeTo(administrator),
  subject: 'An account waits for approval',
  paragraphs: [hello(administrator.name), `${user.name} (@${user.username}, ${user.email}) asked for an account.`],
  action: { label: 'Look at the request', url: `${externalUrl}/admin/users` },
});

export const unknownSignIn = (
  user: Reader,
  sign: { readonly address: string; readonly agent: string | null; readonly at: Date },
): MailText => ({
  to: noticeTo(user),
  subject: 'Somebody signed in from a new place',
  paragraphs: [hello(user.name), `Your account @${user.username} was signed in to from an address not seen before.`],
  details: [
    ['Time', sign.at.toISOString()],
    ['Address', sign.address],
    ['Browser', sign.agent ?? 'unknown'],
  ],
  closing: 'If it was you, there is nothing to do. If not, change your password and sign the other sessions out.',
});

export const keyAdded = (user: Reader, kind: 'SSH' | 'GPG', title: string): MailText => ({
  to: noticeTo(user),
  subject: `A new ${kind} key was added to your account`,
  paragraphs: [hello(user.name), `A ${kind} key was added to your account @${user.username}.`],
  details: [['Key', title]],
  closing: 'If you did not expect this, remove the key and change your password.',
});
