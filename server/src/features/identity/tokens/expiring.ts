/** Telling people that access tokens expire soon: by mail whose they are, as facts those who look after a bot's place. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { accessTokenExpiring, recordFact, toInstant } from '../../../kernel/events/index.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { letters } from '../mails/index.ts';
import { findUser } from '../users/index.ts';
import { type ExpiringToken, takeExpiring } from './expiring.queries.ts';

export interface ExpiringDependencies {
  readonly db: Db;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly externalUrl: string;
}

/** Days before the end. On the last day only webhooks are called. */
const days = [60, 30, 7, 1];
const lastDay = 1;
const batch = 200;

export function expiringTokens({ db, mail, externalUrl }: ExpiringDependencies): { task: Task; cron: CronItem } {
  async function tellPeople(tx: Db, tokens: readonly ExpiringToken[]): Promise<void> {
    const told = tokens.filter((token) => token.kind === 'personal' && token.days > lastDay);
    for (const [userId, own] of Map.groupBy(told, (token) => token.user_id)) {
      const user = await findUser(tx, userId);
      if (user?.state !== 'active' || user.user_type !== 'human') continue;
      for (const [within, some] of Map.groupBy(own, (token) => token.days))
        await mail.send(tx, letters.tokensExpire(user, some, within, externalUrl));
    }
  }

  const task = defineTask('tokens.expiring', Type.Object({}), async (_payload, { signal }) => {
    for (let taken = batch; taken === batch && !signal.aborted; )
      taken = await transaction(db, async (tx) => {
        const tokens = await takeExpiring(tx, days, batch);
        if (mail.configured) await tellPeople(tx, tokens);
        for (const { id, user_id, name, created_at, expires_at, days: within, project_id, namespace_id } of tokens)
          if (project_id !== null || namespace_id !== null)
            await recordFact(
              tx,
              accessTokenExpiring,
              { token_id: id, user_id, name, created_at: toInstant(created_at), expires_at, days: within },
              { project_id, namespace_id },
            );
        return tokens.length;
      });
  });
  return { task, cron: { task: task.name, schedule: '0 1 * * *' } };
}
