/** Where the software of an environment runs in a cluster. */
import type { Migration } from './index.ts';

const columns = `
alter table environments add column kubernetes_namespace text;
alter table environments add column flux_resource_path text;
`;

export const environmentClustersMigration: Migration = { name: '0812-environment-clusters', statements: [columns] };
