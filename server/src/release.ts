/** What was built. */
import manifest from '../package.json' with { type: 'json' };
import type { Release } from './features/identity/index.ts';

/** Set by the build; sources run without one. */
declare const MILLRACE_REVISION: string | undefined;

export const release: Release = {
  version: manifest.version,
  revision: typeof MILLRACE_REVISION === 'string' ? MILLRACE_REVISION : 'unknown',
};
