/** Giving a project a star and taking it back, with how many have. */
import { Button } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '../../lib/api.ts';

export function StarButton({ project, path }: { project: Schemas['Project']; path: string }) {
  const { starred } = project;
  const cache = useQueryClient();
  const change = useMutation({
    mutationFn: () => {
      const params = { params: { path: { id: path } } };
      return unwrap(
        starred ? client.POST('/projects/{id}/unstar', params) : client.POST('/projects/{id}/star', params),
      );
    },
    async onSuccess() {
      await cache.invalidateQueries({ queryKey: ['project', path], exact: true });
      await cache.invalidateQueries({ queryKey: ['projects'] });
    },
  });
  return (
    <Button
      size="xs"
      variant="default"
      disabled={starred === undefined}
      loading={change.isPending}
      leftSection={starred ? <IconStarFilled size={14} aria-hidden /> : <IconStar size={14} aria-hidden />}
      onClick={() => change.mutate()}
    >
      {starred ? 'Unstar' : 'Star'} · {project.star_count}
    </Button>
  );
}
