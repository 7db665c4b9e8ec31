/** The worst vulnerabilities first, over all projects of a group or of the instance. */
import type { Migration } from './index.ts';

export const worstVulnerabilitiesMigration: Migration = {
  name: '0915-worst-vulnerabilities',
  statements: [
    `create index vulnerabilities_worst on vulnerabilities
      ((array_position(array['critical', 'high', 'medium', 'low', 'unknown', 'info'], severity)), id desc)`,
  ],
};
