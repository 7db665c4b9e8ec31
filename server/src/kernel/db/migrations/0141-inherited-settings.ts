/** Groups and projects hold null where the instance or a group above decides, instead of a copy of what these said once. */
import type { Migration } from './index.ts';

const setting = (name: string, fallback: string) =>
  `coalesce((select value from application_settings where name = '${name}'), '${fallback}'::jsonb)`;

const lfs = `
alter table projects alter column lfs_enabled drop not null, alter column lfs_enabled drop default;
alter table namespaces alter column lfs_enabled drop not null, alter column lfs_enabled drop default;
update projects p set lfs_enabled = null from namespaces n
  where n.id = p.namespace_id and n.lfs_enabled = p.lfs_enabled;
update namespaces n set lfs_enabled = null
  where n.lfs_enabled = coalesce((select a.lfs_enabled from namespaces a where a.id = n.parent_id), true);
-- Few groups say anything.
create index namespaces_lfs on namespaces (id) where lfs_enabled is not null;
`;

const creation = `
alter table namespaces
  alter column project_creation_level drop not null,
  alter column project_creation_level drop default;
update namespaces set project_creation_level = null where project_creation_level =
  (array['noone', 'maintainer', 'developer', 'administrator', 'owner'])[1 + ${setting('default_project_creation', '2')}::int];
`;

const protection = `
alter table namespaces add column default_branch_protection_defaults jsonb;
update namespaces set default_branch_protection_defaults = case default_branch_protection
    when 0 then '{"allowed_to_push": [{"access_level": 30}], "allow_force_push": true, "allowed_to_merge": [{"access_level": 30}]}'
    when 1 then '{"allowed_to_push": [{"access_level": 30}], "allow_force_push": false, "allowed_to_merge": [{"access_level": 40}]}'
    when 2 then '{"allowed_to_push": [{"access_level": 40}], "allow_force_push": false, "allowed_to_merge": [{"access_level": 40}]}'
    when 3 then '{"allowed_to_push": [{"access_level": 40}], "allow_force_push": false, "allowed_to_merge": [{"access_level": 30}]}'
    else '{"allowed_to_push": [{"access_level": 40}], "allow_force_push": false, "allowed_to_merge": [{"access_level": 40}], "developer_can_initial_push": true}'
  end::jsonb
  where kind = 'group' and default_branch_protection <> ${setting('default_branch_protection', '2')}::int;
alter table namespaces drop column default_branch_protection;
alter table namespaces add constraint namespaces_levels check (
  project_creation_level in ('noone', 'administrator', 'owner', 'maintainer', 'developer')
  and subgroup_creation_level in ('owner', 'maintainer')
  and shared_runners_setting in
    ('enabled', 'disabled_and_overridable', 'disabled_with_override', 'disabled_and_unoverridable')
  and wiki_access_level in ('disabled', 'private', 'enabled'));
`;

// While the instance kept none, projects were made with a copy of that and had no say.
const artifacts = `
update projects set keep_latest_artifact = true
  where not keep_latest_artifact and not ${setting('keep_latest_artifact', 'true')}::boolean;
`;

const lists = `
update application_settings set value = case
    when value = 'null' then '[]'
    else to_jsonb(array_remove(regexp_split_to_array(value #>> '{}', '[\\s,]+'), ''))
  end
  where name = 'elasticsearch_url' and jsonb_typeof(value) <> 'array';
`;

export const inheritedSettingsMigration: Migration = {
  name: '0141-inherited-settings',
  statements: [lfs, creation, protection, artifacts, lists],
};
