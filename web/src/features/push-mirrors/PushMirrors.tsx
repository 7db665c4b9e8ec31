/** Push mirrors of a project: repositories elsewhere, what became of the last push, and pushing now. */
import { Badge, Button, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { mirrorKey, type PushMirror, pushMirrors } from '../../lib/push-mirrors.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useProject } from '../projects/useProject.ts';
import { MirrorForm } from './MirrorForm.tsx';
import { MirrorKey } from './MirrorKey.tsx';
import { states } from './states.ts';

export function PushMirrors() {
  const { path } = useProject();
  const cache = useQueryClient();
  const { data: mirrors, error } = useQuery(pushMirrors(path));
  const [edited, setEdited] = useState<PushMirror | null>(null);
  const again = () => cache.invalidateQueries({ queryKey: pushMirrors(path).queryKey });
  const at = ({ id }: PushMirror) => ({ params: { path: { id: path, mirror_id: id } } });
  const turning = useMutation({
    mutationFn: (mirror: PushMirror) =>
      unwrap(
        client.PUT('/projects/{id}/remote_mirrors/{mirror_id}', { ...at(mirror), body: { enabled: !mirror.enabled } }),
      ),
    onSuccess: again,
  });
  const pushing = useMutation({
    mutationFn: (mirror: PushMirror) =>
      unwrap(client.POST('/projects/{id}/remote_mirrors/{mirror_id}/sync', at(mirror))),
    onSuccess: again,
  });
  return (
    <>
      <h2>Push mirrors</h2>
      <Text c="var(--mr-dim)" mb="md">
        Changes of branches and tags are pushed to these repositories. Do not push to them yourself.
      </Text>
      <FormError error={error ?? turning.error ?? pushing.error} />
      <Stack gap="lg">
        {mirrors?.length === 0 ? <Text>No push mirrors yet.</Text> : null}
        {mirrors && mirrors.length > 0 ? (
          <DataList label="Push mirrors">
            {mirrors.map((mirror) => (
              <DataRow
                key={mirror.id}
                before={
                  <Switch
                    aria-label={`${mirror.url} is enabled`}
                    checked={mirror.enabled}
                    onChange={() => turning.mutate(mirror)}
                  />
                }
                title={mirror.url}
                meta={
                  <>
                    <Badge size="sm" variant="default">
                      {states[mirror.update_status]}
                    </Badge>
                    {mirror.last_successful_update_at ? (
                      <span>
                        Updated <TimeAgo at={mirror.last_successful_update_at} />
                      </span>
                    ) : null}
                    {mirror.only_protected_branches ? <span>Protected branches</span> : null}
                    {mirror.mirror_branch_regex ? <code>{mirror.mirror_branch_regex}</code> : null}
                    {mirror.auth_method === 'ssh_public_key' ? (
                      <MirrorKey mirror={mirror} publicKey={mirrorKey(path, mirror.id)} />
                    ) : null}
                    {mirror.last_error ? <Text c="red">{mirror.last_error}</Text> : null}
                  </>
                }
                after={
                  <Group gap="xs">
                    <Button
                      size="xs"
                      variant="default"
                      disabled={!mirror.enabled}
                      aria-label={`Update ${mirror.url} now`}
                      onClick={() => pushing.mutate(mirror)}
                    >
                      Update now
                    </Button>
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Edit ${mirror.url}`}
                      onClick={() => setEdited(mirror)}
                    >
                      Edit
                    </Button>
                    <ConfirmButton
                      title="Delete push mirror"
                      about={`Delete ${mirror.url}`}
                      text="The remote repository is kept, but no longer updated."
                      action="Delete push mirror"
                      icon={<IconTrash size={16} />}
                      run={() => unwrap(client.DELETE('/projects/{id}/remote_mirrors/{mirror_id}', at(mirror)))}
                      shown={again}
                    />
                  </Group>
                }
              />
            ))}
          </DataList>
        ) : null}
        <section aria-label="Add a push mirror">
          <Title order={3} mb="sm">
            Add a push mirror
          </Title>
          <MirrorForm path={path} mirror={null} saved={again} />
        </section>
      </Stack>
      <Modal opened={edited !== null} onClose={() => setEdited(null)} title="Edit push mirror">
        {edited ? (
          <MirrorForm
            path={path}
            mirror={edited}
            saved={async () => {
              await again();
              setEdited(null);
            }}
          />
        ) : null}
      </Modal>
    </>
  );
}
