/** What became of the import that a project was made by: how much came in, and what was left out. */
import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../lib/api.ts';
import { projectImport } from '../../lib/transfers.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useProject } from '../projects/useProject.ts';

const sum = (counts: Readonly<Record<string, number>> | undefined) =>
  Object.values(counts ?? {}).reduce((all, count) => all + count, 0);

function outcomeOf({ import_status: status, import_error: reason, stats }: Schemas['ProjectImport']): string {
  if (status === 'failed') return reason ? `The import failed: ${reason}.` : 'The import failed.';
  if (status === 'canceled') return 'The import was canceled.';
  if (status !== 'finished') return 'The import is not done yet.';
  const asked = sum(stats?.fetched);
  return asked === 0
    ? 'The code was imported; there was nothing else.'
    : `${sum(stats?.imported)} of ${asked} records and files were imported, in addition to the code.`;
}

export function ImportOutcome() {
  const { path, project } = useProject();
  const { data: found, error } = useQuery({ ...projectImport(path), enabled: project.import_type !== null });
  if (project.import_type === null) return null;
  const left = found?.failed_relations ?? [];
  const missing = sum(found?.stats?.fetched) - sum(found?.stats?.imported);
  return (
    <Box mt="xl">
      <h2>Import</h2>
      <FormError error={error ?? null} />
      {found ? <Text mb="sm">{outcomeOf(found)}</Text> : null}
      {left.length > 0 ? (
        <>
          <Text mb="xs">Left out{missing > left.length ? `, the first ${left.length}` : ''}:</Text>
          <DataList label="Left out">
            {left.map(({ id, relation_name: relation, line_number: line, exception_message: reason }) => (
              <DataRow
                key={id}
                title={reason}
                meta={<span>{`${relation.replaceAll('_', ' ')}, number ${line}`}</span>}
              />
            ))}
          </DataList>
        </>
      ) : null}
    </Box>
  );
}
