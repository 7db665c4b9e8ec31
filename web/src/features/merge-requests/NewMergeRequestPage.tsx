/** Asking for a branch to be merged: the branches, what they differ in, title and description. */
import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { CommitMeta } from '../commits/CommitMeta.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { useProject } from '../projects/useProject.ts';

/** `fix-the-door` to `Fix the door`. */
const titleOf = (branch: string): string => {
  const words = branch.replaceAll(/[-_/]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export default function NewMergeRequestPage() {
  const search = useSearch({ from: '/p/$path/merge_requests/new' });
  const { project, parts, path, segment } = useProject();
  const [source, setSource] = useState(search.source ?? '');
  const [target, setTarget] = useState(search.target ?? project.default_branch ?? 'main');
  const [typed, setTyped] = useState<string | null>(null);
  const [description, setDescription] = useState('');
  const [remove, setRemove] = useState(project.remove_source_branch_after_merge ?? true);
  const [squash, setSquash] = useState(project.squash_option === 'always' || project.squash_option === 'default_on');
  const { data: compare } = useQuery({ ...parts.compare(target, source), enabled: source !== '' && source !== target });
  const single = compare?.commits.length === 1 ? compare.commits[0] : undefined;
  const title = typed ?? single?.title ?? titleOf(source);
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const request = await unwrap(
      client.POST('/projects/{id}/merge_requests', {
        params: { path: { id: path } },
        body: {
          source_branch: source,
          target_branch: target,
          title,
          remove_source_branch: remove,
          squash,
          ...(description ? { description } : {}),
        },
      }),
    );
    await navigate({ to: '/p/$path/merge_requests/$iid', params: { path: segment, iid: String(request.iid) } });
  });
  return (
    <Page title={`New merge request · ${project.name_with_namespace}`} heading="New merge request" narrow>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <Group gap="xs">
            <RefPicker value={source || 'Choose a branch'} choose={setSource} label="Source branch" />
            <IconArrowRight size={16} aria-label="into" />
            <RefPicker value={target} choose={setTarget} label="Target branch" />
          </Group>
          {source !== '' && source === target ? (
            <Text c="var(--mr-failed)">Source and target are the same branch.</Text>
          ) : null}
          {compare?.commits.length === 0 ? (
            <Text c="var(--mr-dim)">The target has everything that the source has.</Text>
          ) : null}
          <TextInput
            label="Title"
            description="Start it with “Draft:” while it is not ready"
            required
            value={title}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={sending.reason('title')}
          />
          <Textarea
            label="Description"
            description="Markdown"
            autosize
            minRows={5}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            error={sending.reason('description')}
          />
          <Checkbox
            label="Delete the source branch when merged"
            checked={remove}
            onChange={(event) => setRemove(event.currentTarget.checked)}
          />
          {project.squash_option === 'never' ? null : (
            <Checkbox
              label="Squash the commits into one"
              checked={squash}
              disabled={project.squash_option === 'always'}
              onChange={(event) => setSquash(event.currentTarget.checked)}
            />
          )}
          <div>
            <Button type="submit" loading={sending.pending} disabled={source === '' || source === target}>
              Create merge request
            </Button>
          </div>
          {compare && compare.commits.length > 0 ? (
            <DataList label="Commits">
              {compare.commits.map((commit) => (
                <DataRow
                  key={commit.id}
                  title={commit.title}
                  meta={<CommitMeta commit={commit} />}
                  after={<code>{commit.short_id}</code>}
                />
              ))}
            </DataList>
          ) : null}
        </Stack>
      </form>
    </Page>
  );
}
