/** Making a fork: where it goes, what it is called, and which branches it has. */
import { Button, NativeSelect, Radio, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { toSegment } from '../../lib/urls.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { NameFields } from '../../ui/NameFields.tsx';
import { Page } from '../../ui/Page.tsx';
import { useProject } from './useProject.ts';
import { VisibilityField, type VisibilityLevel } from './VisibilityField.tsx';

export default function ForkPage() {
  const { project, path } = useProject();
  const { data: namespaces } = useSuspenseQuery(data.namespaces());
  const [namespace, setNamespace] = useState(String(namespaces[0]?.id ?? ''));
  const [name, setName] = useState(project.name);
  const [slug, setSlug] = useState(project.path);
  const [visibility, setVisibility] = useState<VisibilityLevel>(project.visibility);
  const [branches, setBranches] = useState('all');
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const fork = await unwrap(
      client.POST('/projects/{id}/fork', {
        params: { path: { id: path } },
        body: {
          name,
          path: slug,
          visibility,
          ...(namespace ? { namespace_id: Number(namespace) } : {}),
          ...(branches === 'one' && project.default_branch ? { branches: project.default_branch } : {}),
        },
      }),
    );
    await navigate({ to: '/o/$path', params: { path: toSegment(fork.path_with_namespace) } });
  });
  return (
    <Page title={`Fork · ${project.name_with_namespace}`} heading={`Fork ${project.name}`} narrow>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <NameFields
            {...{ name, changeName: setName, address: slug, changeAddress: setSlug }}
            about="The last part of the project's URL"
            addressRequired
            reason={sending.reason}
          >
            <NativeSelect
              label="Owner"
              value={namespace}
              onChange={(event) => setNamespace(event.currentTarget.value)}
              data={namespaces.map((each) => ({ value: String(each.id), label: each.full_path }))}
              error={sending.reason('namespace')}
            />
          </NameFields>
          <Radio.Group label="Branches" value={branches} onChange={setBranches}>
            <Stack gap={6} mt={6}>
              <Radio value="all" label="All branches and tags" />
              <Radio value="one" label={`Only ${project.default_branch ?? 'the default branch'}`} />
            </Stack>
          </Radio.Group>
          <VisibilityField value={visibility} change={setVisibility} reason={sending.reason} />
          <div>
            <Button type="submit" loading={sending.pending}>
              Fork project
            </Button>
          </div>
        </Stack>
      </form>
    </Page>
  );
}
