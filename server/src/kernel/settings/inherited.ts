/** What the instance says, as SQL text, for columns that hold null where their place says nothing of its own. */
import { defaultSettings } from './defaults.ts';
import type { SettingName } from './table/index.ts';

/** The value of a setting as `jsonb`; read with the rows, so that a change is in effect with its commit. */
export const instanceSetting = (name: SettingName): string =>
  `coalesce((select s.value from application_settings s where s.name = '${name}'), '${JSON.stringify(defaultSettings[name])}'::jsonb)`;
