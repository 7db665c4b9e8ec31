/** Runners that take jobs of a project. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FormError } from '../../ui/FormError.tsx';
import { RunnerList } from '../admin/RunnerList.tsx';
import { useProject } from '../projects/useProject.ts';

export function RunnerSettings() {
  const { parts } = useProject();
  const { data: runners, error } = useQuery(parts.runners());
  return (
    <>
      <h2>Runners</h2>
      <FormError error={error} />
      {runners?.length === 0 ? <Text c="var(--mr-dim)">No runner takes jobs of this project.</Text> : null}
      {runners && runners.length > 0 ? <RunnerList runners={runners} /> : null}
    </>
  );
}
