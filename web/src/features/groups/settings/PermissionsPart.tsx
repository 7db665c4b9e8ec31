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
  { value: 'enabled', label: 'Runners of the instance run jobs' },
  { value: 'disabled_and_overridable', label: 'Off; groups and projects below may switch them on' },
  { value: 'disabled_and_unoverridable', label: 'Off for everything below' },
] as const;
const protections = [
  { value: '0', label: 'None' },
  { value: '1', label: 'Developers push, nobody forces' },
  { value: '2', label: 'Only maintainers push' },
  { value: '3', label: 'Maintainers push, developers merge' },
  { value: '4', label: 'Developers push the first commit, then maintainers' },
] as const;

/** Switches by the names of the API. */
const switches = {
  share_with_group_lock: ['Projects are not shared with other groups', 'Here and in all groups below.'],
  membership_lock: ['Projects take no members of their own', 'Who works on them is a member of the group.'],
  request_access_enabled: ['People may ask to become members', null],
  lfs_enabled: ['Git LFS', 'For projects and groups below that do not set it themselves.'],
  require_two_factor_authentication: ['Members need a second factor', null],
  math_rendering_limits_enabled: [
    'Formulas in documents are limited',
    'Off where all who write here are trusted: a formula can keep a browser busy.',
  ],
  lock_math_rendering_limits_enabled: ['Groups below do not change that', null],
  service_access_tokens_expiration_enforced: [
    'Tokens of service accounts must end',
    'Also of those of projects below.',
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
          label="Who creates projects"
          data={[...creators]}
          value={values.project_creation_level}
          onChange={(event) => set({ project_creation_level: event.currentTarget.value })}
        />
        <NativeSelect
          label="Who creates subgroups"
          data={[...subgroupCreators]}
          value={values.subgroup_creation_level}
          onChange={(event) => set({ subgroup_creation_level: event.currentTarget.value })}
        />
        <NativeSelect
          label="Runners of the instance"
          data={[...runners]}
          value={values.shared_runners_setting}
          onChange={(event) => set({ shared_runners_setting: event.currentTarget.value })}
          error={sending.reason('shared_runners_enabled')}
        />
        <TextInput
          label="First branch of new projects"
          description="Empty: the one of the instance"
          value={values.default_branch}
          onChange={(event) => set({ default_branch: event.currentTarget.value })}
          error={sending.reason('default_branch')}
        />
        <NativeSelect
          label="Protection of that branch"
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
            label="Hours until the second factor is required"
            min={0}
            value={values.two_factor_grace_period}
            onChange={(hours) => set({ two_factor_grace_period: Number(hours) })}
          />
        ) : null}
        {top ? (
          <TextInput
            label="Addresses that reach the group"
            description="Ranges like 192.0.2.0/24, separated by commas. Empty: all"
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
