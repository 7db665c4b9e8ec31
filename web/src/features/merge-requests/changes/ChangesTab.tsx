/** The changes of a merge request with their file tree, threads and viewed marks; a whole review can be done by keyboard. */
import { Button, Checkbox } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { lastReviewOf } from '../../../lib/reviews.ts';
import { sessionQuery } from '../../../lib/session.ts';
import { rawAddress } from '../../../lib/urls.ts';
import { CoverageProvider } from '../../../ui/diff/coverage.ts';
import { DiffView } from '../../../ui/diff/DiffView.tsx';
import { FindingsProvider } from '../../../ui/diff/findings.tsx';
import type { FileReview } from '../../../ui/diff/line-comments.ts';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { MenuOnDemand, onDemand } from '../../../ui/onDemand.tsx';
import { Thread } from '../../comments/Thread.tsx';
import { useThreads } from '../../comments/useThreads.tsx';
import { useProject } from '../../projects/useProject.ts';
import classes from './changes.module.css';
import { coverageReports } from './coverage.ts';
import { FileTree } from './FileTree.tsx';
import { qualityFindings } from './quality.ts';
import { PendingBar, ReviewButton } from './ReviewButton.tsx';
import { useReviewKeys } from './useReviewKeys.ts';
import { useViewed } from './viewed.ts';

type Request = Schemas['MergeRequestDetail'];

async function fetchText(address: string): Promise<string> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error('The file could not be loaded.');
  return await answer.text();
}

const none = {};

const reviewKeysTable = onDemand(() => import('./ReviewKeysTable.tsx'));

interface ChangesProps {
  readonly request: Request;
  readonly files: Schemas['FileDiff'][];
  /** Only what changed since a version: lines of it are not those of the change, and cannot be commented. */
  readonly partial: boolean;
}

function Changes({ request, files, partial }: ChangesProps) {
  const { warn, path, project } = useProject();
  const { diff_refs: refs } = request;
  const head = refs?.head_sha ?? request.source_branch;
  const threads = useThreads(
    { kind: 'merge_request', iid: request.iid },
    partial ? null : (refs ?? null),
    files,
    request.counts?.pending_comments,
  );
  const { isViewed, setViewed } = useViewed(project.id, request.iid);
  // The mark shows at once, the tree of hundreds of files follows between events.
  const inTree = useDeferredValue(isViewed);
  useReviewKeys();
  const { data: coverage } = useQuery({
    ...coverageReports(path, request.iid),
    // Where no job left any, there is none.
    enabled: request.counts?.reports.includes('coverage_reports') === true,
  });
  const { data: findings } = useQuery({
    ...qualityFindings(path, request.iid),
    // Only what the newest version of the changes has as its lines.
    enabled: !partial && request.counts?.reports.includes('codequality_reports') === true,
  });
  const review = useMemo(
    (): FileReview => ({
      setViewed,
      raw: (file) => rawAddress(path, head, file.new_path),
      text: (file) => fetchText(rawAddress(path, head, file.new_path)),
    }),
    [setViewed, path, head],
  );
  const elsewhere = threads.rest.filter(({ notes }) => notes[0]?.position !== undefined);
  return (
    <div className={classes.page}>
      <FileTree files={files} isViewed={inTree} />
      <div>
        <CoverageProvider value={coverage?.files ?? {}}>
          <FindingsProvider value={findings ?? none}>
            <DiffView
              files={files}
              gitRef={head}
              comments={threads.comments}
              warn={warn}
              review={review}
              isViewed={isViewed}
            />
          </FindingsProvider>
        </CoverageProvider>
        {elsewhere.length > 0 ? (
          <section aria-label="Other threads">
            <h2>Threads on files and earlier versions</h2>
            {elsewhere.map((thread) => (
              <Thread
                key={thread.id}
                thread={thread}
                of={{ kind: 'merge_request', iid: request.iid }}
                mayWrite={threads.mayWrite}
                batch={threads.batch}
                again={threads.again}
                later={threads.later}
                pending={threads.pendingOf(thread.id)}
              />
            ))}
          </section>
        ) : null}
        <PendingBar request={request} count={threads.drafts.length} />
      </div>
    </div>
  );
}

export function ChangesTab({ request }: { request: Request }) {
  const { parts, path } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const { data: last } = useQuery({ ...lastReviewOf(path, request.iid), enabled: Boolean(session?.user) });
  const [sinceReview, setSinceReview] = useState(false);
  const version = last?.version_id ?? null;
  const moved = version !== null && last?.head_commit_sha !== request.sha;
  const [hidden, setHidden] = useLocalStorage({
    key: 'millrace-hide-white-space',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  // What is shown stays until the other changes are here.
  const partial = useDeferredValue(moved && sinceReview);
  const hides = useDeferredValue(hidden);
  const { data } = useSuspenseQuery(parts.mergeRequestDiffs(request.iid, hides, partial ? version : null));
  return (
    <>
      <div className={classes.bar}>
        <Checkbox
          size="xs"
          label="Hide white space changes"
          checked={hidden}
          onChange={(event) => setHidden(event.currentTarget.checked)}
        />
        {moved ? (
          <Checkbox
            size="xs"
            label="Only changes since my last review"
            checked={sinceReview}
            onChange={(event) => setSinceReview(event.currentTarget.checked)}
          />
        ) : null}
        <MenuOnDemand
          of={reviewKeysTable}
          props={{}}
          target={
            <Button size="compact-xs" variant="subtle" aria-haspopup="dialog">
              Keyboard shortcuts
            </Button>
          }
        />
        <ReviewButton request={request} label="Review changes" />
      </div>
      {data.length === 0 ? (
        <EmptyState title="No changes">
          {partial ? 'Nothing has changed since your last review.' : 'Both branches have the same contents.'}
        </EmptyState>
      ) : (
        <Changes request={request} files={data} partial={partial} />
      )}
    </>
  );
}
