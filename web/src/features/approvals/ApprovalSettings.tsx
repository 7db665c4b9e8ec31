/** What a project or a group requires of approvals: its rules, and who may approve. */
import { Checkbox, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type ApprovalSettingName,
  type ApprovalSettingPlace,
  approvalSettingsOf,
  groupApprovalSettings,
  groupRules,
  projectApprovalSettings,
  projectRules,
  type RulePlace,
  type ApprovalSettings as Settings,
} from '../../lib/approval-rules.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useGroup } from '../groups/useGroupForm.ts';
import { useProject } from '../projects/useProject.ts';
import { Save } from '../settings/Save.tsx';
import { ApprovalRules } from './ApprovalRules.tsx';

const labels: Readonly<Record<ApprovalSettingName, string>> = {
  allow_author_approval: 'Authors can approve their own merge requests',
  allow_committer_approval: 'People who added commits can approve',
  allow_overrides_to_approver_list_per_merge_request: 'Merge requests can have approval rules of their own',
  retain_approvals_on_push: 'Keep approvals when commits are pushed',
  selective_code_owner_removals: 'Remove approvals of code owners whose files change',
  require_reauthentication_to_approve: 'Require the password to approve',
};
const all = Object.keys(labels) as ApprovalSettingName[];
const levels = { group: 'a group', instance: 'the instance' } as const;

function SettingsForm({ settings, place }: { settings: Settings; place: ApprovalSettingPlace }) {
  const names = all.filter((name) => settings[name] !== undefined);
  const cache = useQueryClient();
  const [values, setValues] = useState(
    () =>
      Object.fromEntries(names.map((name) => [name, settings[name]?.value ?? false])) as Record<
        ApprovalSettingName,
        boolean
      >,
  );
  const sending = useForm(async () => {
    const free = names.filter((name) => !settings[name]?.locked);
    const changes = Object.fromEntries(free.map((name) => [name, values[name]]));
    await place.save(changes);
    await cache.invalidateQueries({ queryKey: place.key });
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap={8} mb="md">
        {names.map((name) => {
          const { locked = false, inherited_from: from } = settings[name] ?? {};
          const selective = name === 'selective_code_owner_removals';
          return (
            <Checkbox
              key={name}
              label={labels[name]}
              description={from ? `Decided by ${levels[from]}` : undefined}
              disabled={locked || (selective && !values.retain_approvals_on_push)}
              checked={values[name] && (!selective || values.retain_approvals_on_push)}
              onChange={(event) => {
                const { checked } = event.currentTarget;
                setValues((before) => ({
                  ...before,
                  [name]: checked,
                  ...(name === 'retain_approvals_on_push' && !checked ? { selective_code_owner_removals: false } : {}),
                }));
              }}
            />
          );
        })}
      </Stack>
      <Save pending={sending.pending} done={sending.done} />
    </form>
  );
}

function Approvals({ rules, place }: { rules: RulePlace; place: ApprovalSettingPlace }) {
  const { data, error } = useQuery(approvalSettingsOf(place));
  return (
    <Stack gap={32}>
      <div>
        <h2>Approval rules</h2>
        <ApprovalRules place={rules} mayChange />
      </div>
      <div>
        <h2>Approval settings</h2>
        <FormError error={error} />
        {data ? <SettingsForm key={JSON.stringify(data)} settings={data} place={place} /> : null}
      </div>
    </Stack>
  );
}

export function ApprovalSettings() {
  const { path } = useProject();
  return <Approvals rules={projectRules(path)} place={projectApprovalSettings(path)} />;
}

/** For all projects of the group. */
export function GroupApprovalSettings() {
  const { path } = useGroup();
  return <Approvals rules={groupRules(path)} place={groupApprovalSettings(path)} />;
}
