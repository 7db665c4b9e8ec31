/** One release by its tag, or the form that changes it. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { release as releaseOf } from '../../lib/releases.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { ReleaseCard } from './ReleaseCard.tsx';

const ReleaseForm = lazy(async () => ({ default: (await import('./ReleaseForm.tsx')).ReleaseForm }));

export function ReleasePage({ tag, edited }: { tag: string; edited: boolean }) {
  const { project, path, segment, ...view } = useProject();
  const { data: release } = useSuspenseQuery(releaseOf(path, tag));
  const [leaving, setLeaving] = useState(false);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () =>
      unwrap(client.DELETE('/projects/{id}/releases/{tag_name}', { params: { path: { id: path, tag_name: tag } } })),
    async onSuccess() {
      await navigate({ to: '/p/$path/releases/$', params: { path: segment, _splat: '' } });
      await cache.invalidateQueries({ queryKey: ['project', path, 'releases'] });
    },
  });
  const writes = view.level >= level.developer && !project.archived;
  if (edited)
    return (
      <Page title={`Edit ${release.name} · ${project.name_with_namespace}`} heading={`Edit ${release.name}`} narrow>
        <Suspense fallback={null}>
          <ReleaseForm release={release} />
        </Suspense>
      </Page>
    );
  return (
    <Page
      title={`${release.name} · ${project.name_with_namespace}`}
      heading={release.name}
      actions={
        writes ? (
          <>
            <LinkButton to="/p/$path/releases/$" params={{ path: segment, _splat: `${tag}/edit` }}>
              Edit
            </LinkButton>
            <Button size="xs" variant="default" onClick={() => setLeaving(true)}>
              Delete
            </Button>
          </>
        ) : null
      }
    >
      <ReleaseCard
        release={release}
        tick={
          writes
            ? async (update_task) => {
                await unwrap(
                  client.PUT('/projects/{id}/releases/{tag_name}', {
                    params: { path: { id: path, tag_name: tag } },
                    body: { update_task },
                  }),
                ).finally(() => cache.invalidateQueries({ queryKey: ['project', path, 'release', tag] }));
              }
            : undefined
        }
      />
      <ConfirmName
        opened={leaving}
        title="Delete release"
        text="Its notes, links and evidence will be deleted. The tag is kept."
        name={tag}
        action="Delete release"
        pending={remove.isPending}
        error={remove.error}
        close={() => setLeaving(false)}
        confirm={() => remove.mutate()}
      />
    </Page>
  );
}
