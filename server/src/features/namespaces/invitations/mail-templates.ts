/** The mail that invites somebody. Its link carries the token once. */
import type { MailText } from '../../../kernel/mail/index.ts';
import type { NamedPlace } from '../access-requests/mail-templates.ts';
import { invitationDays } from './invitations.queries.ts';

export const invitation = (
  email: string,
  by: { readonly name: string; readonly username: string } | null,
  place: NamedPlace,
  role: string,
  url: string,
): MailText => ({
  to: email,
  subject: `${by?.name ?? 'Somebody'} invites you to ${place.name}`,
  paragraphs: [
    'Hello,',
    `${by ? `${by.name} (@${by.username})` : 'Somebody'} invites you to the ${place.noun} ${place.name}, as ${role}.`,
  ],
  action: { label: 'Look at the invitation', url },
  closing: `The link works for ${invitationDays} days and once. If you do not want to join, decline it there or ignore this message.`,
});
