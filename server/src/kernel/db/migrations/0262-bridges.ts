/** Jobs that start other pipelines: no runner takes them. */
import type { Migration } from './index.ts';

const bridges = `
alter table jobs add column kind text not null default 'job' check (kind in ('job', 'bridge'));
create index jobs_bridges on jobs (pipeline_id, id desc) where kind = 'bridge';
`;

export const bridgesMigration: Migration = { name: '0262-bridges', statements: [bridges] };
