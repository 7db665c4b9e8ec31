/** Mails to those who look after a project or group: one of its access tokens expires soon. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { accessTokenExpiring, type FactConsumer, on } from '../../../kernel/events/index.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { findGroupSubject } from '../access/parents.queries.ts';
import { caretakersOf, ownersToTell } from '../members/caretakers.queries.ts';

/** The last day is for webhooks alone. */
const lastDay = 1;

export function expiringTokenMails(deps: {
  readonly db: Db;
  readonly settings: Settings;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  /** Without a trailing slash. */
  readonly externalUrl: string;
}): FactConsumer {
  const { db, mail, externalUrl } = deps;
  return {
    name: 'namespaces.expiring_tokens',
    handlers: [
      on(accessTokenExpiring, async (fact, delivery) => {
        const { days, name, expires_at } = fact.payload;
        if (!mail.configured || days <= lastDay) return;
        const { resource_access_token_notify_inherited: inherited } = await deps.settings.read();
        const which = inherited ? 'all' : 'direct';
        const project = fact.project_id === null ? null : await delivery.project(fact.project_id);
        const id = project ? null : fact.namespace_id;
        const found = id === null ? null : await findGroupSubject(db, String(id), null);
        const place = project
          ? { noun: 'project', path: `${project.namespace.full_path}/${project.project.path}`, below: '' }
          : found && { noun: 'group', path: found.group.full_path, below: 'groups/' };
        if (!place) return;
        const { noun, path, below } = place;
        await transaction(db, async (tx) => {
          const readers = project
            ? await caretakersOf(tx, project.project, which)
            : await ownersToTell(tx, Number(id), which);
          for (const reader of readers)
            await mail.send(tx, {
              to: reader.email,
              subject: `Your ${noun} access tokens will expire in ${days} days or less`,
              paragraphs: [
                `Hello ${reader.name},`,
                `The access token ${name} of the ${noun} ${path} will expire on ${expires_at}.`,
              ],
              action: { label: 'View access tokens', url: `${externalUrl}/${below}${path}/-/settings/access_tokens` },
              closing: 'Rotate the token if it is still in use.',
            });
        });
      }),
    ],
  };
}
