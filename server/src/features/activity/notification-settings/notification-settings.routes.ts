/** Routes of notification settings: one's own, everywhere and in a group or project. */
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { NotificationSetting, User } from '../../../kernel/db/rows.ts';
import { Entity, Fields, Flag, Sometimes, Text, Word } from '../../../kernel/http/entity.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findUser, setNotificationEmail } from '../../identity/index.ts';
import {
  findNotificationSetting,
  type NotificationPlace,
  saveNotificationSetting,
} from './notification-settings.queries.ts';

const levels = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const;
type Level = (typeof levels)[number];

/** What can be switched on and off for the level `custom`. */
const events = [
  'new_release',
  'new_note',
  'new_issue',
  'reopen_issue',
  'close_issue',
  'reassign_issue',
  'issue_due',
  'new_merge_request',
  'push_to_merge_request',
  'reopen_merge_request',
  'close_merge_request',
  'reassign_merge_request',
  'change_reviewer_merge_request',
  'merge_merge_request',
  'failed_pipeline',
  'fixed_pipeline',
  'success_pipeline',
  'moved_project',
  'merge_when_pipeline_succeeds',
  'new_epic',
] as const;
type EventName = (typeof events)[number];

/** Somebody whose pipeline fails hears of it until they say otherwise. */
const onUntilTold: ReadonlySet<string> = new Set<EventName>(['failed_pipeline', 'fixed_pipeline']);

const perEvent = <T>(make: (name: EventName) => T) =>
  Object.fromEntries(events.map((name) => [name, make(name)])) as Record<EventName, T>;

const shown = {
  level: Word(levels),
  events: Sometimes(
    Fields(
      perEvent(() => Flag()),
      { description: 'For the level `custom`' },
    ),
  ),
};
const Setting = Entity('NotificationSetting', shown);
const GlobalSetting = Entity('GlobalNotificationSetting', {
  ...shown,
  notification_email: Text({ description: 'Where mail goes' }),
});

const parameters = {
  level: Optional(OneOf(levels, { description: 'Which mails; `global` as everywhere, `custom` by the events below' })),
  ...perEvent((name) => Optional(Bool({ description: `Mail of ${name.replaceAll('_', ' ')}, for \`custom\`` }))),
};

const stored = (setting: NotificationSetting | undefined) =>
  (setting?.events ?? {}) as Readonly<Partial<Record<EventName, boolean>>>;

function view(setting: NotificationSetting | undefined, fallback: Level): Static<typeof Setting> {
  const level = setting?.level ?? fallback;
  if (level !== 'custom') return { level };
  const chosen = stored(setting);
  return { level, events: perEvent((name) => chosen[name] ?? onUntilTold.has(name)) };
}

const common = { credentials: ['token', 'session'], tag: 'Notification settings' } as const;

function selfOf(caller: Caller): User {
  if (!caller.user) throw unauthorized();
  return caller.user;
}

export function notificationSettingRoutes(db: Db): Route[] {
  async function change(
    tx: Db,
    userId: number,
    place: NotificationPlace,
    { level, ...given }: { readonly level?: Level } & Readonly<Partial<Record<EventName, boolean | undefined>>>,
  ): Promise<void> {
    const before = await findNotificationSetting(tx, userId, place);
    const switched = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    await saveNotificationSetting(tx, userId, place, {
      level: level ?? before?.level ?? (place ? 'global' : 'participating'),
      events: { ...stored(before), ...(switched as Record<string, boolean>) },
    });
  }
  /** As it is now: the caller may have been looked up a moment before a change. */
  async function everywhere(userId: number): Promise<Static<typeof GlobalSetting>> {
    const user = await findUser(db, userId);
    if (!user) throw unauthorized();
    const setting = await findNotificationSetting(db, userId, null);
    return { ...view(setting, 'participating'), notification_email: user.notification_email ?? user.email };
  }
  const at = async (userId: number, place: NotificationPlace) =>
    view(await findNotificationSetting(db, userId, place), 'global');

  const own = { on: 'instance', ability: 'signed_in' } as const;
  const group = { on: 'group', ability: 'choose_group_notifications' } as const;
  const project = { on: 'project', ability: 'choose_notifications' } as const;

  return [
    route({
      ...common,
      method: 'GET',
      path: '/notification_settings',
      summary: 'Get your global notification settings',
      access: own,
      params: Type.Object({}),
      responses: { 200: GlobalSetting },
      handler: async ({ caller }) => await everywhere(selfOf(caller).id),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/notification_settings',
      summary: 'Update your global notification settings',
      access: own,
      params: Type.Object({
        ...parameters,
        notification_email: Optional(Str({ description: 'A confirmed address of one’s own' })),
      }),
      responses: { 200: GlobalSetting },
      handler: async ({ caller, params: { notification_email, ...given } }) => {
        const user = selfOf(caller);
        await transaction(db, async (tx) => {
          await change(tx, user.id, null, given);
          if (notification_email !== undefined) await setNotificationEmail(tx, user, notification_email);
        });
        return await everywhere(user.id);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/notification_settings',
      summary: 'Get your notification settings for a group',
      access: group,
      params: Type.Object({ id: IdOrPath('Group') }),
      responses: { 200: Setting },
      handler: async ({ caller, subject }) => await at(selfOf(caller).id, { kind: 'group', id: subject.group.id }),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/groups/:id/notification_settings',
      summary: 'Update your notification settings for a group',
      access: group,
      params: Type.Object({ ...parameters, id: IdOrPath('Group') }),
      responses: { 200: Setting },
      handler: async ({ caller, subject, params: { id: _, ...given } }) => {
        const place = { kind: 'group', id: subject.group.id } as const;
        await transaction(db, (tx) => change(tx, selfOf(caller).id, place, given));
        return await at(selfOf(caller).id, place);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/notification_settings',
      summary: 'Get your notification settings for a project',
      access: project,
      params: Type.Object({ id: IdOrPath('Project') }),
      responses: { 200: Setting },
      handler: async ({ caller, subject }) => await at(selfOf(caller).id, { kind: 'project', id: subject.project.id }),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/projects/:id/notification_settings',
      summary: 'Update your notification settings for a project',
      access: project,
      params: Type.Object({ ...parameters, id: IdOrPath('Project') }),
      responses: { 200: Setting },
      handler: async ({ caller, subject, params: { id: _, ...given } }) => {
        const place = { kind: 'project', id: subject.project.id } as const;
        await transaction(db, (tx) => change(tx, selfOf(caller).id, place, given));
        return await at(selfOf(caller).id, place);
      },
    }),
  ];
}
