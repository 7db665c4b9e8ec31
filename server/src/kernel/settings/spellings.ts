/** The names of one setting: its own, and the others that are answered and taken for it. */
import { isDeepStrictEqual } from 'node:util';
import { settingAliases } from '../names.ts';
import { isSettingName, replacedSettings, type SettingName } from './table/index.ts';

type AliasName = (typeof settingAliases)[keyof typeof settingAliases][number];
export type OtherName = AliasName | keyof typeof replacedSettings;

/** Which setting another name stands for. */
export const otherNames: ReadonlyMap<string, SettingName> = new Map<string, SettingName>([
  ...Object.entries(settingAliases).flatMap(([name, others]) =>
    others.map((other) => [other, name as keyof typeof settingAliases] as const),
  ),
  ...Object.entries(replacedSettings),
]);

/**
 * What a client gave, under the settings' own names. A client that sends a whole answer back gives a setting under each
 * of its names and changed one of them: a value that differs from the current one counts, the own name's before others.
 */
export function underOwnNames(
  given: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
): Map<SettingName, unknown> {
  const wanted = new Map<SettingName, unknown>();
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of named) if (isSettingName(name)) wanted.set(name, value);
  for (const [other, value] of named) {
    const name = otherNames.get(other);
    if (name === undefined) continue;
    if (!wanted.has(name) || isDeepStrictEqual(wanted.get(name), current[name])) wanted.set(name, value);
  }
  return wanted;
}
