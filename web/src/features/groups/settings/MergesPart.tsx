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
    label: 'Pipelines must succeed',
    help: 'Applies to all projects in this group and its subgroups, and overrides their settings.',
    kind: 'switch',
  },
  {
    key: 'allow_merge_on_skipped_pipeline',
    label: 'Skipped pipelines are considered successful',
    help: 'Applies if pipelines must succeed, and to projects without their own setting.',
    kind: 'switch',
  },
];

const ofAdministrators: readonly GroupField[] = [
  {
    key: 'max_artifacts_size',
    label: 'Maximum artifacts size',
    help: 'In MiB, for projects without their own limit. Leave empty to inherit',
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
