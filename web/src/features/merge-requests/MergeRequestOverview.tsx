/** What a merge request is for, whether it can be merged, and what people say about it, beside its details. */
import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { updateRequestTask } from '../../lib/merge-requests.ts';
import { sessionQuery } from '../../lib/session.ts';
import { MarkdownOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { useThreads } from '../comments/useThreads.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { MergeBox } from './MergeBox.tsx';
import classes from './merge-requests.module.css';
import { ReviewBox } from './ReviewBox.tsx';
import { StackRow } from './StackRow.tsx';
import { Sidebar } from './sidebar/Sidebar.tsx';
import sidebar from './sidebar/sidebar.module.css';
import { Timeline } from './Timeline.tsx';

/** When what is seldom there is asked for: after what everybody waits for. */
const laterMilliseconds = 1500;
// After what people came to read.
const OwnReactions = lazy(() => import('../comments/OwnReactions.tsx'));
const RequestRules = lazy(() => import('./RequestRules.tsx'));
const DeploymentRows = lazy(async () => ({ default: (await import('./DeploymentRows.tsx')).DeploymentRows }));

function useLater(): boolean {
  const [later, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), laterMilliseconds);
    return () => clearTimeout(timer);
  }, []);
  return later;
}

/** Without a pipeline there are few, by other systems through the API: the first view does not pay for them. */
function Deployments({ iid, soon }: { iid: number; soon: boolean }) {
  const later = useLater();
  return soon || later ? (
    <Suspense fallback={null}>
      <DeploymentRows iid={iid} />
    </Suspense>
  ) : null;
}

export function MergeRequestOverview({ request }: { request: Schemas['MergeRequestDetail'] }) {
  const { path, project, level: own } = useProject();
  const discussed = { kind: 'merge_request', iid: request.iid } as const;
  const { data: session } = useQuery(sessionQuery);
  const cache = useQueryClient();
  const mayEdit = own >= level.developer || (session?.user != null && session.user.id === request.author?.id);
  const later = useLater();
  const [rulesWanted, setRulesWanted] = useState(false);
  const threads = useThreads(discussed, null, undefined, request.counts?.pending_comments);
  return (
    <div className={sidebar.page}>
      <div>
        {request.description_html ? (
          <MarkdownOnDemand
            html={request.description_html}
            of={{ kind: 'project', path }}
            tasks={
              mayEdit
                ? {
                    text: request.description ?? '',
                    update: async (update_task) => {
                      await updateRequestTask(path, request.iid, update_task).finally(() =>
                        cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', request.iid] }),
                      );
                    },
                  }
                : undefined
            }
          />
        ) : (
          <Text c="var(--mr-dim)">No description.</Text>
        )}
        <div className={classes.reactions}>
          {later || request.counts?.reactions ? (
            <Suspense fallback={null}>
              <OwnReactions
                of={discussed}
                mayReact={session?.user != null && !project.archived}
                count={request.counts?.reactions}
              />
            </Suspense>
          ) : null}
        </div>
        <StackRow request={request} />
        <Deployments iid={request.iid} soon={request.head_pipeline !== null} />
        <MergeBox key={request.id} request={request} />
        {own >= level.developer && request.state === 'opened' ? (
          <details className={classes.rules} onToggle={() => setRulesWanted(true)}>
            <summary>Approval rules</summary>
            <Suspense fallback={null}>{rulesWanted ? <RequestRules iid={request.iid} /> : null}</Suspense>
          </details>
        ) : null}
        <ReviewBox key={`review-${request.id}`} request={request} />
        <Timeline
          iid={request.iid}
          has={{
            labels: request.counts?.label_events !== 0,
            milestones: request.counts?.milestone_events !== 0,
            states: request.counts?.state_events !== 0,
            versions: request.counts?.versions !== 1,
          }}
          openThreads={request.counts?.open_threads ?? 0}
          threads={threads}
        />
      </div>
      <Sidebar request={request} />
    </div>
  );
}
