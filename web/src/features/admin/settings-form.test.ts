/** Drafts of settings: what the form shows, what it sends, what it finds. */
import { describe, expect, it } from 'vitest';
import { type SettingField, settingFields, settingOwners } from './settings-fields.gen.ts';
import { changesOf, draftOf, grouped, isDefault, matches, sentValue, shownValue } from './settings-form.ts';

const field = (name: string): SettingField => {
  const found = settingFields.find((each) => each.name === name);
  if (!found) throw new Error(`no setting ${name}`);
  return found;
};

describe('drafts', () => {
  it.each([
    ['can_create_group', true, true],
    ['default_projects_limit', 100, '100'],
    ['max_ssh_key_lifetime', null, ''],
    ['polling_interval_multiplier', 1.5, '1.5'],
    ['domain_allowlist', ['a.example', 'b.example'], 'a.example\nb.example'],
    ['git_rate_limit_users_alertlist', [1, 2], '1\n2'],
    ['restricted_visibility_levels', ['public'], ['public']],
    ['default_ci_config_path', null, ''],
    ['default_project_visibility', 'private', 'private'],
  ])('%s: %j is shown as %j and comes back the same', (name, value, draft) => {
    expect(draftOf(field(name), value)).toEqual(draft);
    expect(sentValue(field(name), draftOf(field(name), value))).toEqual(value);
  });

  it('sends what is no number as it is typed', () => {
    expect(sentValue(field('default_projects_limit'), 'many')).toBe('many');
    expect(sentValue(field('default_projects_limit'), '')).toBe('');
  });

  it.each([
    ['default_projects_limit', 100_000, true],
    ['default_projects_limit', 7, false],
    ['polling_interval_multiplier', '1.0', true],
    ['polling_interval_multiplier', '1.5', false],
    ['domain_allowlist', [], true],
    ['domain_allowlist', ['a.example'], false],
    ['home_page_url', '', true],
  ])('%s: whether %j is the default: %j', (name, value, expected) => {
    expect(isDefault(field(name), value)).toBe(expected);
  });

  it('sends only what differs', () => {
    const fields = [field('can_create_group'), field('max_login_attempts'), field('home_page_url')];
    const current = { can_create_group: true, max_login_attempts: 10, home_page_url: null };
    const drafts = { can_create_group: true, max_login_attempts: '7', home_page_url: '' };
    expect(changesOf(fields, drafts, current)).toEqual({ max_login_attempts: 7 });
    expect(changesOf(fields, {}, current)).toEqual({});
  });
});

describe('finding', () => {
  it('looks at name and meaning, each word for itself', () => {
    expect(matches(field('max_login_attempts'), 'login max')).toBe(true);
    expect(matches(field('max_login_attempts'), 'lock account')).toBe(true);
    expect(matches(field('max_login_attempts'), 'artifacts')).toBe(false);
    expect(matches(field('max_login_attempts'), '')).toBe(true);
  });

  it('puts every setting into one group', () => {
    const groups = grouped(settingFields, settingOwners);
    expect(groups.flatMap((group) => group.fields)).toHaveLength(settingFields.length);
  });

  it('says values in words', () => {
    expect([null, '', [], true, false, ['a', 'b'], { a: 1 }, 5].map(shownValue)).toEqual([
      'none',
      'none',
      'none',
      'yes',
      'no',
      'a, b',
      '{"a":1}',
      '5',
    ]);
  });
});
