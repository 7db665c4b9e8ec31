/** How long requests wait for git: what the settings say, in the units of the package. */
import { expect, it } from 'vitest';
import { defaultSettings } from '../../../kernel/settings/index.ts';
import { gitTimeouts } from './setup.ts';

it('takes the timeouts of git from the settings; 0 has no end', () => {
  expect(gitTimeouts(defaultSettings)).toEqual({ fast: 10_000, medium: 30_000, other: 55_000 });
  const endless = { ...defaultSettings, gitaly_timeout_fast: 1, gitaly_timeout_medium: 0, gitaly_timeout_default: 0 };
  expect(gitTimeouts(endless)).toEqual({
    fast: 1_000,
    medium: Number.POSITIVE_INFINITY,
    other: Number.POSITIVE_INFINITY,
  });
});
