/** What a form holds of a setting, and how it becomes what the API takes. Pure. */
import type { SettingField } from './settings-fields.gen.ts';

/** Text of an input, a tick, or ticked words. */
export type Draft = string | boolean | readonly string[];
export type Values = Readonly<Record<string, unknown>>;

/** What the form shows of a value. Lists are one line each. */
export function draftOf(field: SettingField, value: unknown): Draft {
  switch (field.kind) {
    case 'boolean':
      return value === true;
    case 'words':
      return (value as readonly string[]) ?? [];
    case 'texts':
    case 'integers':
      return ((value as readonly unknown[]) ?? []).join('\n');
    case 'map':
      return JSON.stringify(value ?? {});
    default:
      return value === null || value === undefined ? '' : String(value);
  }
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What the API gets. A number that is none goes as it is typed: the API says what is wrong with it. */
export function sentValue(field: SettingField, draft: Draft): unknown {
  if (typeof draft !== 'string') return draft;
  switch (field.kind) {
    case 'integer':
    case 'level':
    case 'decimal': {
      const text = draft.trim();
      if (text === '' && field.nullable) return null;
      return text !== '' && Number.isFinite(Number(text)) ? Number(text) : draft;
    }
    case 'texts':
      return lines(draft);
    case 'integers':
      return lines(draft).map(Number);
    default:
      return draft === '' && field.nullable ? null : draft;
  }
}

/** Which settings the page shows: those that match a search, those of a topic, or those that differ from their default. */
export interface SettingsSearch {
  readonly search?: string | undefined;
  readonly topic?: string | undefined;
  readonly changed?: boolean | undefined;
}

/** Whether nobody has changed it: secrets are shown as stars, and an empty one is the default. */
export const isDefault = (field: SettingField, value: unknown): boolean =>
  field.kind === 'decimal' && value !== null && field.fallback !== null
    ? // The API writes some of them as texts with decimals.
      Number(value) === Number(field.fallback)
    : same(draftOf(field, value), draftOf(field, field.fallback));

const same = (a: Draft, b: Draft): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The new values of what differs from the current ones. */
export function changesOf(
  fields: readonly SettingField[],
  drafts: Readonly<Record<string, Draft>>,
  current: Values,
): Record<string, unknown> {
  const changed = fields.filter((field) => {
    const draft = drafts[field.name];
    return draft !== undefined && !same(draft, draftOf(field, current[field.name]));
  });
  return Object.fromEntries(changed.map((field) => [field.name, sentValue(field, drafts[field.name] as Draft)]));
}

/** Whether every word that is looked for is in the name or the meaning. */
export function matches(field: SettingField, search: string): boolean {
  const text = `${field.name} ${field.name.replaceAll('_', ' ')} ${field.meaning}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Fields in the order of the owners that have any. */
export function grouped(
  fields: readonly SettingField[],
  owners: Readonly<Record<string, string>>,
): { owner: string; title: string; fields: SettingField[] }[] {
  return Object.entries(owners)
    .map(([owner, title]) => ({
      owner,
      title: title.charAt(0).toUpperCase() + title.slice(1),
      fields: fields.filter((field) => field.owner === owner),
    }))
    .filter((group) => group.fields.length > 0);
}

/** What a list shows of a value. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
