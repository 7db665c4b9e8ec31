/** What holds until an administrator changes it, from the table. */
import { type ApplicationSettings, settingNames, settingRows } from './table/index.ts';

export const defaultSettings = Object.fromEntries(
  settingNames.map((name) => [name, settingRows[name].fallback]),
) as unknown as ApplicationSettings;
