/** Dialogs that change files without an editor: upload, replace, delete, new directory. */
import { Button, FileInput, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { contentsOf, type FileAction, inFolder } from '../../lib/edits.ts';
import { bytes } from '../../lib/time.ts';
import { FormError } from '../../ui/FormError.tsx';
import { CommitFields } from './CommitFields.tsx';
import type { Place } from './refs.ts';
import type { Editing } from './useBranch.ts';
import { useCommit } from './useCommit.ts';

interface DialogProps {
  readonly place: Place;
  readonly editing: Editing;
  close(): void;
}

interface CommitDialogProps extends DialogProps {
  readonly title: string;
  readonly usual: string;
  readonly action: string;
  readonly danger?: boolean;
  readonly ready: boolean;
  readonly shows: { readonly kind: 'blob' | 'tree'; readonly path: string };
  readonly children?: ReactNode;
  actions(): FileAction[] | Promise<FileAction[]>;
}

function CommitDialog(props: CommitDialogProps) {
  const { place, editing, title, usual, action, danger = false, ready, shows, children, close } = props;
  // It stays until its result is shown: what could be begun on the old page would be gone a moment later.
  const committing = useCommit({ ref: place.ref, editing, usual, actions: props.actions, shows, done: close });
  const { sending } = committing;
  return (
    <Modal opened onClose={close} title={title} size="lg">
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          {children}
          <CommitFields of={committing} gitRef={place.ref} editing={editing} usual={usual} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.pending} disabled={!ready} {...(danger ? { color: 'red' } : {})}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface UploadProps extends DialogProps {
  /** Paths that are there already: these are replaced. */
  readonly taken: ReadonlySet<string>;
}

export function UploadDialog({ taken, ...rest }: UploadProps) {
  const [files, setFiles] = useState<File[]>([]);
  const folder = rest.place.path;
  const [first] = files;
  const pathOf = (file: File) => inFolder(folder, file.name);
  const replaced = files.filter((file) => taken.has(pathOf(file)));
  return (
    <CommitDialog
      {...rest}
      title="Upload files"
      action="Upload"
      usual={files.length === 1 && first ? `Upload ${pathOf(first)}` : `Upload ${files.length} files`}
      ready={files.length > 0}
      shows={files.length === 1 && first ? { kind: 'blob', path: pathOf(first) } : { kind: 'tree', path: folder }}
      actions={() =>
        Promise.all(
          files.map(async (file) => ({
            action: taken.has(pathOf(file)) ? ('update' as const) : ('create' as const),
            file_path: pathOf(file),
            content: await contentsOf(file),
            encoding: 'base64' as const,
          })),
        )
      }
    >
      <FileInput
        label="Files"
        description={`They are added to ${folder === '' ? 'the root folder' : folder}`}
        placeholder="Choose files"
        multiple
        required
        clearable
        clearButtonProps={{ 'aria-label': 'Clear selection' }}
        value={files}
        onChange={setFiles}
      />
      {files.length > 0 ? (
        <Text size="sm" c="var(--mr-dim)">
          {bytes(files.reduce((sum, file) => sum + file.size, 0))}
          {replaced.length > 0 ? `; replaces ${replaced.map((file) => file.name).join(', ')}` : ''}
        </Text>
      ) : null}
    </CommitDialog>
  );
}

interface OneFileProps extends DialogProps {
  readonly lastCommit: string;
}

export function ReplaceDialog({ lastCommit, ...rest }: OneFileProps) {
  const [file, setFile] = useState<File | null>(null);
  const { path } = rest.place;
  return (
    <CommitDialog
      {...rest}
      title="Replace this file"
      action="Replace"
      usual={`Replace ${path}`}
      ready={file !== null}
      shows={{ kind: 'blob', path }}
      actions={async () =>
        file === null
          ? []
          : [
              {
                action: 'update',
                file_path: path,
                content: await contentsOf(file),
                encoding: 'base64',
                last_commit_id: lastCommit,
              },
            ]
      }
    >
      <FileInput
        label="New contents"
        description={`Replaces the contents of ${path}`}
        placeholder="Choose a file"
        required
        value={file}
        onChange={setFile}
      />
    </CommitDialog>
  );
}

export function DeleteDialog({ lastCommit, ...rest }: OneFileProps) {
  const { path } = rest.place;
  return (
    <CommitDialog
      {...rest}
      title="Delete this file"
      action="Delete"
      danger
      usual={`Delete ${path}`}
      ready
      shows={{ kind: 'tree', path: path.split('/').slice(0, -1).join('/') }}
      actions={() => [{ action: 'delete', file_path: path, last_commit_id: lastCommit }]}
    >
      <Text>
        <code>{path}</code> will be deleted. Earlier commits keep it.
      </Text>
    </CommitDialog>
  );
}

export function NewDirectoryDialog(props: DialogProps) {
  const [name, setName] = useState('');
  const path = inFolder(props.place.path, name.trim().replace(/^\/+|\/+$/g, ''));
  const ready = name.trim() !== '';
  return (
    <CommitDialog
      {...props}
      title="New directory"
      action="Create directory"
      usual={`Add directory ${ready ? path : ''}`.trim()}
      ready={ready}
      shows={{ kind: 'tree', path }}
      actions={() => [{ action: 'create', file_path: inFolder(path, '.gitkeep'), content: '' }]}
    >
      <TextInput
        label="Name of the directory"
        description="git does not store empty directories, so an empty .gitkeep file is added"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </CommitDialog>
  );
}
