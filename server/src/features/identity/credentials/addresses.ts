/** From how many addresses a person may act at the same time, where the instance limits that. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { forbidden } from '../../../kernel/http/errors.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { admitAddress, forgetAddresses } from './addresses.queries.ts';

/** For so long an address that was let in is not looked at again, in milliseconds. */
const trusted = 10_000;
const mostRemembered = 10_000;

export interface AddressLimit {
  /** Throws the API's 403 for one address too many. */
  admit(user: Pick<User, 'id' | 'user_type'>, address: string): Promise<void>;
  readonly task: Task;
  readonly cron: CronItem;
}

export function addressLimit({ db, settings }: { readonly db: Db; readonly settings: Settings }): AddressLimit {
  const admitted = new Map<string, number>();
  const task = defineTask('identity.forget_addresses', Type.Object({}), async () => {
    const { unique_ips_limit_time_window: seconds } = await settings.read();
    await forgetAddresses(db, seconds);
  });
  return {
    async admit({ id, user_type }, address) {
      const {
        unique_ips_limit_enabled: enabled,
        unique_ips_limit_per_user: most,
        unique_ips_limit_time_window: seconds,
      } = await settings.read();
      if (!enabled || user_type !== 'human') return;
      const key = `${id} ${address}`;
      const now = performance.now();
      if ((admitted.get(key) ?? 0) > now) return;
      if (!(await admitAddress(db, id, address, { most, seconds })))
        throw forbidden('Too many logins from different IPs');
      if (admitted.size >= mostRemembered) admitted.clear();
      admitted.set(key, now + trusted);
    },
    task,
    cron: { task: task.name, schedule: '17 * * * *' },
  };
}
