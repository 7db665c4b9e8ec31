/** What pages of releases ask and send. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Release = Schemas['Release'];
type ReleaseLink = Schemas['ReleaseLink'];
export const linkTypes = ['other', 'package', 'image', 'runbook'] as const;

/** A link as it is written in a form; one that is stored has an id. */
export interface LinkDraft {
  readonly id?: number;
  readonly name: string;
  readonly url: string;
  readonly link_type: ReleaseLink['link_type'];
}

export const releases = (path: string, page: number) =>
  queryOptions({
    queryKey: ['project', path, 'releases', page],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects/{id}/releases', {
          params: { path: { id: path }, query: { page, per_page: 20, include_html_description: true } },
        }),
      ),
  });

export const release = (path: string, tag: string) =>
  queryOptions({
    queryKey: ['project', path, 'release', tag],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/releases/{tag_name}', {
          params: { path: { id: path, tag_name: tag }, query: { include_html_description: true } },
        }),
      ),
  });

/** Whether the text of a link was changed. */
const differs = (draft: LinkDraft, stored: ReleaseLink): boolean =>
  draft.name !== stored.name || draft.url !== stored.url || draft.link_type !== stored.link_type;

/** What has to be done so that the stored links become the drafts. */
export function linkChanges(stored: readonly ReleaseLink[], drafts: readonly LinkDraft[]) {
  const known = new Map(stored.map((link) => [link.id, link]));
  const kept = new Set(drafts.map(({ id }) => id));
  return {
    removed: stored.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
    changed: drafts.filter((draft) => {
      const before = draft.id === undefined ? undefined : known.get(draft.id);
      return before !== undefined && differs(draft, before);
    }),
    added: drafts.filter(({ id }) => id === undefined),
  };
}

/** Makes the stored links of a release those of the form: first what goes, because names and addresses are had once. */
export async function saveLinks(
  path: string,
  tag: string,
  stored: readonly ReleaseLink[],
  drafts: readonly LinkDraft[],
) {
  const place = { id: path, tag_name: tag };
  const { removed, changed, added } = linkChanges(stored, drafts);
  for (const link_id of removed)
    await unwrap(
      client.DELETE('/projects/{id}/releases/{tag_name}/assets/links/{link_id}', {
        params: { path: { ...place, link_id } },
      }),
    );
  for (const { id: link_id = 0, name, url, link_type } of changed)
    await unwrap(
      client.PUT('/projects/{id}/releases/{tag_name}/assets/links/{link_id}', {
        params: { path: { ...place, link_id } },
        body: { name, url, link_type },
      }),
    );
  for (const { name, url, link_type } of added)
    await unwrap(
      client.POST('/projects/{id}/releases/{tag_name}/assets/links', {
        params: { path: place },
        body: { name, url, link_type },
      }),
    );
}
