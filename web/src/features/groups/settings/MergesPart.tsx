/** What a group asks of merge requests and jobs of all projects below it. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../lib/api.ts';
import { sessionQuery } from '../../../lib/session.ts';
import { type Field, FieldTable } from '../../settings/FieldsForm.tsx';
import { type Change, useGroup, useGroupForm } from '../useGroupForm.ts';

type GroupField = Field<keyof Schemas['GroupDetail']>;

const fields: readonly GroupField[] = [
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

const ofAdministrators: readonly GroupField[] = [
  {
    key: 'max_artifacts_size',
    label: 'Largest artifacts',
    help: 'MiB, where projects have no limit of their own; empty for that of the group above or the instance',
    kind: 'number',
  },
];

const useOfGroup: Parameters<typeof FieldTable>[0]['useSending'] = (change) => useGroupForm(() => change() as Change);

export function MergesPart() {
  const { group } = useGroup();
  const { data: session } = useQuery(sessionQuery);
  const shown = session?.user?.is_admin ? [...ofAdministrators, ...fields] : fields;
  return <FieldTable fields={shown} current={group} useSending={useOfGroup} />;
}
