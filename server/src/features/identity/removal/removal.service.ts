/**
 * Removing accounts: access ends at once, a task does the rest. What the person contributed moves to the ghost user;
 * with `hard` it goes too, and so do groups that nobody else owns.
 */
import Type from 'typebox';
import { type AuditOrigin, recordAudit, systemOrigin } from '../../../kernel/audit/index.ts';
import { type Db, lockInTransaction, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { recordFact, toInstant, userBlocked, userDeleted } from '../../../kernel/events/index.ts';
import { forbidden, HttpError, notFound, plainError } from '../../../kernel/http/errors.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { addJob, type CronItem, defineTask, duePayload, type Task } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { letters } from '../mails/index.ts';
import { endSshKeys } from '../ssh-keys/index.ts';
import { findUser, insertUser, keepAnAdministrator, lockUser, updateUser, userEntity } from '../users/index.ts';
import { deleteUser, findGhost, freeGhostName, unconfirmedUsers } from './removal.queries.ts';

/** What other slices do with the rows of somebody who goes; wired in app.ts. */
export interface Belongings {
  /** Groups whose only owner the user is. */
  soleOwnedGroups(userId: number): Promise<readonly number[]>;
  /** Removes the projects of the personal namespace, and the groups. May be run again after it was interrupted. */
  removePlaces(userId: number, groups: readonly number[], signal: AbortSignal): Promise<void>;
  /** Makes the ghost the author of what the user wrote. */
  moveContributions(tx: Db, fromUserId: number, toUserId: number): Promise<void>;
  /** Removes what the user wrote; what must stay is left without an author. */
  removeContributions(tx: Db, userId: number): Promise<void>;
}

export interface RemovalDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly mail: Pick<Mail, 'send'>;
  readonly belongings: Belongings;
  readonly endSessions: (tx: Db, userId: number) => Promise<void>;
  readonly forget: () => void;
}

export interface Removal {
  /**
   * Throws the API's 403, 404 and 409; what is being removed already is 404, unless `hard` is new. With a delay the
   * account is only blocked for so many days, and stays where an administrator unblocks it.
   */
  remove(userId: number, hard: boolean, origin: AuditOrigin, delayDays?: number): Promise<void>;
  /** Declines a request for an account. */
  reject(userId: number, origin: AuditOrigin): Promise<void>;
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
}

const millisecondsPerDay = 86_400_000;
const batch = 100;

async function ensureGhost(tx: Db): Promise<User> {
  const known = await findGhost(tx);
  if (known) return known;
  // Two accounts may go at the same time, and one ghost stands for both.
  await lockInTransaction(tx, 'users.ghost');
  const made = await findGhost(tx);
  if (made) return made;
  const username = await freeGhostName(tx);
  return await insertUser(tx, {
    username,
    name: 'Ghost User',
    email: `${username}@ghost.invalid`,
    user_type: 'ghost',
    bio: 'This stands for people whose accounts were removed.',
    can_create_group: false,
    projects_limit: 0,
  });
}

export function createRemoval(deps: RemovalDependencies): Removal {
  const { db, settings, mail, belongings, endSessions, forget } = deps;

  async function removeNow(userId: number, hard: boolean, signal: AbortSignal): Promise<void> {
    const user = await findUser(db, userId);
    if (!user?.deletion_requested_at) return;
    const groups = hard ? await belongings.soleOwnedGroups(userId) : [];
    await belongings.removePlaces(userId, groups, signal);
    await transaction(db, async (tx) => {
      if (hard) await belongings.removeContributions(tx, userId);
      else await belongings.moveContributions(tx, userId, (await ensureGhost(tx)).id);
      await endSshKeys(tx, user);
      const { username, name, email } = user;
      await recordFact(tx, userDeleted, {
        user_id: userId,
        ...{ username, name, email },
        created_at: toInstant(user.created_at),
        updated_at: toInstant(user.updated_at),
      });
      await deleteUser(tx, userId);
      await announceChange(tx);
    });
    forget();
  }
  const task = defineTask(
    'users.remove',
    Type.Object({ user_id: Type.Integer(), hard: Type.Boolean() }),
    ({ user_id, hard }, { signal }) => removeNow(user_id, hard, signal),
    { timeout: 600_000 },
  );

  const keyOf = (userId: number) => `${task.name}:${userId}`;

  async function schedule(tx: Db, user: User, hard: boolean, origin: AuditOrigin, delayDays = 0): Promise<void> {
    await keepAnAdministrator(tx, user.id);
    await endSessions(tx, user.id);
    await updateUser(tx, user.id, { state: 'blocked', deletion_requested_at: new Date() });
    await recordFact(tx, userBlocked, { user_id: user.id }, { actor_id: origin.author?.id ?? null });
    const runAt = delayDays > 0 ? { runAt: new Date(Date.now() + delayDays * millisecondsPerDay) } : {};
    await addJob(tx, task, { user_id: user.id, hard }, { jobKey: keyOf(user.id), ...runAt });
    await recordAudit(tx, {
      ...origin,
      entity: userEntity(user),
      event: 'user_destroyed',
      details: { username: user.username, email: user.email, hard_delete: hard },
    });
    await announceChange(tx);
  }

  const remove: Removal['remove'] = async (userId, hard, origin, delayDays) => {
    const sole = hard ? [] : await belongings.soleOwnedGroups(userId);
    await transaction(db, async (tx) => {
      const user = await lockUser(tx, userId);
      if (!user) throw notFound('User');
      // Its lists no longer have it: whoever asks again at the same time is told so.
      if (user.user_type === 'service_account' && user.deletion_requested_at !== null) throw notFound('User');
      if (user.user_type === 'ghost') throw forbidden('An internal user cannot be removed');
      // Whoever asks again at the same time is told that it is gone, unless that makes the removal final or comes sooner.
      const due = user.deletion_requested_at === null ? undefined : await duePayload(tx, task, keyOf(userId));
      if (due && (due.hard || !hard)) throw notFound('User');
      if (sole.length > 0) throw plainError(409, 'User cannot be removed while is the sole-owner of a group');
      await schedule(tx, user, hard, origin, delayDays);
    });
    forget();
  };

  /** Accounts that nobody ever came to, where the settings say so. */
  const sweep = defineTask('users.remove_unconfirmed', Type.Object({}), async (_payload, { signal }) => {
    const { delete_unconfirmed_users, unconfirmed_users_delete_after_days, email_confirmation_setting } =
      await settings.read();
    if (!delete_unconfirmed_users || email_confirmation_setting === 'off') return;
    let after = 0;
    for (;;) {
      const ids = await unconfirmedUsers(db, unconfirmed_users_delete_after_days, after, batch);
      for (const id of ids) {
        signal.throwIfAborted();
        // Whoever cannot be removed, as the last administrator, stays.
        await remove(id, false, systemOrigin).catch((error: unknown) => {
          if (!(error instanceof HttpError)) throw error;
        });
        after = id;
      }
      if (ids.length < batch) return;
    }
  });

  return {
    remove,
    reject: async (userId, origin) => {
      await transaction(db, async (tx) => {
        const user = await lockUser(tx, userId);
        if (!user) throw notFound('User');
        if (user.state !== 'blocked_pending_approval') throw plainError(409, 'User does not have a pending request');
        await mail.send(tx, letters.accountRejected(user));
        await schedule(tx, user, true, origin);
      });
      forget();
    },
    tasks: [task, sweep],
    cron: [{ task: sweep.name, schedule: '31 2 * * *' }],
  };
}
