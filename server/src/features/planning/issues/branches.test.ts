/** Names of branches that are made for issues. */
import { expect, it } from 'vitest';
import { branchNameOf } from './branches.ts';

const named = (title: string, template: string | null = null, confidential = false) =>
  branchNameOf({ iid: 12, title, confidential }, template);

it('[3/fields.project/1] are made of the number and the title of an issue, or as the project says', () => {
  expect(named('Login page: is *slow*, naïve & old')).toBe('12-login-page-is-slow-naive-old');
  expect(named('日本語')).toBe('12');
  expect(named('Slow', 'fix/%{id}_%{title}')).toBe('fix/12_slow');
  expect(named('Slow', 'fix-%{id}', true)).toBe('12-confidential-issue');
  const long = named(`${'word '.repeat(30)}`);
  expect([long.length <= 100, long.endsWith('-word')]).toEqual([true, true]);
});
