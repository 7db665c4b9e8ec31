/** Parameters that change settings, made from the table: every name that a setting has. */
import Type, { type TObject, type TSchema } from 'typebox';
import {
  Bool,
  Float,
  Hash,
  Int,
  IntOf,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import {
  otherNames,
  type Row,
  replacedSettings,
  type SettingChanges,
  settingNames,
  settingRows,
} from '../../../kernel/settings/index.ts';

function bounds({ min, max }: Row<unknown>): string {
  if (min === undefined && max === undefined) return '';
  if (max === undefined || max === Number.MAX_SAFE_INTEGER) return `; at least ${min ?? 0}`;
  return `; ${min ?? 0} to ${max}`;
}

const sentence = (row: Row<unknown>): string =>
  [
    row.meaning + bounds(row),
    row.kind === 'words' ? `any of ${row.allowed?.join(', ')}` : '',
    row.needs ? `needs ${row.needs.join(', ')}` : '',
    row.deprecated ? `use ${row.deprecated}` : '',
  ]
    .filter((part) => part !== '')
    .join('; ');

/** Ranges are told by the record, with its reasons by name: here is only what a value must be to have any. */
function schemaOf(row: Row<unknown>, doc: { description: string; deprecated?: boolean }): TSchema {
  switch (row.kind) {
    case 'boolean':
      return Bool(doc);
    case 'integer':
      return Int(doc);
    case 'level':
      return IntOf((row.allowed ?? []).map(Number), doc);
    case 'decimal':
      return Float(doc);
    case 'text':
      return Str(doc);
    case 'word':
      return OneOf((row.allowed ?? []).map(String), doc);
    case 'texts':
    case 'words':
      return OrNull(List(Str(), { ...doc, commas: 'blanks' }));
    case 'integers':
      return OrNull(List(Int(), { ...doc, commas: 'blanks' }));
    case 'map':
      return Hash(Type.Unknown(), doc);
  }
}

function parameter(row: Row<unknown>, deprecated?: string): TSchema {
  const replaced = deprecated ?? row.deprecated;
  const doc = {
    description: deprecated === undefined ? sentence(row) : `Use ${deprecated}`,
    ...(replaced === undefined ? {} : { deprecated: true }),
  };
  const schema = schemaOf(row, doc);
  return Optional(row.nullable ? OrNull(schema) : schema);
}

/** All parameters of the change. */
export const SettingsParams: TObject = Type.Object(
  Object.fromEntries([
    ...settingNames.map((name) => [name, parameter(settingRows[name])]),
    ...[...otherNames].map(([other, name]) => [
      other,
      parameter(settingRows[name], Object.hasOwn(replacedSettings, other) ? name : undefined),
    ]),
  ]),
);

/** What the parameters are once they are validated. */
export type SettingsParams = SettingChanges;
