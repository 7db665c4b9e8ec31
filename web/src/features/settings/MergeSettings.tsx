/** How merge requests of a project are merged, and what has to be true before. */
import { Checkbox, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { FormError } from '../../ui/FormError.tsx';
import { useProject } from '../projects/useProject.ts';
import { Save } from './Save.tsx';
import { useProjectForm } from './useProjectForm.ts';

const methods = [
  { value: 'merge', label: 'Merge commit', description: 'Every merge creates a merge commit' },
  {
    value: 'rebase_merge',
    label: 'Merge commit with semi-linear history',
    description: 'A merge commit, only if the source branch is up to date',
  },
  { value: 'ff', label: 'Fast-forward', description: 'No merge commits; the source branch must be up to date' },
];
const squashing = [
  { value: 'never', label: 'Never' },
  { value: 'default_off', label: 'Optional, off by default' },
  { value: 'default_on', label: 'Optional, on by default' },
  { value: 'always', label: 'Always' },
];
type Method = 'merge' | 'rebase_merge' | 'ff';
type Squash = 'never' | 'always' | 'default_on' | 'default_off';

export function MergeSettings() {
  const { project } = useProject();
  const [method, setMethod] = useState<Method>(project.merge_method ?? 'merge');
  const [squash, setSquash] = useState<Squash>(project.squash_option ?? 'default_off');
  const [passes, setPasses] = useState(project.only_allow_merge_if_pipeline_succeeds ?? false);
  const [skipped, setSkipped] = useState(project.allow_merge_on_skipped_pipeline ?? false);
  const [checked, setChecked] = useState(project.only_allow_merge_if_all_status_checks_passed ?? false);
  const [results, setResults] = useState(project.merge_pipelines_enabled ?? false);
  const [trains, setTrains] = useState(project.merge_trains_enabled ?? false);
  const [remove, setRemove] = useState(project.remove_source_branch_after_merge ?? true);
  const sending = useProjectForm(() => ({
    merge_method: method,
    squash_option: squash,
    only_allow_merge_if_pipeline_succeeds: passes,
    allow_merge_on_skipped_pipeline: skipped,
    only_allow_merge_if_all_status_checks_passed: checked,
    merge_pipelines_enabled: results,
    merge_trains_enabled: results && trains,
    remove_source_branch_after_merge: remove,
  }));
  return (
    <form {...sending.form}>
      <h2>Merge requests</h2>
      <FormError error={sending.error} />
      <Stack gap="lg">
        <Radio.Group label="Merge method" value={method} onChange={(value) => setMethod(value as Method)}>
          <Stack gap={6} mt={6}>
            {methods.map((each) => (
              <Radio key={each.value} {...each} />
            ))}
          </Stack>
        </Radio.Group>
        <Radio.Group label="Squash commits" value={squash} onChange={(value) => setSquash(value as Squash)}>
          <Stack gap={6} mt={6}>
            {squashing.map((each) => (
              <Radio key={each.value} {...each} />
            ))}
          </Stack>
        </Radio.Group>
        <Stack gap={8}>
          <Checkbox
            label="Pipelines must succeed"
            checked={passes}
            onChange={(event) => setPasses(event.currentTarget.checked)}
          />
          <Checkbox
            label="Skipped pipelines are considered successful"
            disabled={!passes}
            checked={skipped}
            onChange={(event) => setSkipped(event.currentTarget.checked)}
          />
          <Checkbox
            label="All status checks must pass"
            checked={checked}
            onChange={(event) => setChecked(event.currentTarget.checked)}
          />
          <Checkbox
            label="Enable merged results pipelines"
            checked={results}
            onChange={(event) => setResults(event.currentTarget.checked)}
          />
          <Checkbox
            label="Enable merge trains"
            disabled={!results}
            checked={results && trains}
            onChange={(event) => setTrains(event.currentTarget.checked)}
          />
          <Checkbox
            label="Delete source branches when merged, unless chosen otherwise"
            checked={remove}
            onChange={(event) => setRemove(event.currentTarget.checked)}
          />
        </Stack>
        <Save pending={sending.pending} done={sending.done} />
      </Stack>
    </form>
  );
}
