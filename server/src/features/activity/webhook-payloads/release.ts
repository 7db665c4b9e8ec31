/** Payloads of releases. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Release, ReleaseLink } from '../../../kernel/db/rows.ts';
import { releaseUrl, sourcesOf } from '../../delivery/index.ts';
import { commitPart, dateText, projectPart, type Urls, webUrlOf } from '../../review/messages/index.ts';
import type { HookRepository } from './push.ts';

export const releaseActions = {
  'release.created': 'create',
  'release.updated': 'update',
  'release.deleted': 'delete',
} as const;

/** A release as rows or, when it is gone, as the fact has it. */
export interface ToldRelease extends Pick<Release, 'id' | 'tag' | 'sha' | 'name' | 'description'> {
  readonly created_at: Date | string;
  readonly released_at: Date | string;
  readonly links: readonly Pick<ReleaseLink, 'id' | 'link_type' | 'name' | 'url'>[];
}

export async function releasePayload(
  deps: { readonly repository: HookRepository; readonly urls: Urls },
  subject: ProjectSubject,
  release: ToldRelease,
  action: (typeof releaseActions)[keyof typeof releaseActions],
) {
  const webUrl = webUrlOf(subject, deps.urls);
  const commit = release.sha === null ? null : await deps.repository.commit(subject, release.sha);
  const sources = sourcesOf(webUrl, subject.project.path, release.tag);
  return {
    id: release.id,
    created_at: dateText(new Date(release.created_at)),
    description: release.description,
    name: release.name ?? release.tag,
    released_at: dateText(new Date(release.released_at)),
    tag: release.tag,
    object_kind: 'release',
    project: projectPart(subject, deps.urls),
    url: releaseUrl(webUrl, release.tag),
    action,
    assets: {
      count: sources.length + release.links.length,
      links: release.links.map(({ id, link_type, name, url }) => ({ id, link_type, name, url })),
      sources,
    },
    commit: commit && commitPart(commit, webUrl),
  };
}
