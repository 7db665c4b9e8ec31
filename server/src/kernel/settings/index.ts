/** Application settings: typed values with defaults, read by every slice, kept for a minute and dropped on change. */
import { type Db, transaction } from '../db/index.ts';
import { type ApplicationSettings, defaultSettings } from './defaults.ts';
import { type ChangeFeed, kept } from './kept.ts';
import { readSettings, settingsChannel, writeSetting } from './settings.queries.ts';

export type { ApplicationSettings, SettingName } from './defaults.ts';
export { defaultSettings } from './defaults.ts';
export type { ChangeFeed } from './kept.ts';
export { kept } from './kept.ts';

export interface Settings {
  /** All values as they are now; at most a minute old if a change was missed. */
  read(): Promise<ApplicationSettings>;
  /** Stores values. They are the caller's to validate. */
  write(changes: Partial<ApplicationSettings>): Promise<void>;
}

/** Stored values over the defaults. Rows that no reader knows are kept in the table and ignored here. */
function merged(rows: ReadonlyArray<{ name: string; value: unknown }>): ApplicationSettings {
  const known = rows.filter((row) => row.name in defaultSettings).map((row) => [row.name, row.value] as const);
  return { ...defaultSettings, ...(Object.fromEntries(known) as Partial<ApplicationSettings>) };
}

/** One per process. `now` is a monotonic clock in milliseconds. */
export function createSettings(db: Db, changes: ChangeFeed, now: () => number = () => performance.now()): Settings {
  const cache = kept(changes, settingsChannel, async () => merged(await readSettings(db)), now);
  return {
    read: cache.read,
    write: async (values) => {
      await transaction(db, async (tx) => {
        for (const [name, value] of Object.entries(values)) await writeSetting(tx, name, value);
      });
      cache.forget();
    },
  };
}
