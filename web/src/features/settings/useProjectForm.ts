/** Saving a part of a project's settings. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { toSegment } from '../../lib/urls.ts';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';

export type Change = NonNullable<
  Parameters<typeof client.PUT<'/projects/{id}', { params: { path: { id: string } } }>>[1]['body']
>;

/** `change` is read when the form is sent. */
export function useProjectForm(change: () => Change) {
  const { path } = useProject();
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useForm(async () => {
    const project = await unwrap(client.PUT('/projects/{id}', { params: { path: { id: path } }, body: change() }));
    // A project with another address is at another page afterwards.
    if (project.path_with_namespace !== path) {
      await navigate({
        to: '/p/$path/settings',
        params: { path: toSegment(project.path_with_namespace) },
        replace: true,
      });
      cache.removeQueries({ queryKey: ['project', path] });
      return;
    }
    cache.setQueryData(data.project(path).queryKey, (before) => ({ ...before, ...project }));
    await cache.invalidateQueries({ queryKey: ['project', path], exact: true });
  });
}
