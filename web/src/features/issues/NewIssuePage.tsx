/** A new issue of a project. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
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
  return (
    <Page title={`New issue · ${project.name_with_namespace}`} heading="New issue" narrow>
      <IssueForm
        action="Create issue"
        start={{ title: search.title ?? '', written: search.description, template: start.key, text: start.text }}
        send={async (values) => {
          const { iid } = await createIssue(path, values);
          await navigate({ to: '/p/$path/issues/$iid', params: { path: segment, iid: String(iid) } });
        }}
      />
    </Page>
  );
}
