/** A new issue of a project. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { createIssue } from '../../lib/issues.ts';
import { issueStart } from '../../lib/templates.ts';
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import { IssueForm } from './IssueForm.tsx';

export default function NewIssuePage() {
  const { project, path, segment } = useProject();
  const search = useSearch({ from: '/p/$path/issues/new' });
  const { data: start } = useSuspenseQuery(issueStart(project, search.template));
  const navigate = useNavigate();
  const cache = useQueryClient();
  const made = useRef<number | null>(null);
  return (
    <Page title={`New issue · ${project.name_with_namespace}`} heading="New issue" narrow>
      <IssueForm
        action="Create issue"
        start={{
          ...{ title: search.title ?? '', written: search.description, template: start.key, text: start.text },
          confidential: search.confidential ?? false,
        }}
        send={async (values) => {
          // Sending again after the link was refused creates no second issue.
          made.current ??= (await createIssue(path, values)).iid;
          const iid = made.current;
          if (search.vulnerability_id !== undefined) {
            const { linkedIssues, linkIssue } = await import('../../lib/vulnerability.ts');
            const link = { target_project_id: path, target_issue_iid: iid, link_type: 'created' } as const;
            await linkIssue(search.vulnerability_id, link);
            await cache.invalidateQueries({ queryKey: linkedIssues(search.vulnerability_id).queryKey });
          }
          await navigate({ to: '/p/$path/issues/$iid', params: { path: segment, iid: String(iid) } });
        }}
      />
    </Page>
  );
}
