/** Secure files of a project: what is there, when it expires, adding, downloading and deleting them. */
import { ActionIcon, Button, FileInput, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addSecureFile, contentOf, deleteSecureFile, type SecureFile, secureFiles } from '../../lib/secure-files.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Modal } from '../../ui/Modal.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useProject } from '../projects/useProject.ts';
import { PartHead } from '../settings/PartHead.tsx';
import classes from './secure-files.module.css';

function UploadForm({ done }: { done(): Promise<void> }) {
  const { path } = useProject();
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const sending = useForm(async () => {
    if (!file) return;
    await addSecureFile(path, name.trim() || file.name, file);
    await done();
  });
  return (
    <form {...sending.form} aria-label="Upload secure file">
      <Stack gap="md">
        <FormError error={sending.error} />
        <FileInput
          label="File"
          description="At most 5 MiB"
          placeholder="Choose a file"
          required
          value={file}
          onChange={setFile}
          error={sending.reason('file')}
        />
        <TextInput
          label="Name"
          description="Unique in the project. Empty for the name of the file."
          placeholder={file?.name ?? ''}
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={sending.reason('name')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={sending.pending} disabled={file === null}>
            Upload
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Expiry({ at }: { at: string }) {
  const expired = Date.parse(at) <= Date.now();
  return (
    <span className={expired ? classes.expired : undefined}>
      {expired ? 'Expired' : 'Expires'} <TimeAgo at={at} />
    </span>
  );
}

function Row({ file, shown }: { file: SecureFile; shown(): Promise<unknown> }) {
  const { path, project } = useProject();
  const content = contentOf(file);
  return (
    <DataRow
      title={file.name}
      meta={
        <>
          {content ? <span>{content}</span> : null}
          {file.expires_at ? <Expiry at={file.expires_at} /> : null}
          <span>
            Added <TimeAgo at={file.created_at} />
          </span>
          <span className={classes.checksum}>
            SHA-256 <code title={file.checksum}>{file.checksum.slice(0, 12)}</code>
            <CopyButton value={file.checksum} label={`Copy the SHA-256 checksum of ${file.name}`} />
          </span>
        </>
      }
      after={
        <>
          <ActionIcon
            component="a"
            href={`/api/v4/projects/${project.id}/secure_files/${file.id}/download`}
            download
            variant="subtle"
            color="gray"
            size={30}
            aria-label={`Download ${file.name}`}
          >
            <IconDownload size={16} />
          </ActionIcon>
          <ConfirmButton
            title="Delete secure file"
            about={`Delete ${file.name}`}
            text={`${file.name} will be deleted. Jobs that download it will fail.`}
            action="Delete"
            icon={<IconTrash size={16} />}
            run={() => deleteSecureFile(path, file.id)}
            shown={shown}
          />
        </>
      }
    />
  );
}

export function SecureFiles() {
  const { path } = useProject();
  const cache = useQueryClient();
  const [adding, setAdding] = useState(false);
  const list = useInfiniteQuery(secureFiles(path));
  const rows = list.data?.pages.flatMap((page) => page.items);
  const shown = () => cache.invalidateQueries({ queryKey: secureFiles(path).queryKey });
  return (
    <>
      <PartHead title="Secure files">
        <Button size="xs" onClick={() => setAdding(true)}>
          Upload file
        </Button>
      </PartHead>
      <Text c="var(--mr-dim)" mb="md">
        Certificates, keystores and provisioning profiles that jobs download and that do not belong in a repository.
        They are stored encrypted. A project has at most 100.
      </Text>
      <FormError error={list.error} />
      {rows?.length === 0 ? (
        <EmptyState title="No secure files yet">
          Upload a file, then download it in a job with its CI_JOB_TOKEN.
        </EmptyState>
      ) : null}
      {rows && rows.length > 0 ? (
        <DataList label="Secure files">
          {rows.map((file) => (
            <Row key={file.id} file={file} shown={shown} />
          ))}
        </DataList>
      ) : null}
      <ShowMore more={list.hasNextPage} pending={list.isFetchingNextPage} show={list.fetchNextPage} />
      <Modal opened={adding} onClose={() => setAdding(false)} title="Upload secure file">
        <UploadForm
          done={async () => {
            await shown();
            setAdding(false);
          }}
        />
      </Modal>
    </>
  );
}
