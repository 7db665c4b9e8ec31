/** From where issues were created, for administrators who look into spam. */
import type { Migration } from './index.ts';

const agents = 'alter table issues add column user_agent text, add column ip_address text;';

export const issueAgentsMigration: Migration = { name: '0633-issue-agents', statements: [agents] };
