/** How the instance looks, for administrators. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';

export type Appearance = Schemas['Appearance'];

export const appearance = () =>
  queryOptions({ queryKey: ['appearance'], queryFn: () => unwrap(client.GET('/application/appearance')) });
