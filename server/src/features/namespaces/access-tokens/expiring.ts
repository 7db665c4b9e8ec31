/** Mails to those who look after a project or group: one of its access tokens expires soon. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { accessTokenExpiring, type FactConsumer, on } from '../../../kernel/events/index.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { caretakersOf, ownersToTell } from '../members/caretakers.queries.ts';
import { lockNamespace } from '../projects/projects.queries.ts';

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
        const subject = fact.project_id === null ? null : await delivery.project(fact.project_id);
        await transaction(db, async (tx) => {
          const group = fact.namespace_id === null ? undefined : await lockNamespace(tx, fact.namespace_id);
          const [noun, path, readers] = subject
            ? [
                'project',
                `${subject.namespace.full_path}/${subject.project.path}`,
                await caretakersOf(tx, subject.project, which),
              ]
            : group
              ? ['group', group.full_path, await ownersToTell(tx, group.id, which)]
              : ['', '', []];
          const at = noun === 'group' ? `groups/${path}` : path;
          for (const reader of readers)
            await mail.send(tx, {
              to: reader.email,
              subject: `Your ${noun} access tokens will expire in ${days} days or less`,
              paragraphs: [
                `Hello ${reader.name},`,
                `The access token ${name} of the ${noun} ${path} will expire on ${expires_at}.`,
              ],
              action: { label: 'View access tokens', url: `${externalUrl}/${at}/-/settings/access_tokens` },
              closing: 'Rotate the token if it is still in use.',
            });
        });
      }),
    ],
  };
}
