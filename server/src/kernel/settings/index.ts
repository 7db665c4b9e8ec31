/** Application settings: typed values with defaults, read by every slice, kept for a minute and dropped on change. */
import { isDeepStrictEqual } from 'node:util';
import { type AuditOrigin, auditedValue, instanceEntity, recordAudits, systemOrigin } from '../audit/index.ts';
import { type Db, transaction } from '../db/index.ts';
import { recordFact, settingsChanged } from '../events/index.ts';
import type { Secrets } from '../secrets/index.ts';
import { levelOf, parseProtection, protectionOf } from './branch-protection.ts';
import { type ChangeFeed, kept } from './cached-value.ts';
import { checkSettings, normalised } from './check.ts';
import { defaultSettings } from './defaults.ts';
import { lockSettings, readSettings, settingsChannel, settingsTimes, writeSettings } from './settings.queries.ts';
import { type OtherName, otherNames, underOwnNames } from './spellings.ts';
import { type ApplicationSettings, isSettingName, type SettingName, settingRows } from './table/index.ts';

export type { ChangeFeed } from './cached-value.ts';
export { kept } from './cached-value.ts';
export { defaultSettings } from './defaults.ts';
export { type Kind, type Owner, owners, type Row } from './row.ts';
export { otherNames } from './spellings.ts';
export {
  type ApplicationSettings,
  replacedSettings,
  type SettingName,
  settingNames,
  settingRows,
} from './table/index.ts';

/** New values by name; other spellings of a name are taken too. */
export type SettingChanges = Partial<ApplicationSettings> & Readonly<Partial<Record<OtherName, unknown>>>;

export interface StoredSettings {
  readonly values: ApplicationSettings;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface Settings {
  /** All values as they are now; at most a minute old if a change was missed. */
  read(): Promise<ApplicationSettings>;
  /** What was read last, as every request does; defaults before the first time. */
  last(): ApplicationSettings;
  /** All values as the database has them, and when they changed. */
  stored(): Promise<StoredSettings>;
  /**
   * Changes values, all of them or none, and records who did. The result as a whole must be allowed: throws the API's
   * 400 otherwise. A masked secret that comes back as it was answered stays as it is.
   */
  write(changes: SettingChanges, origin?: AuditOrigin): Promise<void>;
}

export interface SettingsDependencies {
  readonly db: Db;
  readonly changes: ChangeFeed;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  /** Names of the repository storages. */
  readonly storages: readonly string[];
}

/** What is answered for a secret that is set. */
export const secretMask = '*****';

const purpose = (name: string) => `setting ${name}`;

/** One per process. `now` is a monotonic clock in milliseconds. */
export function createSettings(deps: SettingsDependencies, now: () => number = () => performance.now()): Settings {
  const { db, changes, secrets } = deps;
  const opened = (name: SettingName, value: unknown): unknown =>
    settingRows[name].secret && typeof value === 'string'
      ? secrets.open(Buffer.from(value, 'base64'), purpose(name))
      : value;
  const sealed = (name: SettingName, value: unknown): unknown =>
    settingRows[name].secret && typeof value === 'string'
      ? secrets.seal(value, purpose(name)).toString('base64')
      : value;

  /** Stored values over the defaults. Rows that this program does not know are kept in the table and ignored here. */
  async function load(handle: Db): Promise<ApplicationSettings> {
    const values: Record<string, unknown> = { ...defaultSettings };
    for (const { name, value } of await readSettings(handle))
      if (isSettingName(name)) values[name] = opened(name, value);
    return values as unknown as ApplicationSettings;
  }

  const cache = kept(changes, settingsChannel, () => load(db), now);
  return {
    read: cache.read,
    last: () => cache.last() ?? defaultSettings,
    stored: async () => ({ values: await load(db), ...(await settingsTimes(db)) }),
    write: async (given, origin = systemOrigin) => {
      const actorId = origin.author?.id ?? null;
      await transaction(db, async (tx) => {
        await lockSettings(tx);
        const current = await load(tx);
        const { merged, changed } = mergedWith(current, given);
        if (changed.size === 0) return;
        checkSettings(
          merged,
          changed,
          new Set(Object.keys(given).map((name) => otherNames.get(name) ?? name)),
          deps.storages,
        );
        const rows = [...changed].map((name) => [name, sealed(name, merged[name])] as const);
        await writeSettings(tx, new Map(rows));
        const names = [...changed].sort();
        await recordAudits(tx, auditOf(names, current, merged, origin));
        await recordFact(tx, settingsChanged, { actor_id: actorId, names }, { actor_id: actorId });
      });
      cache.forget();
    },
  };
}

/** One event for each setting that changes; of secrets only that they did. */
const auditOf = (
  names: readonly SettingName[],
  before: ApplicationSettings,
  after: ApplicationSettings,
  origin: AuditOrigin,
) =>
  names.map((name) => ({
    ...origin,
    entity: instanceEntity,
    event: 'application_setting_updated',
    details: settingRows[name].secret
      ? { change: name }
      : { change: name, from: auditedValue(before[name]), to: auditedValue(after[name]) },
    target: { type: 'ApplicationSetting', id: null, details: name },
  }));

/** The settings as they would be, and which of them differ from the current ones. */
function mergedWith(current: ApplicationSettings, given: SettingChanges) {
  const merged: Record<string, unknown> = { ...current };
  const changed = new Set<SettingName>();
  const set = (name: SettingName, value: unknown) => {
    merged[name] = value;
    if (isDeepStrictEqual(value, current[name])) changed.delete(name);
    else changed.add(name);
  };
  for (const [name, value] of underOwnNames(given, current)) {
    if (settingRows[name].secret === 'masked' && value === secretMask) continue;
    set(name, normalised(settingRows[name], value));
  }
  linkProtection(merged, changed, set);
  return { merged: merged as unknown as ApplicationSettings, changed };
}

/** The level of default branches is that of the rules, or the nearest to them. */
function linkProtection(
  merged: Readonly<Record<string, unknown>>,
  changed: ReadonlySet<SettingName>,
  set: (name: SettingName, value: unknown) => void,
): void {
  if (changed.has('default_branch_protection_defaults')) {
    const rules = parseProtection(merged.default_branch_protection_defaults as Readonly<Record<string, unknown>>);
    // Rules that are refused say nothing of a level.
    if (rules === null) return;
    set('default_branch_protection', levelOf(rules));
    set('default_branch_protection_defaults', rules);
  } else if (changed.has('default_branch_protection'))
    set('default_branch_protection_defaults', protectionOf(merged.default_branch_protection as number));
}
