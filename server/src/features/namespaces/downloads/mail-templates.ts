/** What is said by mail about people who download many projects, of a group or of the instance. */
import type { MailText } from '../../../kernel/mail/index.ts';
import type { Excess } from './downloads.queries.ts';

export const manyDownloads = (
  reader: { readonly name: string; readonly email: string },
  of: Excess,
  externalUrl: string,
): MailText => ({
  to: reader.email,
  subject: `${of.name} downloads many projects of ${of.group_name}`,
  paragraphs: [
    `Hello ${reader.name},`,
    `${of.name} (@${of.username}) has downloaded ${of.projects} projects of the group ${of.group_name} within ${of.seconds} seconds. ` +
      `The group allows ${of.allowed}.`,
    'Nothing was done about it. You are told once in this time.',
  ],
  action: { label: 'Look at the members', url: `${externalUrl}/groups/${of.group_path}/-/group_members` },
});

export const manyInstanceDownloads = (
  reader: { readonly name: string; readonly email: string },
  of: {
    readonly name: string;
    readonly username: string;
    readonly admin: boolean;
    readonly projects: number;
    readonly allowed: number;
    readonly seconds: number;
    readonly bans: boolean;
  },
  externalUrl: string,
): MailText => ({
  to: reader.email,
  subject: `${of.name} downloads many projects`,
  paragraphs: [
    `Hello ${reader.name},`,
    `${of.name} (@${of.username}) has downloaded ${of.projects} projects within ${of.seconds} seconds. ` +
      `The instance allows ${of.allowed}.`,
    of.bans && !of.admin
      ? 'The account was banned: an administrator can unban it.'
      : 'The account was not banned. You are told once in this period.',
  ],
  action: { label: 'View user', url: `${externalUrl}/admin/users/${of.username}` },
});
