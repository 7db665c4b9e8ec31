/** Changing title and description of a merge request. */
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';

export function EditMergeRequest({ request, close }: { request: Schemas['MergeRequestDetail']; close: () => void }) {
  const { path } = useProject();
  const [title, setTitle] = useState(request.title);
  const [description, setDescription] = useState(request.description ?? '');
  const cache = useQueryClient();
  const sending = useForm(async () => {
    await unwrap(
      client.PUT('/projects/{id}/merge_requests/{merge_request_iid}', {
        params: { path: { id: path, merge_request_iid: request.iid } },
        body: { title, description },
      }),
    );
    await cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', request.iid] });
    close();
  });
  return (
    <form {...sending.form} className={classes.edit}>
      <FormError error={sending.error} />
      <Stack gap="sm" mb="lg">
        <TextInput
          label="Title"
          required
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={sending.reason('title')}
        />
        <Textarea
          label="Description"
          autosize
          minRows={4}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={sending.reason('description')}
        />
        <Group gap="sm">
          <Button type="submit" size="xs" loading={sending.pending}>
            Save
          </Button>
          <Button size="xs" variant="default" onClick={close}>
            Discard
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
