/** What names become in variables. */
import { expect, it } from 'vitest';
import { environmentSlug, groupName, nameSlug } from './names.ts';

it('makes names of refs and jobs usable in host names', () => {
  expect(nameSlug('Feature/New Thing!')).toBe('feature-new-thing');
  expect(nameSlug('x'.repeat(80))).toHaveLength(63);
  expect(nameSlug('--')).toBe('');
});

it('finds what instances of one job have in common', () => {
  expect(['part 1/2', 'part 1:2', 'build: [linux, arm]', 'rspec 12', 'plain'].map(groupName)).toEqual([
    ...['part', 'part', 'build', 'rspec 12', 'plain'],
  ]);
});

it('gives a name of an environment that changes a suffix of its own', () => {
  expect(environmentSlug('production')).toBe('production');
  const slugs = ['review/Half', 'review/half', 'Review-Half', '1st', 'a'.repeat(30)].map((name) =>
    environmentSlug(name),
  );
  expect(new Set(slugs).size).toBe(slugs.length);
  for (const slug of slugs) expect(slug).toMatch(/^[a-z][a-z0-9-]{0,16}-[a-z0-9]{6}$/);
  expect(slugs[0]).toMatch(/^review-half-/);
  expect(slugs[3]).toMatch(/^env-1st-/);
  expect(environmentSlug('production', '-1')).not.toBe('production');
});
