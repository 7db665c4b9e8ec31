/** The licence of a project, found once for each commit of its default branch; the group whose projects are templates. */
import type { Migration } from './index.ts';

const kept = `
alter table projects
  add column license_key text,
  add column license_path text,
  add column license_commit text,
  add check ((license_key is null) = (license_path is null));
alter table namespaces add column custom_project_templates_group_id bigint;
`;

export const licensesMigration: Migration = { name: '0030-licenses', statements: [kept] };
