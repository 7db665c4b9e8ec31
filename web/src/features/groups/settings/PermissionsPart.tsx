/** Who may do what in a group, and what holds for everything below it. */
import { NativeSelect, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormError } from '../../../ui/FormError.tsx';
import { Save } from '../../settings/Save.tsx';
import { useGroup, useGroupForm } from '../useGroupForm.ts';

const creators = [
  { value: 'noone', label: 'Nobody' },
  { value: 'administrator', label: 'Administrators' },
  { value: 'owner', label: 'Owners' },
  { value: 'maintainer', label: 'Maintainers and owners' },
  { value: 'developer', label: 'Developers and above' },
] as const;
const subgroupCreators = creators.filter(({ value }) => value === 'owner' || value === 'maintainer');
const runners = [
  { value: 'enabled', label: 'Enabled' },
  { value: 'disabled_and_overridable', label: 'Disabled; subgroups and projects can enable them' },
  { value: 'disabled_and_unoverridable', label: 'Disabled for all subgroups and projects' },
] as const;
const protections = [
  { value: '0', label: 'None' },
  { value: '1', label: 'Developers can push; no force push' },
  { value: '2', label: 'Only maintainers can push' },
  { value: '3', label: 'Maintainers can push, developers can merge' },
  { value: '4', label: 'Developers can push the initial commit, then maintainers' },
] as const;

/** Switches by the names of the API. */
const switches = {
  share_with_group_lock: ['Prevent sharing projects with other groups', 'In this group and its subgroups.'],
  membership_lock: ['Prevent adding members to projects', 'Only group members have access.'],
  request_access_enabled: ['Users can request access', null],
  lfs_enabled: ['Git LFS', 'Applies to projects and subgroups without their own setting.'],
  require_two_factor_authentication: ['Require two-factor authentication', null],
  math_rendering_limits_enabled: [
    'Limit math rendering',
    'Turn off only if all contributors are trusted: complex formulas can slow down browsers.',
  ],
  lock_math_rendering_limits_enabled: ['Subgroups cannot change this', null],
  service_access_tokens_expiration_enforced: [
    'Service account tokens must expire',
    'Applies to projects in this group, too.',
  ],
} as const;
type SwitchName = keyof typeof switches;
const switchNames = Object.keys(switches) as SwitchName[];

export function PermissionsPart() {
  const { group } = useGroup();
  const initial = {
    ...(Object.fromEntries(switchNames.map((name) => [name, group[name]])) as Record<SwitchName, boolean>),
    project_creation_level: group.project_creation_level,
    subgroup_creation_level: group.subgroup_creation_level,
    shared_runners_setting: group.shared_runners_setting,
    default_branch: group.default_branch ?? '',
    default_branch_protection: String(group.default_branch_protection),
    two_factor_grace_period: group.two_factor_grace_period,
    ip_restriction_ranges: group.ip_restriction_ranges ?? '',
  };
  const [values, setValues] = useState(initial);
  const set = (change: Partial<typeof values>) => setValues({ ...values, ...change });
  const top = group.parent_id === null;
  const sending = useGroupForm(() => {
    const { ip_restriction_ranges, project_creation_level, default_branch_protection, lfs_enabled, ...rest } = values;
    // What the group inherits stays inherited unless somebody changes it here.
    return {
      ...rest,
      ...(lfs_enabled === group.lfs_enabled ? {} : { lfs_enabled }),
      ...(project_creation_level === group.project_creation_level
        ? {}
        : { project_creation_level: project_creation_level as 'owner' }),
      ...(default_branch_protection === String(group.default_branch_protection)
        ? {}
        : { default_branch_protection: Number(default_branch_protection) }),
      subgroup_creation_level: values.subgroup_creation_level as 'owner',
      shared_runners_setting: values.shared_runners_setting as 'enabled',
      default_branch: values.default_branch || null,
      ...(top ? { ip_restriction_ranges } : {}),
    };
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <NativeSelect
          label="Roles allowed to create projects"
          data={[...creators]}
          value={values.project_creation_level}
          onChange={(event) => set({ project_creation_level: event.currentTarget.value })}
        />
        <NativeSelect
          label="Roles allowed to create subgroups"
          data={[...subgroupCreators]}
          value={values.subgroup_creation_level}
          onChange={(event) => set({ subgroup_creation_level: event.currentTarget.value })}
        />
        <NativeSelect
          label="Instance runners"
          data={[...runners]}
          value={values.shared_runners_setting}
          onChange={(event) => set({ shared_runners_setting: event.currentTarget.value })}
          error={sending.reason('shared_runners_enabled')}
        />
        <TextInput
          label="Initial default branch name"
          description="Leave empty to use the instance setting"
          value={values.default_branch}
          onChange={(event) => set({ default_branch: event.currentTarget.value })}
          error={sending.reason('default_branch')}
        />
        <NativeSelect
          label="Default branch protection"
          data={[...protections]}
          value={values.default_branch_protection}
          onChange={(event) => set({ default_branch_protection: event.currentTarget.value })}
        />
        {switchNames.map((name) => (
          <Switch
            key={name}
            label={switches[name][0]}
            description={switches[name][1]}
            checked={values[name]}
            onChange={(event) => set({ [name]: event.currentTarget.checked })}
            error={sending.reason(name)}
          />
        ))}
        {values.require_two_factor_authentication ? (
          <NumberInput
            label="Grace period in hours"
            min={0}
            value={values.two_factor_grace_period}
            onChange={(hours) => set({ two_factor_grace_period: Number(hours) })}
          />
        ) : null}
        {top ? (
          <TextInput
            label="Allowed IP addresses"
            description="Ranges such as 192.0.2.0/24, separated by commas. Leave empty to allow all"
            value={values.ip_restriction_ranges}
            onChange={(event) => set({ ip_restriction_ranges: event.currentTarget.value })}
            error={sending.reason('ip_restriction_ranges')}
          />
        ) : null}
        <Save pending={sending.pending} done={sending.done} />
      </Stack>
    </form>
  );
}
