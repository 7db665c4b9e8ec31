/** The table tells the truth about itself: what acts is read by the product, what is read acts, and rows are complete. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { declaredRoutes } from '../../described.ts';
import { settingAliases } from '../names.ts';
import { type LimitName, namedLimits } from '../rate-limits/limits.ts';
import { checkSettings } from './check.ts';
import { defaultSettings } from './defaults.ts';
import { owners } from './row.ts';
import { otherNames } from './spellings.ts';
import { isSettingName, replacedSettings, settingNames, settingRows } from './table/index.ts';

const source = join(import.meta.dirname, '../..');

/** Product code outside the settings and the pages that show all of them. */
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .filter((name) => !/^(kernel\/settings|features\/admin\/settings)\//.test(name))
  .map((name) => ({ name, text: readFileSync(join(source, name), 'utf8') }));

const reading = /await\s+(?:\w+\.)*settings\.read\(\)/g;

/** The places where a file gets all settings, and the names that it takes from there. */
function readsOf(text: string): { places: number; understood: number; names: string[] } {
  const names: string[] = [];
  const holders = new Set<string>();
  let understood = 0;
  for (const [, list = ''] of text.matchAll(/const\s+\{([^}]*)\}\s*=\s*await\s+(?:\w+\.)*settings\.read\(\)/g)) {
    understood += 1;
    names.push(...list.split(',').map((part) => part.split(':')[0]?.trim() ?? ''));
  }
  for (const [, name = ''] of text.matchAll(/\(await\s+(?:\w+\.)*settings\.read\(\)\)\s*\.(\w+)/g)) {
    understood += 1;
    names.push(name);
  }
  for (const [, holder = ''] of text.matchAll(/(?:^|\s)(\w+)\s*=\s*await\s+(?:\w+\.)*settings\.read\(\)/g)) {
    understood += 1;
    holders.add(holder);
  }
  // What a function of the file answers.
  for (const [, name] of text.matchAll(/function\s+(\w+)\([^)]*\):\s*Promise<ApplicationSettings>/g))
    for (const [, holder = ''] of text.matchAll(new RegExp(`const\\s+(\\w+)\\s*=\\s*await\\s+${name}\\(`, 'g')))
      holders.add(holder);
  // Handed on to a function, which names the type of what it takes.
  understood += [...text.matchAll(/(?:\w\(|,)\s*await\s+(?:\w+\.)*settings\.read\(\)\s*\)/g)].length;
  for (const [, holder = ''] of text.matchAll(/(\w+):\s*ApplicationSettings\b/g)) holders.add(holder);
  for (const [, list = ''] of text.matchAll(/Pick<ApplicationSettings,([^>]*)>/g))
    names.push(...[...list.matchAll(/'(\w+)'/g)].map(([, name]) => name ?? ''));
  for (const holder of holders)
    for (const [, name = ''] of text.matchAll(new RegExp(`\\b${holder}\\.(\\w+)`, 'g'))) names.push(name);
  // General limits are read by the start of their names.
  for (const [, prefix = ''] of text.matchAll(/throttle\('(throttle_\w+?)'/g))
    for (const end of ['enabled', 'requests_per_period', 'period_in_seconds']) names.push(`${prefix}_${end}`);
  // Read with the rows that say nothing of their own.
  for (const [, name = ''] of text.matchAll(/instanceSetting\('(\w+)'\)/g)) names.push(name);
  return { places: [...text.matchAll(reading)].length, understood, names: names.filter(isSettingName) };
}

/** Settings of the named limits that something counts in: routes that name them, and calls. */
function countedLimits(): string[] {
  const called = files.flatMap(({ text }) => [...text.matchAll(/\.within\('(\w+)'/g)].map(([, name]) => name ?? ''));
  const routed = declaredRoutes().flatMap(({ rate = [] }) => rate);
  return [...called, ...routed].flatMap((name) => {
    const { setting, allowlist } = namedLimits[name as LimitName];
    return allowlist ? [setting, allowlist] : [setting];
  });
}

describe('the table of application settings', () => {
  it('marks as acting what the product reads, and nothing else', () => {
    const read = new Set<string>([...files.flatMap(({ text }) => readsOf(text).names), ...countedLimits()]);
    const acting = new Set(settingNames.filter((name) => settingRows[name].acts));
    // The level of default branches acts through the rules that move with it.
    read.add('default_branch_protection');
    expect([...read].sort()).toEqual([...acting].sort());
  });

  it('is read in ways that this test understands', () => {
    const odd = files
      .map(({ name, text }) => ({ name, ...readsOf(text) }))
      .filter(({ places, understood }) => understood < places)
      .map(({ name }) => name);
    expect(odd, 'take names from `const { name } =`, `const values =` or `(await settings.read()).name`').toEqual([]);
  });

  it('[3/api.application-settings/28] has complete rows: an owner, a meaning, companions that exist, a default that may be stored', () => {
    for (const name of settingNames) {
      const row = settingRows[name];
      expect(owners, name).toHaveProperty(row.owner);
      expect(row.meaning.length, name).toBeGreaterThan(5);
      for (const companion of row.needs ?? [])
        expect(isSettingName(companion), `${name} needs ${companion}`).toBe(true);
      if (row.secret) expect(row, name).toMatchObject({ kind: 'text', nullable: true, fallback: null });
      if (row.own) expect(row.acts, `${name} is ours: it acts`).toBeTruthy();
    }
    expect(() => checkSettings(defaultSettings, new Set(settingNames), new Set(), ['default'])).not.toThrow();
  });

  it('gives each name one meaning', () => {
    for (const [other, name] of otherNames) {
      expect(isSettingName(other), other).toBe(false);
      expect(isSettingName(name), name).toBe(true);
    }
    const others = [...Object.values(settingAliases).flat(), ...Object.keys(replacedSettings)];
    expect(new Set(others).size).toBe(others.length);
  });
});
