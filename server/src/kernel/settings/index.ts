/** Application settings: typed values with defaults, read by every slice, kept for a minute and dropped on change. */
import { type Db, transaction } from '../db/index.ts';
import { type ApplicationSettings, defaultSettings } from './defaults.ts';
import { readSettings, settingsChannel, writeSetting } from './settings.queries.ts';

export type { ApplicationSettings, SettingName } from './defaults.ts';
export { defaultSettings } from './defaults.ts';

/** What caches need of the connection that listens for changes made by other processes. */
export interface ChangeFeed {
  /** False while changes made elsewhere do not arrive; caches are then bypassed. */
  readonly connected: boolean;
  /** Calls back with the payload of every notification on the channel. */
  on(channel: string, callback: (payload: string) => void): void;
  /** Calls back when the connection is lost. */
  onLost(callback: () => void): void;
}

export interface Settings {
  /** All values as they are now; at most a minute old if a change was missed. */
  read(): Promise<ApplicationSettings>;
  /** Stores values. They are the caller's to validate. */
  write(changes: Partial<ApplicationSettings>): Promise<void>;
}

const lifetimeMilliseconds = 60_000;

/** Stored values over the defaults. Rows that no reader knows are kept in the table and ignored here. */
function merged(rows: ReadonlyArray<{ name: string; value: unknown }>): ApplicationSettings {
  const known = rows.filter((row) => row.name in defaultSettings).map((row) => [row.name, row.value] as const);
  return { ...defaultSettings, ...(Object.fromEntries(known) as Partial<ApplicationSettings>) };
}

/** One per process. `now` is a monotonic clock in milliseconds. */
export function createSettings(db: Db, changes: ChangeFeed, now: () => number = () => performance.now()): Settings {
  let kept: { values: Promise<ApplicationSettings>; until: number } | undefined;
  const forget = () => {
    kept = undefined;
  };
  changes.on(settingsChannel, forget);
  changes.onLost(forget);

  return {
    read: () => {
      if (kept && kept.until > now() && changes.connected) return kept.values;
      const values = readSettings(db).then(merged);
      const entry = { values, until: now() + lifetimeMilliseconds };
      kept = entry;
      values.catch(() => {
        if (kept === entry) kept = undefined;
      });
      return values;
    },
    write: async (values) => {
      await transaction(db, async (tx) => {
        for (const [name, value] of Object.entries(values)) await writeSetting(tx, name, value);
      });
      forget();
    },
  };
}
