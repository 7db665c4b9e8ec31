/** Which mails somebody wants: everywhere, and in single groups and projects. */
import type { Db } from '../../../kernel/db/index.ts';
import type { NotificationSetting } from '../../../kernel/db/rows.ts';

/** Null: everywhere where nothing else is said. */
export type NotificationPlace = { readonly kind: 'group' | 'project'; readonly id: number } | null;

const columnsOf = (place: NotificationPlace) => ({
  namespace_id: place?.kind === 'group' ? place.id : null,
  project_id: place?.kind === 'project' ? place.id : null,
});

export async function findNotificationSetting(
  db: Db,
  userId: number,
  place: NotificationPlace,
): Promise<NotificationSetting | undefined> {
  const { namespace_id, project_id } = columnsOf(place);
  return await db
    .selectFrom('notification_settings')
    .selectAll()
    .where('user_id', '=', userId)
    .where('namespace_id', 'is not distinct from', namespace_id)
    .where('project_id', 'is not distinct from', project_id)
    .executeTakeFirst();
}

export async function saveNotificationSetting(
  tx: Db,
  userId: number,
  place: NotificationPlace,
  values: { readonly level: NotificationSetting['level']; readonly events: Readonly<Record<string, boolean>> },
): Promise<void> {
  const changes = { level: values.level, events: JSON.stringify(values.events), updated_at: new Date() };
  await tx
    .insertInto('notification_settings')
    .values({ user_id: userId, ...columnsOf(place), ...changes })
    .onConflict((conflict) => conflict.constraint('notification_settings_place_key').doUpdateSet(changes))
    .execute();
}
