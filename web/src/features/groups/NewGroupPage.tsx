/** Creating a group, or a subgroup of one. */
import { Button, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { toSegment } from '../../lib/urls.ts';
import { DescriptionField } from '../../ui/DescriptionField.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { NameFields } from '../../ui/NameFields.tsx';
import { Page } from '../../ui/Page.tsx';
import { slug } from '../projects/slug.ts';
import { VisibilityField, type VisibilityLevel } from '../projects/VisibilityField.tsx';

export default function NewGroupPage() {
  const { parent_id } = useSearch({ from: '/groups/new' });
  const [name, setName] = useState('');
  const [path, setPath] = useState<string | null>(null);
  const [description, setDescription] = useState('');
  const [visibility, setVisibility] = useState<VisibilityLevel>('private');
  const navigate = useNavigate();
  const cache = useQueryClient();
  const sending = useForm(async () => {
    const group = await unwrap(
      client.POST('/groups', {
        body: {
          name,
          path: path ?? slug(name),
          visibility,
          ...(description ? { description } : {}),
          ...(parent_id ? { parent_id } : {}),
        },
      }),
    );
    await cache.invalidateQueries({ queryKey: ['namespaces'] });
    await cache.invalidateQueries({ queryKey: ['group'] });
    await navigate({ to: '/g/$path', params: { path: toSegment(group.full_path) } });
  });
  const title = parent_id ? 'New subgroup' : 'New group';
  return (
    <Page title={title} narrow>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <NameFields
            {...{ name, changeName: setName, address: path ?? slug(name), changeAddress: setPath }}
            about="The last part of the group's URL"
            autoFocus
            reason={sending.reason}
          />
          <DescriptionField value={description} change={setDescription} reason={sending.reason} />
          <VisibilityField value={visibility} change={setVisibility} reason={sending.reason} />
          <div>
            <Button type="submit" loading={sending.pending}>
              Create group
            </Button>
          </div>
        </Stack>
      </form>
    </Page>
  );
}
