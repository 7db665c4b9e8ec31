/** What is said by mail about requests for access and new memberships. */
import type { MailText } from '../../../kernel/mail/index.ts';

interface Reader {
  readonly name: string;
  readonly email: string;
}

/** A group or project as messages name it. */
export interface NamedPlace {
  readonly noun: 'group' | 'project';
  readonly name: string;
  readonly url: string;
  readonly membersUrl: string;
}

const hello = (name: string) => `Hello ${name},`;

export const accessWanted = (
  reader: Reader,
  who: { readonly name: string; readonly username: string },
  place: NamedPlace,
): MailText => ({
  to: reader.email,
  subject: `${who.name} asks for access to ${place.name}`,
  paragraphs: [
    hello(reader.name),
    `${who.name} (@${who.username}) asks to become a member of the ${place.noun} ${place.name}.`,
  ],
  action: { label: 'Look at the request', url: place.membersUrl },
});

export const accessDenied = (reader: Reader, place: NamedPlace): MailText => ({
  to: reader.email,
  subject: `Access to ${place.name} was declined`,
  paragraphs: [hello(reader.name), `Your request to become a member of the ${place.noun} ${place.name} was declined.`],
});

export const accessGiven = (reader: Reader, place: NamedPlace, role: string): MailText => ({
  to: reader.email,
  subject: `Access to ${place.name} was granted`,
  paragraphs: [hello(reader.name), `You are a member of the ${place.noun} ${place.name} now, as ${role}.`],
  action: { label: `Open the ${place.noun}`, url: place.url },
});
