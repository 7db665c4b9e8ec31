/** Accounts behind access tokens of projects and groups. Nobody signs in to them. */
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { insertUser } from '../users/index.ts';

export interface NewBot {
  readonly kind: 'project_bot' | 'group_bot';
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** As the person who makes it: a bot must not see internal projects that its maker does not. */
  readonly external: boolean;
  readonly createdById: number;
}

/** Without a namespace, a password and the right to make groups or projects of its own. */
export const createBot = (tx: Db, bot: NewBot): Promise<User> =>
  insertUser(tx, {
    user_type: bot.kind,
    username: bot.username,
    name: bot.name,
    email: bot.email,
    external: bot.external,
    can_create_group: false,
    projects_limit: 0,
    private_profile: true,
    confirmed_at: new Date(),
    created_by_id: bot.createdById,
  });
