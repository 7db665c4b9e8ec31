/** One issue: what it is about, what is planned with it, and what people say. */
import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { changeIssue, issue as issueOf } from '../../lib/issues.ts';
import { sessionQuery } from '../../lib/session.ts';
import { useLive } from '../../lib/useLive.ts';
import { FormError } from '../../ui/FormError.tsx';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { useReturnedFocus } from '../../ui/useReturnedFocus.ts';
import { Comments } from '../comments/Comments.tsx';
import { useThreads } from '../comments/useThreads.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { IssueSidebar } from './IssueSidebar.tsx';
import classes from './issues.module.css';
import { Moves } from './Moves.tsx';

// Shown when somebody edits; images of metrics belong to incidents alone.
const IssueForm = lazy(async () => ({ default: (await import('./IssueForm.tsx')).IssueForm }));
const MetricImages = lazy(async () => ({ default: (await import('./MetricImages.tsx')).MetricImages }));
// After what people came to read.
const IssueRelations = lazy(async () => ({ default: (await import('./IssueRelations.tsx')).IssueRelations }));
const OwnReactions = lazy(() => import('../comments/OwnReactions.tsx'));
// Only those who may see vulnerabilities ask for them.
const RelatedVulnerabilities = lazy(async () => ({
  default: (await import('./RelatedVulnerabilities.tsx')).RelatedVulnerabilities,
}));

export default function IssuePage() {
  const { iid = '' } = useParams({ strict: false });
  const view = useProject();
  const { path } = view;
  const { data: issue } = useSuspenseQuery(issueOf(path, Number(iid)));
  const { data: session } = useQuery(sessionQuery);
  const text = issue.description ?? '';
  const [editing, setEditing] = useState(false);
  const edit = useReturnedFocus(editing);
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['project', path, 'issue', issue.iid] });
  const change = useMutation({
    mutationFn: (state_event: 'close' | 'reopen') => changeIssue(path, issue.iid, { state_event }),
    onSuccess: again,
  });
  useLive([`project:${view.project.id}:issues`], [['project', path, 'issue', issue.iid]]);
  const discussed = { kind: 'issue', iid: issue.iid } as const;
  const threads = useThreads(discussed, null, undefined);
  const open = issue.state === 'opened';
  const me = session?.user?.id;
  const involved = me !== undefined && [issue.author, ...issue.assignees].some(({ id }) => id === me);
  const may = !view.project.archived && (view.level >= level.planner || involved);
  return (
    <Page
      title={`${issue.title} · #${issue.iid}`}
      heading={issue.title}
      actions={
        may ? (
          <>
            <Button ref={edit} size="xs" variant="default" onClick={() => setEditing(!editing)} aria-expanded={editing}>
              Edit
            </Button>
            <Button size="xs" variant="default" onClick={() => change.mutate(open ? 'close' : 'reopen')}>
              {open ? 'Close issue' : 'Reopen issue'}
            </Button>
          </>
        ) : null
      }
    >
      <FormError error={change.error} />
      <div className={classes.facts}>
        <StatusBadge status={issueStatus(issue.state)} />
        <span>{issue.references.short}</span>
        <UserChip user={issue.author} />
        <TimeAgo at={issue.created_at} />
        {issue.confidential ? <span>Confidential</span> : null}
        {issue.discussion_locked ? <span>Locked</span> : null}
      </div>
      {issue.moves ? <Moves moves={issue.moves} /> : null}
      <div className={classes.page}>
        <div>
          {editing ? (
            <Suspense fallback={null}>
              <IssueForm
                issue={issue}
                action="Save"
                cancel={() => setEditing(false)}
                send={async ({ labels, ...values }) => {
                  await changeIssue(path, issue.iid, { ...values, labels: [...labels] });
                  await again();
                  setEditing(false);
                }}
              />
            </Suspense>
          ) : text === '' ? (
            <Text c="var(--mr-dim)">No description.</Text>
          ) : (
            <MarkdownBody
              html={issue.description_html ?? ''}
              of={{ kind: 'project', path }}
              tasks={
                may
                  ? {
                      text,
                      update: async (update_task) => {
                        await changeIssue(path, issue.iid, { update_task }).finally(again);
                      },
                    }
                  : undefined
              }
            />
          )}
          <Suspense fallback={null}>
            <OwnReactions of={discussed} mayReact={session?.user != null && !view.project.archived} />
          </Suspense>
          {issue.issue_type === 'incident' ? (
            <Suspense fallback={null}>
              <MetricImages
                iid={issue.iid}
                adds={!view.project.archived && view.level >= level.planner}
                removes={may}
              />
            </Suspense>
          ) : null}
          <Suspense fallback={null}>
            <IssueRelations
              iid={issue.iid}
              requests={view.project.merge_requests_enabled !== false}
              mayLink={!view.project.archived && view.level >= level.guest}
            />
          </Suspense>
          {view.level >= level.developer ? (
            <Suspense fallback={null}>
              <RelatedVulnerabilities iid={issue.iid} />
            </Suspense>
          ) : null}
        </div>
        <IssueSidebar issue={issue} mayChange={may} again={again} />
        <Comments of={discussed} threads={threads} />
      </div>
    </Page>
  );
}
