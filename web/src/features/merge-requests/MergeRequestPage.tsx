/** One merge request: its tabs, and the header that all of them share. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { counted } from '../../lib/counted.ts';
import { sessionQuery } from '../../lib/session.ts';
import { useLive } from '../../lib/useLive.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TabRow } from '../../ui/TabRow.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { useReturnedFocus } from '../../ui/useReturnedFocus.ts';
import { level, useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';
import { ChangesTab, ConflictsTab, ListTab, OverviewTab } from './tabs.ts';

const EditMergeRequest = lazy(async () => ({ default: (await import('./EditMergeRequest.tsx')).EditMergeRequest }));

const tabs = { '': 'Overview', commits: 'Commits', pipelines: 'Pipelines', diffs: 'Changes' } as const;
const names = Object.keys(tabs) as (keyof typeof tabs)[];

/** A tab with what it holds, where that is known. */
function tabText(name: keyof typeof tabs, { changes_count, counts }: Schemas['MergeRequestDetail']): string {
  const label = tabs[name];
  if (name === '')
    return counts?.open_threads ? `${label} (${counted(counts.open_threads, 'open thread', 'open threads')})` : label;
  const held = name === 'diffs' ? changes_count : counts?.[name];
  return held == null ? label : `${label} ${held}`;
}

function Tabs({ request }: { request: Schemas['MergeRequestDetail'] }) {
  const { segment, project } = useProject();
  // Of the address, which leads before the content is there.
  const tab = useLocation({ select: ({ pathname }) => pathname.split('/')[5] ?? '' });
  const params = { path: segment, iid: String(request.iid) };
  return (
    <TabRow label="Merge request" className={classes.tabs}>
      {names.map((name) => {
        if (name === 'pipelines' && project.jobs_enabled === false) return null;
        const text = tabText(name, request);
        const current = tab === name ? ({ 'aria-current': 'page' } as const) : {};
        return name === '' ? (
          <Link
            key={name}
            to="/p/$path/merge_requests/$iid"
            params={params}
            activeOptions={{ exact: true }}
            {...current}
            resetScroll={false}
          >
            {text}
          </Link>
        ) : (
          <Link
            key={name}
            to="/p/$path/merge_requests/$iid/$tab"
            params={{ ...params, tab: name }}
            {...current}
            resetScroll={false}
          >
            {text}
          </Link>
        );
      })}
    </TabRow>
  );
}

export function MergeRequestPage() {
  const { iid = '', tab = '' } = useParams({ strict: false });
  const view = useProject();
  const { project, parts, path } = view;
  const { data: request } = useSuspenseQuery(parts.mergeRequest(Number(iid)));
  const { data: session } = useQuery(sessionQuery);
  const [editing, setEditing] = useState(false);
  const edit = useReturnedFocus(editing);
  const cache = useQueryClient();
  const key = ['project', path, 'merge-request', request.iid];
  useLive([`merge_request:${request.id}`, `project:${project.id}:pipelines`], [key]);
  const change = useMutation({
    mutationFn: (body: { state_event?: 'close' | 'reopen'; title?: string }) =>
      unwrap(
        client.PUT('/projects/{id}/merge_requests/{merge_request_iid}', {
          params: { path: { id: path, merge_request_iid: request.iid } },
          body,
        }),
      ),
    onSuccess: () => cache.invalidateQueries({ queryKey: key }),
  });
  const may = view.level >= level.developer || session?.user?.id === request.author.id;
  const open = request.state === 'opened';
  return (
    <Page
      title={`${request.title} · !${request.iid}`}
      heading={request.title}
      wide={tab === 'diffs'}
      actions={
        may && (open || request.state === 'closed') ? (
          <>
            {open ? (
              <Button
                ref={edit}
                size="xs"
                variant="default"
                onClick={() => setEditing(!editing)}
                aria-expanded={editing}
              >
                Edit
              </Button>
            ) : null}
            {open ? (
              <Button
                size="xs"
                variant="default"
                onClick={() =>
                  change.mutate({
                    title: request.draft
                      ? request.title.replace(/^\s*(\[draft\]|\(draft\)|draft:)\s*/i, '')
                      : `Draft: ${request.title}`,
                  })
                }
              >
                {request.draft ? 'Mark as ready' : 'Mark as draft'}
              </Button>
            ) : null}
            <Button
              size="xs"
              variant="default"
              onClick={() => change.mutate({ state_event: open ? 'close' : 'reopen' })}
            >
              {open ? 'Close' : 'Reopen'}
            </Button>
          </>
        ) : null
      }
    >
      <FormError error={change.error} />
      <div className={classes.facts}>
        <StatusBadge status={request.state} />
        <span>{request.reference}</span>
        <UserChip user={request.author} />
        <span>{open ? 'wants' : 'wanted'} to merge</span>
        <RefBadge name={request.source_branch} />
        <span>into</span>
        <RefBadge name={request.target_branch} />
        <TimeAgo at={request.created_at} />
      </div>
      <Tabs request={request} />
      {editing && open ? (
        <Suspense fallback={null}>
          <EditMergeRequest request={request} close={() => setEditing(false)} />
        </Suspense>
      ) : null}
      <Outlet />
    </Page>
  );
}

/** The content of the tab that the route is of. */
export function MergeRequestTab() {
  const { iid = '', tab = '' } = useParams({ strict: false });
  const { parts } = useProject();
  const { data: request } = useSuspenseQuery(parts.mergeRequest(Number(iid)));
  if (tab === '') return <OverviewTab request={request} />;
  if (tab === 'diffs') return <ChangesTab request={request} />;
  if (tab === 'conflicts') return <ConflictsTab iid={request.iid} />;
  return <ListTab of={tab === 'commits' ? 'commits' : 'pipelines'} iid={request.iid} />;
}
