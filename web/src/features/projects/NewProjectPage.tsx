/** Creating an empty project, or one with a first README. */
import { Button, Checkbox, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { toSegment } from '../../lib/urls.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { slug } from './slug.ts';
import { VisibilityField, type VisibilityLevel } from './VisibilityField.tsx';

export default function NewProjectPage() {
  const { namespace_id } = useSearch({ from: '/projects/new' });
  const { data: namespaces } = useSuspenseQuery(data.namespaces());
  const [namespace, setNamespace] = useState(String(namespace_id ?? namespaces[0]?.id ?? ''));
  const [name, setName] = useState('');
  const [path, setPath] = useState<string | null>(null);
  const [description, setDescription] = useState('');
  const [visibility, setVisibility] = useState<VisibilityLevel>('private');
  const [readme, setReadme] = useState(false);
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const project = await unwrap(
      client.POST('/projects', {
        body: {
          name,
          path: path ?? slug(name),
          visibility,
          initialize_with_readme: readme,
          ...(description ? { description } : {}),
          ...(namespace ? { namespace_id: Number(namespace) } : {}),
        },
      }),
    );
    await navigate({ to: '/o/$path', params: { path: toSegment(project.path_with_namespace) } });
  });
  return (
    <Page title="New project" narrow>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            autoFocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={sending.reason('name')}
          />
          <NativeSelect
            label="Group or person"
            value={namespace}
            onChange={(event) => setNamespace(event.currentTarget.value)}
            data={namespaces.map((each) => ({ value: String(each.id), label: each.full_path }))}
            error={sending.reason('namespace_id') ?? sending.reason('namespace')}
          />
          <TextInput
            label="Address"
            description="The last part of the project's URL"
            value={path ?? slug(name)}
            onChange={(event) => setPath(event.currentTarget.value)}
            error={sending.reason('path')}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            error={sending.reason('description')}
          />
          <VisibilityField
            value={visibility}
            change={setVisibility}
            error={sending.reason('visibility_level') ?? sending.reason('visibility')}
          />
          <Checkbox
            label="Start with a README"
            description="Leave this off to push an existing repository"
            checked={readme}
            onChange={(event) => setReadme(event.currentTarget.checked)}
          />
          <div>
            <Button type="submit" loading={sending.pending}>
              Create project
            </Button>
          </div>
        </Stack>
      </form>
    </Page>
  );
}
