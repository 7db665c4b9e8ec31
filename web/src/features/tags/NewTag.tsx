/** A new tag: its name, where it points, and what is said of it. */
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Modal } from '../../ui/Modal.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { useProject } from '../projects/useProject.ts';

interface NewTagProps {
  opened: boolean;
  close: () => void;
  made: () => Promise<unknown>;
}

export function NewTag({ opened, close, made }: NewTagProps) {
  const { path, project } = useProject();
  const [name, setName] = useState('');
  const [ref, setRef] = useState(project.default_branch ?? '');
  const [message, setMessage] = useState('');
  const sending = useForm(async () => {
    await unwrap(
      client.POST('/projects/{id}/repository/tags', {
        params: { path: { id: path } },
        body: { tag_name: name, ref, ...(message ? { message } : {}) },
      }),
    );
    setName('');
    setMessage('');
    close();
    await made();
  });
  return (
    <Modal opened={opened} onClose={close} title="New tag">
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={sending.reason('tag_name')}
            autoComplete="off"
            spellCheck={false}
          />
          <div>
            <RefPicker value={ref || 'Choose a branch'} choose={setRef} label="Create from" />
          </div>
          <Textarea
            label="Message"
            description="Creates an annotated tag. Leave empty for a lightweight tag"
            autosize
            minRows={3}
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
            error={sending.reason('message')}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.pending} disabled={ref === ''}>
              Create tag
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
