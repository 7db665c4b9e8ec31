/** Whose jobs reach a project with their token: the switch, and the projects and groups on its allowlist. */
import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, client, unwrap, unwrapAll } from '../../lib/api.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';

const many = { per_page: 100 };

/** What has this path: a project, else a group. */
async function find(path: string): Promise<{ target_project_id: number } | { target_group_id: number }> {
  try {
    const { id } = await unwrap(client.GET('/projects/{id}', { params: { path: { id: path } } }));
    return { target_project_id: id };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
  const group = await unwrap(
    client.GET('/groups/{id}', { params: { path: { id: path }, query: { with_projects: false } } }),
  );
  return { target_group_id: group.id };
}

interface Entry {
  readonly id: number;
  readonly kind: 'project' | 'group';
  readonly name: string;
  readonly url: string;
}

export function JobTokenSettings() {
  const { path } = useProject();
  const params = { path: { id: path } };
  const key = ['project', path, 'job-token-scope'];
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: key });
  const scope = useQuery({
    queryKey: [...key, 'switch'],
    queryFn: () => unwrap(client.GET('/projects/{id}/job_token_scope', { params })),
  });
  const entries = useQuery({
    queryKey: [...key, 'entries'],
    queryFn: async (): Promise<Entry[]> => {
      const query = many;
      const [projects, groups] = await Promise.all([
        unwrapAll(client.GET('/projects/{id}/job_token_scope/allowlist', { params: { ...params, query } })),
        unwrapAll(client.GET('/projects/{id}/job_token_scope/groups_allowlist', { params: { ...params, query } })),
      ]);
      return [
        ...projects.map(({ id, name_with_namespace, web_url }) => ({
          id,
          kind: 'project' as const,
          name: name_with_namespace,
          url: web_url,
        })),
        ...groups.map(({ id, name, web_url }) => ({ id, kind: 'group' as const, name, url: web_url })),
      ];
    },
  });
  const limit = useMutation({
    mutationFn: (enabled: boolean) =>
      unwrap(client.PATCH('/projects/{id}/job_token_scope', { params, body: { enabled } })),
    onSettled: async () => {
      await again();
      setChosen(null);
    },
  });
  // Shown at once; the list is fetched anew when the server has it.
  const [chosen, setChosen] = useState<boolean | null>(null);
  const remove = ({ id, kind }: Entry) =>
    kind === 'project'
      ? unwrap(
          client.DELETE('/projects/{id}/job_token_scope/allowlist/{target_project_id}', {
            params: { path: { id: path, target_project_id: id } },
          }),
        )
      : unwrap(
          client.DELETE('/projects/{id}/job_token_scope/groups_allowlist/{target_group_id}', {
            params: { path: { id: path, target_group_id: id } },
          }),
        );
  const [wanted, setWanted] = useState('');
  const adding = useForm(async () => {
    const target = await find(wanted.trim().replace(/^\/+|\/+$/g, ''));
    if ('target_project_id' in target)
      await unwrap(client.POST('/projects/{id}/job_token_scope/allowlist', { params, body: target }));
    else await unwrap(client.POST('/projects/{id}/job_token_scope/groups_allowlist', { params, body: target }));
    setWanted('');
    await again();
  });
  return (
    <>
      <h2>Job tokens</h2>
      <FormError error={scope.error ?? entries.error ?? limit.error} />
      <Stack gap="lg">
        <Switch
          label="Limit access to this project and the allowlist below"
          description="Off: jobs of any project have the access of the user who started them"
          checked={chosen ?? scope.data?.inbound_enabled ?? true}
          disabled={!scope.data}
          onChange={(event) => {
            setChosen(event.currentTarget.checked);
            limit.mutate(event.currentTarget.checked);
          }}
        />
        {entries.data?.length === 0 ? <Text c="var(--mr-dim)">No projects or groups are allowed.</Text> : null}
        {entries.data && entries.data.length > 0 ? (
          <DataList label="Allowlist">
            {entries.data.map((entry) => (
              <DataRow
                key={`${entry.kind} ${entry.id}`}
                title={<a href={entry.url}>{entry.name}</a>}
                meta={<span>{entry.kind === 'project' ? 'Project' : 'Group: every project in it'}</span>}
                after={
                  <ConfirmButton
                    title="Remove from allowlist"
                    about={`Remove ${entry.name}`}
                    text={`Jobs of ${entry.name} can no longer access this project with their job token.`}
                    action="Remove"
                    run={() => remove(entry)}
                    shown={again}
                  />
                }
              />
            ))}
          </DataList>
        ) : null}
        <form {...adding.form}>
          <FormError error={adding.error} />
          <Group align="end" gap="sm">
            <TextInput
              label="Project or group"
              description="Its full path, such as group/project"
              required
              value={wanted}
              onChange={(event) => setWanted(event.currentTarget.value)}
              autoComplete="off"
            />
            <Button type="submit" variant="default" loading={adding.pending}>
              Add to allowlist
            </Button>
          </Group>
        </form>
      </Stack>
    </>
  );
}
