/** The daily task that removes expired memberships and invitations and tells of it. */
import Type from 'typebox';
import { recordAudits, systemOrigin } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { memberChanged, recordFact } from '../../../kernel/events/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { deleteExpired, type ExpiredGrant } from './expiry.queries.ts';

const atOnce = 500;

const auditOf = (grant: ExpiredGrant) =>
  ({
    ...systemOrigin,
    entity: {
      type: grant.project_id === null ? 'Group' : 'Project',
      id: grant.project_id ?? grant.namespace_id ?? 0,
      path: grant.path,
    },
    event: grant.user_id === null ? 'group_link_destroyed' : 'member_destroyed',
    details: { access_level: grant.level, reason: 'access expired' },
    target: {
      type: grant.user_id === null ? 'Group' : 'User',
      id: grant.user_id ?? grant.group_id,
      details: grant.who,
    },
  }) as const;

async function removeSome(tx: Db): Promise<number> {
  const gone = await deleteExpired(tx, atOnce);
  await recordAudits(tx, gone.map(auditOf));
  for (const { user_id, namespace_id, project_id, level } of gone)
    if (user_id !== null)
      await recordFact(tx, memberChanged, { user_id, change: 'expired', level }, { project_id, namespace_id });
  return gone.length;
}

/** Expired grants are refused by date at every check; removing them only tidies up. */
export function expiryTask(db: Db): { readonly task: Task; readonly cron: CronItem } {
  const task = defineTask('namespaces.expire_memberships', Type.Object({}), async (_payload, { signal }) => {
    for (let removed = atOnce; removed === atOnce; ) {
      signal.throwIfAborted();
      removed = await transaction(db, removeSome);
    }
  });
  return { task, cron: { task: task.name, schedule: '13 0 * * *' } };
}
