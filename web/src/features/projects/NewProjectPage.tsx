/** Creating a project: an empty one, one from a template, a repository elsewhere, or what an archive holds. */
import { Button, Checkbox, NativeSelect, SegmentedControl, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { toSegment } from '../../lib/urls.ts';
import { DescriptionField } from '../../ui/DescriptionField.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Guidelines } from '../../ui/Guidelines.tsx';
import { LinkButton } from '../../ui/links.ts';
import { NameFields } from '../../ui/NameFields.tsx';
import { Page } from '../../ui/Page.tsx';
import { ImportForm } from '../transfers/ImportForm.tsx';
import { addressOf, type Origin, OriginFields } from './OriginFields.tsx';
import { slug } from './slug.ts';
import { VisibilityField, type VisibilityLevel } from './VisibilityField.tsx';

export default function NewProjectPage() {
  const narrow = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false });
  const { namespace_id } = useSearch({ from: '/projects/new' });
  const { data: namespaces } = useSuspenseQuery(data.namespaces());
  const [source, setSource] = useState('new');
  const [namespace, setNamespace] = useState(String(namespace_id ?? namespaces[0]?.id ?? ''));
  const [name, setName] = useState('');
  const [path, setPath] = useState<string | null>(null);
  const [description, setDescription] = useState('');
  const [visibility, setVisibility] = useState<VisibilityLevel>('private');
  const { data: templates } = useSuspenseQuery(data.projectTemplates());
  const [template, setTemplate] = useState('');
  const [readme, setReadme] = useState(false);
  const [origin, setOrigin] = useState<Origin>({ address: '', username: '', password: '' });
  const elsewhere = source === 'url';
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const project = await unwrap(
      client.POST('/projects', {
        body: {
          name,
          path: path ?? slug(name),
          visibility,
          ...(elsewhere
            ? { import_url: addressOf(origin) }
            : template
              ? { template_name: template }
              : { initialize_with_readme: readme }),
          ...(description ? { description } : {}),
          ...(namespace ? { namespace_id: Number(namespace) } : {}),
        },
      }),
    );
    await navigate({ to: '/o/$path', params: { path: toSegment(project.path_with_namespace) } });
  });
  return (
    <Page
      title="New project"
      narrow
      actions={
        <>
          <LinkButton to="/import/new">Import from another server</LinkButton>
          <LinkButton to="/import/history">Imports</LinkButton>
        </>
      }
    >
      <Guidelines of="new_project_html" />
      <SegmentedControl
        aria-label="How to create the project"
        mb="md"
        fullWidth
        orientation={narrow ? 'vertical' : 'horizontal'}
        value={source}
        onChange={setSource}
        data={[
          { value: 'new', label: 'Blank or from template' },
          { value: 'url', label: 'Import from URL' },
          { value: 'archive', label: 'Import from export file' },
        ]}
      />
      {source === 'archive' ? (
        <ImportForm namespaces={namespaces} namespace={namespace} />
      ) : (
        <form {...sending.form}>
          <FormError error={sending.error} />
          <Stack gap="md">
            {elsewhere ? <OriginFields origin={origin} change={setOrigin} reason={sending.reason} /> : null}
            <NameFields
              {...{ name, changeName: setName, address: path ?? slug(name), changeAddress: setPath }}
              about="The last part of the project's URL"
              autoFocus
              reason={sending.reason}
            >
              <NativeSelect
                label="Owner"
                value={namespace}
                onChange={(event) => setNamespace(event.currentTarget.value)}
                data={namespaces.map((each) => ({ value: String(each.id), label: each.full_path }))}
                error={sending.reason('namespace_id') ?? sending.reason('namespace')}
              />
            </NameFields>
            <DescriptionField value={description} change={setDescription} reason={sending.reason} />
            <VisibilityField value={visibility} change={setVisibility} reason={sending.reason} />
            {elsewhere ? null : (
              <>
                <NativeSelect
                  label="Template"
                  description="Starter project with a test and a pipeline"
                  value={template}
                  onChange={(event) => setTemplate(event.currentTarget.value)}
                  data={[
                    { value: '', label: 'None' },
                    ...templates.map(({ key, title, description: says }) => ({
                      value: key,
                      label: `${title}: ${says}`,
                    })),
                  ]}
                  error={sending.reason('template_name')}
                />
                <Checkbox
                  label="Start with a README"
                  disabled={template !== ''}
                  description="Leave this off to push an existing repository"
                  checked={readme}
                  onChange={(event) => setReadme(event.currentTarget.checked)}
                />
              </>
            )}
            <div>
              <Button type="submit" loading={sending.pending}>
                {elsewhere ? 'Import project' : 'Create project'}
              </Button>
            </div>
          </Stack>
        </form>
      )}
    </Page>
  );
}
