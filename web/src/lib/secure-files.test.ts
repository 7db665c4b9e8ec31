/** What the list of secure files says of what is in them. */
import { expect, it } from 'vitest';
import { contentOf } from './secure-files.ts';

it('names certificates by their subject, profiles by their app and team, and nothing else', () => {
  const certificate = { id: '1', issuer: { CN: 'Authority' }, subject: { CN: 'Distribution: Team', O: 'Team' } };
  expect(contentOf({ metadata: certificate })).toBe('Distribution: Team');
  expect(contentOf({ metadata: { subject: { O: 'Team' } } })).toBe('Team');
  expect(contentOf({ metadata: { app_name: 'Tide', team_name: 'Team', subject: { CN: 'Signer' } } })).toBe(
    'Tide · Team',
  );
  expect(contentOf({ metadata: { app_name: 'Tide' } })).toBe('Tide');
  for (const metadata of [null, {}, { subject: null }, { subject: { CN: 5 } }, 'text'])
    expect(contentOf({ metadata })).toBeNull();
});
