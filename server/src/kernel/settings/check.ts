/** What may be stored: each value by its row, and all of them together. Pure. */
import { invalidParameters, invalidRecord } from '../http/errors.ts';
import { mapReason, mapValues, textReason } from './formats.ts';
import type { Row } from './row.ts';
import { type ApplicationSettings, type SettingName, settingNames, settingRows } from './table/index.ts';

type Values = Readonly<Record<string, unknown>>;

const defaults = { min: 0, max: 2_147_483_647, length: 255, items: 1_000, mapBytes: 65_536 };

/** What the edge hands over, made what is stored: no blank texts in lists, null for an empty text where that means none. */
export function normalised(row: Row<unknown>, value: unknown): unknown {
  switch (row.kind) {
    case 'text':
      return value === '' && row.nullable ? null : value;
    case 'texts':
    case 'words': {
      const items = ((value ?? []) as string[]).map((item) => item.trim()).filter((item) => item !== '');
      return [...new Set(row.format === 'names' ? items.map((item) => item.toLowerCase()) : items)];
    }
    case 'integers':
      return [...new Set((value ?? []) as number[])];
    case 'map':
      return mapValues(row.format, (value ?? {}) as Values);
    case 'boolean':
    case 'integer':
    case 'decimal':
    case 'word':
    case 'level':
      return value;
  }
}

function numberReason(row: Row<unknown>, value: number): string | undefined {
  const { min = defaults.min, max = defaults.max } = row;
  if (value < min) return `must be greater than or equal to ${min}`;
  return value > max ? `must be less than or equal to ${max}` : undefined;
}

function textReasons(row: Row<unknown>, value: string): string | undefined {
  const { max = defaults.length } = row;
  if (value.length > max) return `is too long (maximum is ${max} characters)`;
  return row.format && textReason(row.format, value);
}

function mapReasons(row: Row<unknown>, value: Values): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > defaults.mapBytes) return `is too long (maximum is ${defaults.mapBytes} bytes)`;
  return row.format && mapReason(row.format, value);
}

/** Why a value cannot be stored under its row. */
function reasonAgainst(row: Row<unknown>, value: unknown): string | undefined {
  if (value === null) return row.nullable ? undefined : "can't be blank";
  switch (row.kind) {
    case 'integer':
    case 'decimal':
      return numberReason(row, value as number);
    case 'text':
      return textReasons(row, value as string);
    case 'texts':
    case 'integers':
      return (value as unknown[]).length > defaults.items
        ? `is too long (maximum is ${defaults.items} entries)`
        : undefined;
    case 'map':
      return mapReasons(row, value as Values);
    case 'word':
    case 'level':
      return row.allowed?.includes(value as string | number) ? undefined : 'is not included in the list';
    case 'words':
      return (value as string[]).every((item) => row.allowed?.includes(item))
        ? undefined
        : `does not have a valid value: ${row.allowed?.join(', ')}`;
    case 'boolean':
      return undefined;
  }
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);

/** Names that are needed by what is on, and are empty; told when the switch or the companion changes. */
function missingCompanions(merged: Values, changed: ReadonlySet<string>): string[] {
  const missing = settingNames.flatMap((name) => {
    if (isEmpty(merged[name])) return [];
    return (settingRows[name].needs ?? []).filter(
      (companion) => isEmpty(merged[companion]) && (changed.has(name) || changed.has(companion)),
    );
  });
  return [...new Set(missing)];
}

const visibilityNames = ['default_project_visibility', 'default_group_visibility'] as const;

function restrictedDefaults(merged: ApplicationSettings, changed: ReadonlySet<string>): SettingName[] {
  return visibilityNames.filter(
    (name) =>
      (changed.has(name) || changed.has('restricted_visibility_levels')) &&
      merged.restricted_visibility_levels.includes(merged[name]),
  );
}

/** Fast operations are waited for no longer than medium ones, and these no longer than all others; 0 has no end. */
function disorderedTimeouts(
  { gitaly_timeout_fast: fast, gitaly_timeout_medium: medium, gitaly_timeout_default: usual }: ApplicationSettings,
  changed: ReadonlySet<SettingName>,
): readonly (readonly [SettingName, string])[] {
  if (![...changed].some((name) => name.startsWith('gitaly_timeout_'))) return [];
  const atMost = (limit: number) => `must be less than or equal to ${limit}`;
  const found: (readonly [SettingName, string])[] = [];
  if (usual > 0 && fast > usual) found.push(['gitaly_timeout_fast', atMost(usual)]);
  if (usual > 0 && medium > usual) found.push(['gitaly_timeout_medium', atMost(usual)]);
  if (medium < fast) found.push(['gitaly_timeout_medium', `must be greater than or equal to ${fast}`]);
  return found;
}

/**
 * Throws the API's 400 when the settings as they would be cannot be: every reason by name, or which companions are
 * missing. `given` are the names that the client sent, `storages` those of the repository storages.
 */
export function checkSettings(
  merged: ApplicationSettings,
  changed: ReadonlySet<SettingName>,
  given: ReadonlySet<string>,
  storages: readonly string[],
): void {
  const reasons: Record<string, string[]> = {};
  const refuse = (name: string, reason: string) => {
    reasons[name] = [...(reasons[name] ?? []), reason];
  };
  for (const name of changed) {
    const reason = reasonAgainst(settingRows[name], merged[name]);
    if (reason !== undefined) refuse(name, reason);
  }
  const unknown = Object.keys(merged.repository_storages_weighted).filter((storage) => !storages.includes(storage));
  if (changed.has('repository_storages_weighted') && unknown.length > 0)
    refuse('repository_storages_weighted', `can't include: ${unknown.join(', ')}`);
  const missing = missingCompanions(merged, changed);
  for (const name of missing.filter((companion) => given.has(companion))) refuse(name, "can't be blank");
  const { inactive_projects_send_warning_email_after_months: warned, inactive_projects_delete_after_months: deleted } =
    merged;
  const ofInactive = [...changed].some((name) => /^inactive_projects_.+_months$/.test(name));
  if (ofInactive && warned >= deleted)
    refuse('inactive_projects_send_warning_email_after_months', `must be less than ${deleted}`);
  for (const [name, reason] of disorderedTimeouts(merged, changed)) refuse(name, reason);
  for (const name of restrictedDefaults(merged, changed))
    refuse(name, 'cannot be set to a restricted visibility level');
  if (Object.keys(reasons).length > 0) throw invalidRecord(reasons);
  if (missing.length > 0) throw invalidParameters(missing.map((name) => `${name} is missing`));
}
