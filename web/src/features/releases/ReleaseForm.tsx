/** What a release says: for a new one also its tag. */
import { Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { openMilestones } from '../../lib/planning.ts';
import { type LinkDraft, type Release, saveLinks } from '../../lib/releases.ts';
import { MultiSelect } from '../../ui/Choices.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { LinkButton } from '../../ui/links.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { useProject } from '../projects/useProject.ts';
import { LinkFields } from './LinkFields.tsx';

export function ReleaseForm({ release }: { release?: Release }) {
  const { project, path, segment } = useProject();
  const [tag, setTag] = useState(release?.tag_name ?? '');
  const [ref, setRef] = useState(project.default_branch ?? '');
  const [name, setName] = useState(release?.name ?? '');
  const [description, setDescription] = useState(release?.description ?? '');
  const [day, setDay] = useState('');
  const named = release?.milestones?.map(({ title }) => title) ?? [];
  const [milestones, setMilestones] = useState(named);
  const { data: open = [] } = useQuery(openMilestones(path));
  const [links, setLinks] = useState<readonly LinkDraft[]>(release?.assets.links ?? []);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const changed = milestones.join('\n') !== named.join('\n');
    const said = {
      ...(changed ? { milestones } : {}),
      description,
      ...(name ? { name } : {}),
      ...(day ? { released_at: day } : {}),
    };
    if (release) {
      const params = { path: { id: path, tag_name: tag } };
      await unwrap(client.PUT('/projects/{id}/releases/{tag_name}', { params, body: said }));
      await saveLinks(path, tag, release.assets.links, links);
    } else {
      const assets = { links: links.map(({ id: _, ...link }) => link) };
      await unwrap(
        client.POST('/projects/{id}/releases', {
          params: { path: { id: path } },
          body: { tag_name: tag, ref, ...said, assets },
        }),
      );
    }
    await cache.invalidateQueries({ queryKey: ['project', path] });
    await navigate({ to: '/p/$path/releases/$', params: { path: segment, _splat: tag } });
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        {release ? null : (
          <>
            <TextInput
              label="Tag"
              description="An existing tag, or the name of a new one"
              required
              value={tag}
              onChange={(event) => setTag(event.currentTarget.value)}
              error={sending.reason('tag_name')}
              autoComplete="off"
              spellCheck={false}
            />
            <Input.Wrapper label="Create tag from" description="Where the tag does not exist yet" labelElement="div">
              <div>
                <RefPicker value={ref} choose={setRef} label="Create tag from" />
              </div>
            </Input.Wrapper>
          </>
        )}
        <TextInput
          label="Title"
          description="Leave empty to use the tag name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={sending.reason('name')}
        />
        <MarkdownEditor
          label="Notes"
          rows={6}
          place={{ kind: 'project', path }}
          value={description}
          change={setDescription}
          error={sending.reason('description')}
        />
        <TextInput
          type="date"
          label="Release date"
          description={
            release
              ? 'Leave empty to keep the current date'
              : 'Leave empty to release now. Releases with a future date are upcoming'
          }
          maw={240}
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
          error={sending.reason('released_at')}
        />
        <MultiSelect
          label="Milestones"
          data={[...new Set([...named, ...open.map(({ title }) => title)])]}
          value={milestones}
          onChange={setMilestones}
          searchable
          nothingFoundMessage="No open milestone has this title"
          error={sending.reason('milestones')}
        />
        <LinkFields links={links} change={setLinks} />
        <Group gap="sm">
          <Button type="submit" loading={sending.pending} disabled={tag === ''}>
            {release ? 'Save changes' : 'Create release'}
          </Button>
          <LinkButton to="/p/$path/releases/$" params={{ path: segment, _splat: '' }} size="sm">
            Cancel
          </LinkButton>
        </Group>
      </Stack>
    </form>
  );
}
