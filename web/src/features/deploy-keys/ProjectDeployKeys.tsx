/** Deploy keys of a project: machines that fetch from it, and push to it where they may. */
import { ActionIcon, Anchor, Checkbox, Stack, Text, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, unwrap } from '../../lib/api.ts';
import { type DeployKeyOfProject, deployKeysOf } from '../../lib/deploy-keys.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useProject } from '../projects/useProject.ts';
import { DeployKeyForm } from './DeployKeyForm.tsx';
import { KeyRow } from './KeyRow.tsx';
import { TakeKey } from './TakeKey.tsx';

export function ProjectDeployKeys() {
  const { path } = useProject();
  const { data: keys, error } = useQuery(deployKeysOf(path));
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: deployKeysOf(path).queryKey });
  const at = (key_id: number) => ({ params: { path: { id: path, key_id } } });
  const change = useMutation({
    mutationFn: ({ id, can_push }: { id: number; can_push: boolean }) =>
      unwrap(client.PUT('/projects/{id}/deploy_keys/{key_id}', { ...at(id), body: { can_push } })),
    onSuccess: again,
  });
  const leaving = useConfirmed(
    ({ id }: DeployKeyOfProject) => unwrap(client.DELETE('/projects/{id}/deploy_keys/{key_id}', at(id))),
    again,
  );
  return (
    <>
      <h2>Deploy keys</h2>
      <Text c="var(--mr-dim)" mb="md">
        Deploy keys give machines SSH access to this project without a user account. Compare the{' '}
        <Anchor component={Link} to="/help/instance_configuration" underline="always" inherit>
          SSH host key fingerprints
        </Anchor>{' '}
        before the first connection.
      </Text>
      <FormError error={error ?? change.error} />
      <Stack gap="lg">
        {keys?.length === 0 ? <Text>No deploy keys yet.</Text> : null}
        {keys && keys.length > 0 ? (
          <DataList label="Deploy keys">
            {keys.map((key) => (
              <KeyRow
                key={key.id}
                deployKey={key}
                after={
                  <>
                    <Checkbox
                      label="Write access"
                      aria-label={`Write access of ${key.title}`}
                      checked={
                        change.isPending && change.variables.id === key.id ? change.variables.can_push : key.can_push
                      }
                      disabled={change.isPending}
                      onChange={(event) => change.mutate({ id: key.id, can_push: event.currentTarget.checked })}
                    />
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size={30}
                      aria-label={`Remove ${key.title}`}
                      onClick={() => leaving.ask(key)}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </>
                }
              />
            ))}
          </DataList>
        ) : null}
        <section aria-label="Add a deploy key">
          <Title order={3} mb="sm">
            Add a deploy key
          </Title>
          <DeployKeyForm
            ofProject
            add={async (draft, can_push) => {
              await unwrap(
                client.POST('/projects/{id}/deploy_keys', {
                  params: { path: { id: path } },
                  body: { ...draft, can_push },
                }),
              );
              await again();
            }}
          />
        </section>
        <section aria-label="Add a key from another project">
          <Title order={3} mb="sm">
            Add a key from another project
          </Title>
          <TakeKey path={path} known={new Set(keys?.map(({ id }) => id))} taken={again} />
        </section>
      </Stack>
      <ConfirmName
        {...leaving.dialog}
        title="Remove deploy key"
        text="Machines that use it lose access to this project. A key that no other project uses is deleted permanently."
        name={leaving.asked?.title ?? ''}
        action="Remove deploy key"
      />
    </>
  );
}
