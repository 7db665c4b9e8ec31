/** Every quick action that pages offer is documented. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { quickActions } from './commands.ts';

it('offers the quick actions that the documentation lists', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/user/quick-actions.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `/'));
  const listed = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`\/([a-z_]+)/g)].map(([, name]) => name),
  );
  const aliases = ['react'];
  expect(quickActions.map(({ name }) => name).sort()).toEqual(
    listed.filter((name) => !aliases.includes(name ?? '')).sort(),
  );
});
