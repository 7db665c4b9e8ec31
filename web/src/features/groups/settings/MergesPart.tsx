/** What a group asks of merge requests and jobs of all projects below it. */
import type { Schemas } from '../../../lib/api.ts';
import { type Field, FieldTable } from '../../settings/FieldsForm.tsx';
import { type Change, useGroup, useGroupForm } from '../useGroupForm.ts';

const fields: readonly Field<keyof Schemas['GroupDetail']>[] = [
  {
    key: 'only_allow_merge_if_pipeline_succeeds',
    label: 'The pipeline must pass',
    help: 'Merge requests of all projects here and below, whatever these say.',
    kind: 'switch',
  },
  {
    key: 'allow_merge_on_skipped_pipeline',
    label: 'Skipped pipelines count as passed',
    help: 'Where this group asks for a passed one, and for projects that do not say.',
    kind: 'switch',
  },
];

const useOfGroup: Parameters<typeof FieldTable>[0]['useSending'] = (change) => useGroupForm(() => change() as Change);

export function MergesPart() {
  const { group } = useGroup();
  return <FieldTable fields={fields} current={group} useSending={useOfGroup} />;
}
