/** Taking a deploy key that another project of the same people has. */
import { Button, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { deployKeysOf } from '../../lib/deploy-keys.ts';
import { Select } from '../../ui/Choices.tsx';
import { DataList } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { KeyRow } from './KeyRow.tsx';

const maintained = (search: string) => ({
  queryKey: ['projects', 'maintained', search],
  queryFn: () =>
    unwrap(
      client.GET('/projects', {
        params: {
          query: {
            min_access_level: 40,
            simple: true,
            per_page: 20,
            ...(search ? { search, search_namespaces: true } : {}),
          },
        },
      }),
    ),
});

interface Props {
  readonly path: string;
  /** Keys that the project has already. */
  readonly known: ReadonlySet<number>;
  taken(): Promise<unknown>;
}

export function TakeKey({ path, known, taken }: Props) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 200);
  const [from, setFrom] = useState<string | null>(null);
  const { data: projects = [] } = useQuery({ ...maintained(search), placeholderData: keepPreviousData });
  const { data: keys } = useQuery({ ...deployKeysOf(from ?? ''), enabled: from !== null });
  const take = useMutation({
    mutationFn: (key_id: number) =>
      unwrap(client.POST('/projects/{id}/deploy_keys/{key_id}/enable', { params: { path: { id: path, key_id } } })),
    onSuccess: taken,
  });
  const offered = keys?.filter(({ id }) => !known.has(id));
  const names = projects.map(({ path_with_namespace }) => path_with_namespace).filter((name) => name !== path);
  return (
    <Stack gap="md">
      <FormError error={take.error} />
      <Select
        label="Project"
        description="A project that you maintain"
        placeholder="Choose a project"
        searchable
        clearable
        nothingFoundMessage="No projects match"
        data={from && !names.includes(from) ? [from, ...names] : names}
        filter={({ options }) => options}
        value={from}
        onChange={setFrom}
        onSearchChange={setText}
      />
      {offered?.length === 0 ? <Text c="var(--mr-dim)">All of its deploy keys are already enabled here.</Text> : null}
      {offered && offered.length > 0 ? (
        <DataList label={`Deploy keys of ${from}`}>
          {offered.map((key) => (
            <KeyRow
              key={key.id}
              deployKey={key}
              after={
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Enable ${key.title}`}
                  loading={take.isPending}
                  onClick={() => take.mutate(key.id)}
                >
                  Enable
                </Button>
              }
            />
          ))}
        </DataList>
      ) : null}
    </Stack>
  );
}
