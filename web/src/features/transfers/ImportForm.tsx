/** A project out of an archive that another one was exported to. */
import { Button, FileInput, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { importProject } from '../../lib/transfers.ts';
import { toSegment } from '../../lib/urls.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { slug } from '../projects/slug.ts';

interface Props {
  readonly namespaces: readonly { readonly id: number; readonly full_path: string }[];
  /** Id of the one that is chosen at first. */
  readonly namespace: string;
}

export function ImportForm({ namespaces, namespace: first }: Props) {
  const [namespace, setNamespace] = useState(first);
  const [name, setName] = useState('');
  const [path, setPath] = useState<string | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const navigate = useNavigate();
  const sending = useForm(async () => {
    if (!file) return;
    const made = await importProject({ file, name, path: path ?? slug(name), namespace });
    await navigate({ to: '/o/$path', params: { path: toSegment(made.path_with_namespace) } });
  });
  return (
    <form {...sending.form} aria-label="Import from export file">
      <FormError error={sending.error} />
      <Stack gap="md">
        <FileInput
          label="Archive"
          description="A .tar.gz file from Settings, Export of this instance or of GitLab"
          placeholder="Choose a file"
          accept=".tar.gz,.tgz,application/gzip"
          required
          value={file}
          onChange={setFile}
          error={sending.reason('file')}
        />
        <TextInput
          label="Name"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={sending.reason('name')}
        />
        <NativeSelect
          label="Owner"
          value={namespace}
          onChange={(event) => setNamespace(event.currentTarget.value)}
          data={namespaces.map((each) => ({ value: String(each.id), label: each.full_path }))}
          error={sending.reason('namespace')}
        />
        <TextInput
          label="URL path"
          description="The last part of the project's URL"
          value={path ?? slug(name)}
          onChange={(event) => setPath(event.currentTarget.value)}
          error={sending.reason('path')}
        />
        <div>
          <Button type="submit" loading={sending.pending} disabled={file === null}>
            Import project
          </Button>
        </div>
      </Stack>
    </form>
  );
}
