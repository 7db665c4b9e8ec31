/** What environments are used for, in words. */
import type { Environment } from '../../lib/environments.ts';

export const tiers: Readonly<Record<Environment['tier'], string>> = {
  production: 'Production',
  staging: 'Staging',
  testing: 'Testing',
  development: 'Development',
  other: 'Other',
};
