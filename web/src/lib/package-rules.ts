/** Which packages of a project only some publish or delete. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrapAll } from './api.ts';

export type PackageRule = Schemas['PackageProtectionRule'];

export const packageRules = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'package-rules'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/packages/protection/rules', { params: { path: { id }, query: { per_page: 100 } } }),
      ),
  });
