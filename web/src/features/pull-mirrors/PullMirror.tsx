/** The pull mirror of a project: the repository that it follows, what became of the last update, and updating now. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { pullMirror, pullMirrorKey } from '../../lib/push-mirrors.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useProject } from '../projects/useProject.ts';
import { MirrorKey } from '../push-mirrors/MirrorKey.tsx';
import { states } from '../push-mirrors/states.ts';
import { PullMirrorForm } from './PullMirrorForm.tsx';

export function PullMirror() {
  const { path, project } = useProject();
  const cache = useQueryClient();
  const { data, error } = useQuery({ ...pullMirror(path), enabled: project.mirror });
  const mirror = project.mirror ? data : null;
  const at = { params: { path: { id: path } } };
  const again = async () => {
    await cache.invalidateQueries({ queryKey: pullMirror(path).queryKey });
    await cache.invalidateQueries({ queryKey: ['project', path], exact: true });
  };
  const updating = useMutation({
    mutationFn: () => unwrap(client.POST('/projects/{id}/mirror/pull', at)),
    onSuccess: again,
  });
  return (
    <>
      <h2>Pull mirror</h2>
      <Text c="var(--mr-dim)" mb="md">
        Branches and tags of another repository are copied to this project, about every 30 minutes. Push to the other
        repository, not to this one.
      </Text>
      <FormError error={error ?? updating.error} />
      {mirror === undefined ? null : (
        <Stack gap="lg">
          {mirror ? (
            <DataList label="Pull mirror">
              <DataRow
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
                    {mirror.auth_method === 'ssh_public_key' ? (
                      <MirrorKey mirror={mirror} publicKey={pullMirrorKey(path)} />
                    ) : null}
                    {mirror.last_error ? <Text c="red">{mirror.last_error}</Text> : null}
                  </>
                }
                after={
                  <Group gap="xs">
                    <Button size="xs" variant="default" loading={updating.isPending} onClick={() => updating.mutate()}>
                      Update now
                    </Button>
                    <ConfirmButton
                      title="Remove pull mirror"
                      about={`Remove ${mirror.url}`}
                      text="What was copied stays. The project is no longer updated from the other repository."
                      action="Remove pull mirror"
                      icon={<IconTrash size={16} />}
                      run={() => unwrap(client.PUT('/projects/{id}/mirror/pull', { ...at, body: { enabled: false } }))}
                      shown={again}
                    />
                  </Group>
                }
              />
            </DataList>
          ) : null}
          <PullMirrorForm key={mirror ? mirror.id : 'new'} path={path} mirror={mirror} saved={again} />
        </Stack>
      )}
    </>
  );
}
