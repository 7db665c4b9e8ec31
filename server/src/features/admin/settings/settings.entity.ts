/** The settings as the API answers them, made from the table: every name of every setting that may be read. */
import type { TSchema } from 'typebox';
import {
  AnyJson,
  Count,
  Decimal,
  Entity,
  Flag,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import {
  otherNames,
  type Row,
  replacedSettings,
  type SettingName,
  type StoredSettings,
  secretMask,
  settingNames,
  settingRows,
} from '../../../kernel/settings/index.ts';

function schemaOf(row: Row<unknown>, doc: { description: string; deprecated?: boolean }): TSchema {
  switch (row.kind) {
    case 'boolean':
      return Flag(doc);
    case 'integer':
    case 'level':
      return Count(doc);
    case 'decimal':
      return row.asText ? Text(doc) : Decimal(doc);
    case 'text':
      return Text(doc);
    case 'word':
      return Word((row.allowed ?? []).map(String), doc);
    case 'texts':
    case 'words':
      return ListOf(Text(), doc);
    case 'integers':
      return ListOf(Count(), doc);
    case 'map':
      return MapOf(AnyJson(), doc);
  }
}

function property(row: Row<unknown>, deprecated?: string): TSchema {
  const replaced = deprecated ?? row.deprecated;
  const doc = {
    description: deprecated === undefined ? row.meaning : `Use ${deprecated}`,
    ...(replaced === undefined ? {} : { deprecated: true }),
  };
  const schema = schemaOf(row, doc);
  return row.nullable ? Nullable(schema) : schema;
}

const readable = settingNames.filter((name) => settingRows[name].secret !== 'hidden');

/** There is one record of them. */
const id = 1;

export const ApplicationSettingsEntity = Entity('ApplicationSettings', {
  id: Id(),
  created_at: Timestamp({ description: 'When the instance was made' }),
  updated_at: Timestamp({ description: 'When a setting was last changed' }),
  ...Object.fromEntries(readable.map((name) => [name, property(settingRows[name])])),
  ...Object.fromEntries(
    [...otherNames].map(([other, name]) => [
      other,
      property(settingRows[name], Object.hasOwn(replacedSettings, other) ? name : undefined),
    ]),
  ),
});

/** With a decimal point also where there are no decimals. */
const decimalText = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));

/** The record with every name; of masked secrets only whether they are set. */
export function settingsJson({ values, created_at, updated_at }: StoredSettings): Record<string, unknown> {
  const shown = (name: SettingName): unknown => {
    const { secret, asText } = settingRows[name];
    const value: unknown = values[name];
    if (secret === 'masked' && value !== null) return secretMask;
    return asText && typeof value === 'number' ? decimalText(value) : value;
  };
  return {
    id,
    created_at,
    updated_at,
    ...Object.fromEntries(readable.map((name) => [name, shown(name)])),
    ...Object.fromEntries([...otherNames].map(([other, name]) => [other, shown(name)])),
  };
}
