/** Epics of a group by when they were changed. */
import type { Migration } from './index.ts';

const updated = 'create index epics_updated on epics (namespace_id, updated_at, id)';

export const updatedEpicsMigration: Migration = { name: '0340-updated-epics', statements: [updated] };
