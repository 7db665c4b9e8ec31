/** Texts that issues and merge requests may start with. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapAll } from './api.ts';
import { queries } from './queries.ts';

export type TemplateType = 'issues' | 'merge_requests';

export const textTemplates = (project: string, type: TemplateType) =>
  queryOptions({
    queryKey: ['project', project, 'templates', type],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/templates/{type}', {
          params: { path: { id: project, type }, query: { per_page: 100 } },
        }),
      ),
  });

export async function textTemplate(project: string, type: TemplateType, key: string): Promise<string> {
  const { content } = await unwrap(
    client.GET('/projects/{id}/templates/{type}/{key}', { params: { path: { id: project, type, key } } }),
  );
  return content;
}

interface IssueProject {
  readonly path_with_namespace: string;
  readonly issues_template?: string | null;
}

/** What the form of a new issue begins with: the template that is asked for, the text of the settings, or `Default.md`. */
export const issueStart = ({ path_with_namespace: path, issues_template: own }: IssueProject, wanted = '') =>
  queryOptions({
    queryKey: ['project', path, 'issue start', wanted],
    queryFn: async () => {
      const templates = await queries.ensureQueryData(textTemplates(path, 'issues'));
      const named = (name: string) => templates.find(({ key }) => key.toLowerCase() === name.toLowerCase());
      const asked = wanted === '' ? undefined : named(wanted);
      if (!asked && own?.trim()) return { key: '', text: own };
      const found = asked ?? named('Default');
      return { key: asked?.key ?? '', text: found ? await textTemplate(path, 'issues', found.key) : '' };
    },
  });
