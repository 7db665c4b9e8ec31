/** Commits the edited configuration to a branch, the default one or another. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { decodeText } from '../files/content.ts';
import { useProject } from '../projects/useProject.ts';

interface Props {
  readonly content: string;
  /** Null where the project has none yet. */
  readonly file: Schemas['RepositoryFile'] | null;
}

export function CommitConfiguration({ content, file }: Props) {
  const { project, path, segment } = useProject();
  const main = project.default_branch ?? 'main';
  const [message, setMessage] = useState(file ? `Update ${file.file_path}` : 'Add .gitlab-ci.yml');
  const [branch, setBranch] = useState(main);
  const [committed, setCommitted] = useState<string | null>(null);
  const cache = useQueryClient();
  const sending = useForm(async () => {
    const action = {
      action: file ? ('update' as const) : ('create' as const),
      file_path: file?.file_path ?? '.gitlab-ci.yml',
      content,
      // What somebody else changed meanwhile is not overwritten.
      ...(file ? { last_commit_id: file.last_commit_id } : {}),
    };
    const body = {
      branch,
      commit_message: message,
      actions: [action],
      ...(branch === main || project.empty_repo ? {} : { start_branch: main }),
    };
    const made = await unwrap(
      client.POST('/projects/{id}/repository/commits', { params: { path: { id: path } }, body }),
    );
    setCommitted(made.id);
    await cache.invalidateQueries({ queryKey: ['project', path] });
  });
  const unchanged = file !== null && content === decodeText(file.content);
  return (
    <form {...sending.form}>
      <Stack gap="sm" maw={640} component="section" aria-label="Commit changes">
        <FormError error={sending.error} />
        <TextInput
          label="Commit message"
          required
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
          error={sending.reason('commit_message')}
        />
        <TextInput
          label="Branch"
          description={branch === main ? undefined : `A new branch from ${main}`}
          required
          value={branch}
          onChange={(event) => setBranch(event.currentTarget.value)}
          error={sending.reason('branch')}
        />
        <Group>
          <Button
            type="submit"
            variant="default"
            loading={sending.pending}
            disabled={unchanged || content.trim() === ''}
          >
            Commit changes
          </Button>
          {committed ? (
            <span role="status">
              Committed as{' '}
              <Link
                to="/p/$path/commit/$sha"
                params={{ path: segment, sha: committed }}
                style={{ textDecoration: 'underline' }}
              >
                {committed.slice(0, 8)}
              </Link>
            </span>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}
