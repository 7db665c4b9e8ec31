/** The group of a settings page, and saving a part of it. */
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { groupLevel } from '../../lib/groups.ts';
import { fromSegment, toSegment } from '../../lib/urls.ts';
import { useForm } from '../../ui/forms.ts';

export type Change = NonNullable<
  Parameters<typeof client.PUT<'/groups/{id}', { params: { path: { id: string } } }>>[1]['body']
>;

export function useGroup() {
  const { path: segment = '' } = useParams({ strict: false });
  const path = fromSegment(segment);
  const { data: group } = useSuspenseQuery(data.group(path));
  const { data: level = 0 } = useQuery(groupLevel(path));
  const cache = useQueryClient();
  return { group, path, segment, level, again: () => cache.invalidateQueries({ queryKey: ['group'] }) };
}

/** `change` is read when the form is sent. A group with another path is at another address afterwards. */
export function useGroupForm(change: () => Change) {
  const { path, again } = useGroup();
  const navigate = useNavigate();
  return useForm(async () => {
    const group = await unwrap(client.PUT('/groups/{id}', { params: { path: { id: path } }, body: change() }));
    if (group.full_path !== path)
      await navigate({ to: '/g/$path/settings', params: { path: toSegment(group.full_path) }, replace: true });
    await again();
  });
}
