/** Every list asks which groups are kept to networks: few, found without looking at the others. */
import type { Migration } from './index.ts';

export const networks: Migration = {
  name: '0034-networks',
  statements: [
    `create index namespaces_kept_to_networks on namespaces (id)
  where parent_id is null and ip_restriction_ranges <> '';`,
  ],
};
