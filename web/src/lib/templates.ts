/** Texts that merge requests may start with. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapAll } from './api.ts';

const type = 'merge_requests';

export const requestTemplates = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'request-templates'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/templates/{type}', {
          params: { path: { id: project, type }, query: { per_page: 100 } },
        }),
      ),
  });

export async function requestTemplate(project: string, key: string): Promise<string> {
  const { content } = await unwrap(
    client.GET('/projects/{id}/templates/{type}/{key}', { params: { path: { id: project, type, key } } }),
  );
  return content;
}
