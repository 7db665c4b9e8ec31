/** A text that is being written, as it will be shown. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../api.ts';

/** What relative links and short references are of. */
export interface PreviewBase {
  readonly project?: string;
  readonly group?: string;
  /** Branch and path of a file in the repository of the project. */
  readonly ref?: string;
  readonly path?: string;
  /** Slug of a page of the wiki of the project or group. */
  readonly wiki_page?: string;
}

export const preview = (text: string, base: PreviewBase) =>
  queryOptions({
    queryKey: ['markdown', base, text],
    queryFn: async () => (await unwrap(client.POST('/markdown', { body: { text, gfm: true, ...base } }))).html,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
