/** What an issue has to do with other issues and with merge requests. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';

/** Those that the person may see. */
export const linkedIssues = (project: string, issue_iid: number) =>
  queryOptions({
    // Below the key of the issue: it follows what that announces.
    queryKey: ['project', project, 'issue', issue_iid, 'links'],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/issues/{issue_iid}/links', { params: { path: { id: project, issue_iid } } })),
  });

export const relatedRequests = (project: string, issue_iid: number) =>
  queryOptions({
    queryKey: ['project', project, 'issue', issue_iid, 'requests'],
    queryFn: async () =>
      (
        await unwrapPage(
          client.GET('/projects/{id}/issues/{issue_iid}/related_merge_requests', {
            params: { path: { id: project, issue_iid }, query: { per_page: 50 } },
          }),
        )
      ).items,
  });

export type LinkType = Schemas['LinkedIssue']['link_type'];

/** The project and the number that a text names: `#1`, `group/project#1`, or the address of an issue. */
export function namedIssue(project: string, text: string): { readonly id: string; readonly iid: number } | null {
  const [, address, page] = /^https?:\/\/[^/]+\/(.+)\/-\/(?:issues|work_items)\/(\d{1,9})\b/.exec(text.trim()) ?? [];
  const [, path = '', number] = /^([\w./-]*)#(\d{1,9})$/.exec(text.trim()) ?? [];
  const iid = page ?? number ?? /^\d{1,9}$/.exec(text.trim())?.[0];
  if (iid === undefined) return null;
  const namespace = project.slice(0, project.lastIndexOf('/') + 1);
  const id = address ?? (path === '' ? project : path.includes('/') ? path : `${namespace}${path}`);
  return { id, iid: Number(iid) };
}

/** Issues that a text finds: the one that it names, or open ones of the project by their titles. */
export const issuesToLink = (project: string, issue_iid: number, text: string) =>
  queryOptions({
    queryKey: ['project', project, 'issues to link', issue_iid, text],
    queryFn: async () => {
      const named = namedIssue(project, text);
      const found = named
        ? { 'iids[]': [named.iid] }
        : { state: 'opened' as const, ...(text === '' ? {} : { search: text, 'in[]': ['title' as const] }) };
      const params = { path: { id: named?.id ?? project }, query: { ...found, per_page: 20 } };
      const list = await unwrap(client.GET('/projects/{id}/issues', { params }));
      return list
        .filter(({ references }) => references.full !== `${project}#${issue_iid}`)
        .map(({ references: { full, short }, title }) => ({
          value: full,
          label: `${full.startsWith(`${project}#`) ? short : full} ${title}`,
        }));
    },
  });

/** `reference` names the other issue in full: `group/project#1`. */
export function linkIssue(project: string, issue_iid: number, reference: string, link_type: LinkType) {
  const [target_project_id = '', number] = reference.split('#');
  return unwrap(
    client.POST('/projects/{id}/issues/{issue_iid}/links', {
      params: { path: { id: project, issue_iid } },
      body: { target_project_id, target_issue_iid: Number(number), link_type },
    }),
  );
}

export const unlinkIssue = (project: string, issue_iid: number, issue_link_id: number) =>
  unwrap(
    client.DELETE('/projects/{id}/issues/{issue_iid}/links/{issue_link_id}', {
      params: { path: { id: project, issue_iid, issue_link_id } },
    }),
  );

/** Everybody who takes part in an issue. */
export const issueParticipants = (project: string, issue_iid: number) =>
  queryOptions({
    queryKey: ['project', project, 'issue', issue_iid, 'participants'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/issues/{issue_iid}/participants', {
          params: { path: { id: project, issue_iid }, query: { per_page: 100 } },
        }),
      ),
  });
