/** Orders of lists of merge requests of all projects, each walked along an index. */
import type { Migration } from './index.ts';

const orders = `
create index merge_requests_updated on merge_requests (updated_at, id);
create index merge_requests_title on merge_requests (title, id);
create index merge_requests_merged on merge_requests (merged_at desc nulls last, id desc);
`;

export const mergeRequestOrdersMigration: Migration = { name: '1023-merge-request-orders', statements: [orders] };
