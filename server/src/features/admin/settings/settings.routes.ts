/** Application settings over the API: read and changed by administrators. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { ApplicationSettingsEntity, settingsJson } from './settings.entity.ts';
import { SettingsParams } from './settings.params.ts';

const shared = {
  path: '/application/settings',
  tag: 'Application settings',
  credentials: ['token', 'session'],
  access: { on: 'instance', ability: 'admin' },
  responses: { 200: ApplicationSettingsEntity },
} as const;

export const settingsRoutes = (settings: Settings): readonly Route[] => [
  route({
    ...shared,
    method: 'GET',
    summary: 'Get the application settings',
    params: Type.Object({}),
    handler: async () => settingsJson(await settings.stored()),
  }),
  route({
    ...shared,
    method: 'PUT',
    summary: 'Update the application settings',
    // It ends with this.
    duringMaintenance: true,
    params: SettingsParams,
    handler: async (context) => {
      await settings.write(context.params as SettingsParams, originOf(context));
      return settingsJson(await settings.stored());
    },
  }),
];
