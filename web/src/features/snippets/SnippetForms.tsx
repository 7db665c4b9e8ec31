/** Writing a snippet, a new one or one that is there: its title, who sees it, and its files. */
import { ActionIcon, Button, Group, Input, Stack, Textarea, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type FileDraft, type Snippet, type SnippetDraft, snippetTexts } from '../../lib/snippets.ts';
import { CodeEditor } from '../../ui/code/CodeEditor.tsx';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { VisibilityField, type VisibilityLevel } from '../projects/VisibilityField.tsx';
import classes from './snippets.module.css';
import { type SnippetPlace, useSnippets } from './useSnippets.ts';

/** As many as the server keeps in a snippet. */
const mostFiles = 10;

interface NumberedFile extends FileDraft {
  readonly key: number;
}

interface FormProps {
  readonly first: SnippetDraft;
  readonly action: string;
  send(draft: SnippetDraft): Promise<unknown>;
  cancel(): void;
}

function SnippetForm({ first, action, send, cancel }: FormProps) {
  const [title, setTitle] = useState(first.title);
  const [description, setDescription] = useState(first.description);
  const [visibility, setVisibility] = useState<VisibilityLevel>(first.visibility);
  const [files, setFiles] = useState<readonly NumberedFile[]>(first.files.map((file, key) => ({ ...file, key })));
  const [next, setNext] = useState(first.files.length);
  const sending = useForm(() =>
    send({ title, description, visibility, files: files.map(({ key: _, ...file }) => file) }),
  );
  const change = (key: number, values: Partial<FileDraft>) =>
    setFiles(files.map((file) => (file.key === key ? { ...file, ...values } : file)));
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Title"
          name="title"
          required
          autoFocus
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={sending.reason('title')}
        />
        <Textarea
          label="Description"
          description="Markdown"
          name="description"
          autosize
          minRows={2}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={sending.reason('description')}
        />
        {files.map((file, index) => (
          <fieldset key={file.key} className={classes.draft}>
            <Group gap="xs" align="end" wrap="nowrap">
              <TextInput
                label={`Name of file ${index + 1}`}
                required
                flex={1}
                placeholder="notes.md"
                value={file.path}
                onChange={(event) => change(file.key, { path: event.currentTarget.value })}
              />
              {files.length > 1 ? (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={`Remove file ${index + 1}`}
                  onClick={() => setFiles(files.filter(({ key }) => key !== file.key))}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              ) : null}
            </Group>
            <Input.Wrapper label={`Contents of file ${index + 1}`} labelElement="div" required>
              <CodeEditor
                label={`Contents of file ${index + 1}`}
                path={file.path}
                value={file.content}
                change={(content) => change(file.key, { content })}
              />
            </Input.Wrapper>
          </fieldset>
        ))}
        {files.length < mostFiles ? (
          <Button
            variant="default"
            w="fit-content"
            size="xs"
            onClick={() => {
              setFiles([...files, { key: next, path: '', content: '' }]);
              setNext(next + 1);
            }}
          >
            Add another file
          </Button>
        ) : null}
        <VisibilityField value={visibility} change={setVisibility} reason={sending.reason} />
        <FormActions action={action} pending={sending.pending} cancel={cancel} />
      </Stack>
    </form>
  );
}

/** After it was saved: its page, with what is there now. */
function useSaved(place: SnippetPlace) {
  const { key, one, go } = useSnippets(place);
  const cache = useQueryClient();
  return async (snippet: Snippet) => {
    cache.setQueryData(one(snippet.id).queryKey, snippet);
    await cache.invalidateQueries({ queryKey: [...key, 'list'] });
    await go(String(snippet.id));
  };
}

const empty: SnippetDraft = {
  title: '',
  description: '',
  visibility: 'private',
  files: [{ path: '', content: '' }],
};

export function NewSnippet({ place }: { place: SnippetPlace }) {
  const { create, go } = useSnippets(place);
  const saved = useSaved(place);
  return (
    <Page title={`New snippet · ${place.name}`} heading="New snippet" narrow>
      <SnippetForm
        first={empty}
        action="Create snippet"
        send={async (draft) => saved(await create(draft))}
        cancel={() => void go('')}
      />
    </Page>
  );
}

export function EditSnippet({ place, id }: { place: SnippetPlace; id: number }) {
  const { one, change, go } = useSnippets(place);
  const { data: snippet } = useSuspenseQuery(one(id));
  const { data: texts } = useSuspenseQuery(snippetTexts(snippet));
  const saved = useSaved(place);
  const { title, visibility } = snippet;
  return (
    <Page title={`Edit ${title} · ${place.name}`} heading={`Edit ${title}`} narrow>
      <SnippetForm
        first={{
          ...{ title, visibility, description: snippet.description ?? '' },
          files: texts.map(({ path, content }) => ({ stored: path, path, content })),
        }}
        action="Save changes"
        send={async (draft) => saved(await change(snippet, draft))}
        cancel={() => void go(String(id))}
      />
    </Page>
  );
}
