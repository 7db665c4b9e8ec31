/** Payloads of pages of wikis. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { WikiPageAt } from '../../repository/index.ts';
import { fullPathOf, personPart, projectPart, type Urls, webUrlOf } from '../../review/messages/index.ts';

export const wikiPageActions = {
  'wiki_page.created': 'create',
  'wiki_page.updated': 'update',
  'wiki_page.destroyed': 'delete',
} as const;

const wikiAddress = (address: string) => address.replace(/\.git$/, '.wiki.git');

export function wikiPagePayload(
  urls: Urls,
  subject: ProjectSubject,
  { page, branch }: { readonly page: WikiPageAt; readonly branch: string | null },
  user: User | null,
  action: (typeof wikiPageActions)[keyof typeof wikiPageActions],
) {
  const project = projectPart(subject, urls);
  const web = `${webUrlOf(subject, urls)}/-/wikis`;
  const url = `${web}/${page.slug.split('/').map(encodeURIComponent).join('/')}`;
  return {
    object_kind: 'wiki_page',
    user: personPart(user, urls),
    project,
    wiki: {
      web_url: `${web}/home`,
      git_ssh_url: wikiAddress(project.git_ssh_url),
      git_http_url: wikiAddress(project.git_http_url),
      path_with_namespace: `${fullPathOf(subject)}.wiki`,
      default_branch: branch,
    },
    object_attributes: {
      slug: page.slug,
      title: page.title,
      format: page.format,
      message: page.message,
      version_id: page.version,
      content: page.content,
      url,
      action,
      diff_url: `${url}/diff?version_id=${page.version}`,
    },
  };
}
