/** The few groups that ask their members for a second factor, which every session that opens looks for. */
import type { Migration } from './index.ts';

const statements = `
create index namespaces_two_factor on namespaces (id) where require_two_factor_authentication;
`;

export const twoFactorGroups: Migration = { name: '0011-two-factor-groups', statements: [statements] };
