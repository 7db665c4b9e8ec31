/** How many projects of a top-level group one person downloads before somebody is told. */
import { NumberInput, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupMembersCalled } from '../../../lib/members.ts';
import { MultiSelect, TagsInput } from '../../../ui/Choices.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { Save } from '../../settings/Save.tsx';
import { useGroup, useGroupForm } from '../useGroupForm.ts';

/** Members by id, found as one types. */
function Told({ value, change }: { value: readonly number[]; change: (value: number[]) => void }) {
  const { path } = useGroup();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const { data: members = [] } = useQuery({ ...groupMembersCalled(path, search), placeholderData: keepPreviousData });
  const [seen, setSeen] = useState<ReadonlyMap<number, string>>(new Map());
  const names = new Map([...seen, ...members.map(({ id, name, username }) => [id, `${name} (@${username})`] as const)]);
  const all = [...new Set([...members.map(({ id }) => id), ...value])];
  return (
    <MultiSelect
      label="Notified users"
      description="Members of this group. Leave empty to notify its owners"
      data={all.map((id) => ({ value: String(id), label: names.get(id) ?? `Account ${id}` }))}
      value={value.map(String)}
      onChange={(next) => {
        setSeen(names);
        change(next.map(Number));
      }}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      hidePickedOptions
      nothingFoundMessage="No members match"
    />
  );
}

function DownloadFields() {
  const { group } = useGroup();
  const [values, setValues] = useState({
    unique_project_download_limit: group.unique_project_download_limit ?? 0,
    unique_project_download_limit_interval_in_seconds: group.unique_project_download_limit_interval_in_seconds ?? 0,
    unique_project_download_limit_allowlist: group.unique_project_download_limit_allowlist ?? [],
    unique_project_download_limit_alertlist: group.unique_project_download_limit_alertlist ?? [],
  });
  const set = (change: Partial<typeof values>) => setValues({ ...values, ...change });
  const sending = useGroupForm(() => values);
  return (
    <form {...sending.form}>
      <Text c="var(--mr-dim)" mb="md">
        When a user clones, fetches or downloads more projects of this group and its subgroups than the limit, the
        notified users receive an email, and an audit event is recorded. Owners are exempt.
      </Text>
      <FormError error={sending.error} />
      <Stack gap="md">
        <NumberInput
          label="Projects"
          description="0: no limit"
          min={0}
          max={10_000}
          allowDecimal={false}
          value={values.unique_project_download_limit}
          onChange={(projects) => set({ unique_project_download_limit: Number(projects) })}
          error={sending.reason('unique_project_download_limit')}
        />
        <NumberInput
          label="Within"
          description="Seconds, up to ten days; 0: no limit"
          min={0}
          max={864_000}
          allowDecimal={false}
          value={values.unique_project_download_limit_interval_in_seconds}
          onChange={(seconds) => set({ unique_project_download_limit_interval_in_seconds: Number(seconds) })}
          error={sending.reason('unique_project_download_limit_interval_in_seconds')}
        />
        <TagsInput
          label="Exempt users"
          description="Usernames. Press Enter to add."
          maxTags={100}
          value={values.unique_project_download_limit_allowlist}
          onChange={(names) => set({ unique_project_download_limit_allowlist: names })}
          error={sending.reason('unique_project_download_limit_allowlist')}
        />
        <Told
          value={values.unique_project_download_limit_alertlist}
          change={(ids) => set({ unique_project_download_limit_alertlist: ids })}
        />
        <Save pending={sending.pending} done={sending.done} />
      </Stack>
    </form>
  );
}

export function DownloadsPart() {
  const { group, path } = useGroup();
  const [top = path] = path.split('/');
  if (group.parent_id === null) return <DownloadFields />;
  return (
    <Text>
      Downloads are counted by <a href={`/groups/${top}/-/settings?part=downloads`}>{top}</a>, the group at the top.
    </Text>
  );
}
