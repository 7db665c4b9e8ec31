/** Taking access from accounts and giving it back. Whatever is not `active` loses sessions and tokens at once. */
import Type from 'typebox';
import { type AuditOrigin, recordAudit, systemOrigin } from '../../../kernel/audit/index.ts';
import { isBlocked } from '../../../kernel/authz/blocked.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { recordFact, userBlocked } from '../../../kernel/events/index.ts';
import { forbidden, HttpError, notFound, plainError } from '../../../kernel/http/errors.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { letters } from '../mails/index.ts';
import { keepAnAdministrator, lockUser, updateUser, userEntity } from '../users/index.ts';
import { dormantUsers } from './moderation.queries.ts';

export interface ModerationDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly mail: Pick<Mail, 'send'>;
  readonly externalUrl: string;
  readonly endSessions: (tx: Db, userId: number) => Promise<void>;
  readonly forget: () => void;
}

type State = User['state'];
export type Action = 'block' | 'unblock' | 'ban' | 'unban' | 'deactivate' | 'activate' | 'approve';
/** Whether the state changed; null where it was so already. */
type Outcome = boolean | null;

const isInternal = ({ user_type }: User) => user_type === 'ghost';
const millisecondsPerDay = 86_400_000;
const batch = 100;

/** When the user was last there; null when they never were. */
function lastActive({ last_activity_on, current_sign_in_at }: User): number | null {
  const times = [
    last_activity_on === null ? null : Date.parse(last_activity_on),
    current_sign_in_at?.getTime() ?? null,
  ];
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

interface Rules {
  readonly callerId: number | null;
  readonly dormantDays: number;
}
/** The state that an action leads to; null: nothing to do; throws the API's refusals. */
type Rule = (user: User, rules: Rules) => State | null | false;

const cannot = (action: string, { state }: User) => plainError(403, `You cannot ${action} ${state} users.`);

const actions: Readonly<Record<Action, Rule>> = {
  block: (user, { callerId }) => {
    if (user.id === callerId) throw forbidden('The API initiating user cannot be blocked by the API');
    if (isBlocked(user)) return null;
    if (isInternal(user)) throw plainError(403, 'An internal user cannot be blocked');
    return 'blocked';
  },
  unblock: (user) => {
    if (user.state === 'deactivated') throw forbidden('Deactivated users cannot be unblocked by the API');
    return user.state === 'blocked' || user.state === 'blocked_pending_approval' ? 'active' : false;
  },
  ban: (user, { callerId }) => {
    if (user.id === callerId) throw forbidden('The API initiating user cannot be banned by the API');
    if (user.state !== 'active' || isInternal(user)) throw cannot('ban', user);
    return 'banned';
  },
  unban: (user) => {
    if (user.state !== 'banned') throw cannot('unban', user);
    return 'active';
  },
  deactivate: (user, { callerId, dormantDays }) => {
    if (user.state === 'deactivated') return null;
    if (isBlocked(user)) throw plainError(403, 'Error occurred. A blocked user cannot be deactivated');
    if (isInternal(user)) throw plainError(403, 'Internal users cannot be deactivated');
    const last = user.id === callerId ? Date.now() : lastActive(user);
    if (last !== null && last > Date.now() - dormantDays * millisecondsPerDay)
      throw plainError(
        403,
        `The user you are trying to deactivate has been active in the past ${dormantDays} days and cannot be deactivated`,
      );
    return 'deactivated';
  },
  activate: (user) => {
    if (isBlocked(user)) throw forbidden('A blocked user must be unblocked to be activated');
    return user.state === 'active' ? false : 'active';
  },
  approve: (user) => {
    if (user.state !== 'blocked_pending_approval')
      throw plainError(409, 'The user you are trying to approve is not pending approval');
    return 'active';
  },
};

export interface Moderation {
  /** Ends the lock that failed sign-ins left; false when there is none. Throws the API's 404. */
  unlock(userId: number, origin: AuditOrigin): Promise<boolean>;
  /** Throws the API's 403, 404 and 409. */
  run(action: Action, userId: number, origin: AuditOrigin): Promise<Outcome>;
  /** Somebody who was away comes back by signing in. */
  reactivate(userId: number, origin: AuditOrigin): Promise<void>;
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
}

export function createModeration(deps: ModerationDependencies): Moderation {
  const { db, settings, mail, externalUrl } = deps;

  async function change(tx: Db, user: User, state: State, action: Action, origin: AuditOrigin): Promise<void> {
    if (state !== 'active') {
      await keepAnAdministrator(tx, user.id);
      await deps.endSessions(tx, user.id);
    }
    // An account that waits for its removal and is let in again stays.
    await updateUser(tx, user.id, state === 'active' ? { state, deletion_requested_at: null } : { state });
    await recordAudit(tx, {
      ...origin,
      entity: userEntity(user),
      event: `user_${action}`,
      details: { from: user.state, to: state },
    });
    if (action === 'block' || action === 'ban')
      await recordFact(tx, userBlocked, { user_id: user.id }, { actor_id: origin.author?.id ?? null });
    if (action === 'approve') await mail.send(tx, letters.accountApproved(user, externalUrl));
    if (action === 'deactivate') {
      const { user_deactivation_emails_enabled, deactivation_email_additional_text } = await settings.read();
      if (user_deactivation_emails_enabled)
        await mail.send(tx, letters.accountDeactivated(user, externalUrl, deactivation_email_additional_text));
    }
    await announceChange(tx);
  }

  const run: Moderation['run'] = async (action, userId, origin) => {
    const dormantDays = (await settings.read()).deactivate_dormant_users_period;
    const outcome = await transaction(db, async (tx): Promise<Outcome> => {
      const user = await lockUser(tx, userId);
      if (!user) throw notFound('User');
      const state = actions[action](user, { callerId: origin.author?.id ?? null, dormantDays });
      if (state === null || state === false) return state;
      await change(tx, user, state, action, origin);
      return true;
    });
    deps.forget();
    return outcome;
  };

  const sweep = defineTask('users.deactivate_dormant', Type.Object({}), async (_payload, { signal }) => {
    const { deactivate_dormant_users, deactivate_dormant_users_period } = await settings.read();
    if (!deactivate_dormant_users) return;
    let after = 0;
    for (;;) {
      const ids = await dormantUsers(db, deactivate_dormant_users_period, after, batch);
      for (const id of ids) {
        signal.throwIfAborted();
        // Whoever came back meanwhile, and the last administrator, stay.
        await run('deactivate', id, systemOrigin).catch((error: unknown) => {
          if (!(error instanceof HttpError)) throw error;
        });
        after = id;
      }
      if (ids.length < batch) return;
    }
  });

  return {
    run,
    tasks: [sweep],
    cron: [{ task: sweep.name, schedule: '11 2 * * *' }],
    reactivate: async (userId, origin) => {
      await transaction(db, async (tx) => {
        const user = await lockUser(tx, userId);
        if (user?.state === 'deactivated') await change(tx, user, 'active', 'activate', origin);
      });
      deps.forget();
    },
    unlock: (userId, origin) =>
      transaction(db, async (tx) => {
        const user = await lockUser(tx, userId);
        if (!user) throw notFound('User');
        if (user.locked_until === null || user.locked_until <= new Date()) return false;
        await updateUser(tx, user.id, { failed_attempts: 0, locked_until: null });
        await recordAudit(tx, { ...origin, entity: userEntity(user), event: 'user_unlocked', details: {} });
        return true;
      }),
  };
}
