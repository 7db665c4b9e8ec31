/** A new branch: its name, and the branch or tag that it starts from. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Modal } from '../../ui/Modal.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { useProject } from '../projects/useProject.ts';

export function NewBranch({ opened, close }: { opened: boolean; close: () => void }) {
  const { path, segment, project } = useProject();
  const [name, setName] = useState('');
  const [ref, setRef] = useState(project.default_branch ?? '');
  const navigate = useNavigate();
  const cache = useQueryClient();
  const sending = useForm(async () => {
    await unwrap(
      client.POST('/projects/{id}/repository/branches', {
        params: { path: { id: path } },
        body: { branch: name, ref },
      }),
    );
    await cache.invalidateQueries({ queryKey: ['project', path, 'branches'] });
    await navigate({ to: '/p/$path/tree/$', params: { path: segment, _splat: name } });
  });
  return (
    <Modal opened={opened} onClose={close} title="New branch">
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={sending.reason('branch')}
            autoComplete="off"
            spellCheck={false}
          />
          <div>
            <RefPicker value={ref} choose={setRef} label="Create from" />
          </div>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.pending}>
              Create branch
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
