/** A new issue of a project. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { counted } from '../../lib/counted.ts';
import { followUp } from '../../lib/follow-ups.ts';
import { createIssue } from '../../lib/issues.ts';
import { issueStart } from '../../lib/templates.ts';
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import { IssueForm } from './IssueForm.tsx';
import classes from './issues.module.css';

export default function NewIssuePage() {
  const { project, path, segment } = useProject();
  const search = useSearch({ from: '/p/$path/issues/new' });
  const { data: start } = useSuspenseQuery(issueStart(project, search.template));
  const { merge_request_to_resolve_discussions_of: request, discussion_to_resolve: thread } = search;
  const { data: follows } = useSuspenseQuery(followUp(path, request, thread));
  const navigate = useNavigate();
  const cache = useQueryClient();
  const made = useRef<number | null>(null);
  return (
    <Page title={`New issue · ${project.name_with_namespace}`} heading="New issue" narrow>
      {follows && request !== undefined ? (
        <p className={classes.note}>
          {follows.discussion_ids.length === 0
            ? 'This issue will resolve no threads in '
            : `Creating this issue will resolve ${counted(follows.discussion_ids.length, 'thread', 'threads')} in `}
          <Link to="/p/$path/merge_requests/$iid" params={{ path: segment, iid: String(request) }}>
            !{request}
          </Link>
          .
        </p>
      ) : null}
      <IssueForm
        action="Create issue"
        start={{
          ...{ title: search.title ?? follows?.title ?? '', written: search.description ?? follows?.description },
          ...{ template: start.key, text: start.text },
          confidential: search.confidential ?? false,
        }}
        send={async (values) => {
          // Sending again after the link was refused creates no second issue.
          made.current ??= (
            await createIssue(path, {
              ...values,
              ...(request === undefined ? {} : { merge_request_to_resolve_discussions_of: request }),
              ...(thread === undefined ? {} : { discussion_to_resolve: thread }),
            })
          ).iid;
          const iid = made.current;
          if (request !== undefined)
            await cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', request] });
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
