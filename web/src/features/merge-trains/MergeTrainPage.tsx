/** The merge train of a branch, live: each entry with its pipeline and what it waits for. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import {
  mergeTrain,
  mergeTrainKey,
  secondsLeft,
  type TrainEntry,
  typicalSeconds,
  waitsFor,
} from '../../lib/merge-trains.ts';
import { cancelAutoMerge } from '../../lib/reviews.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './merge-trains.module.css';

/** About how long it takes until an entry is merged, in words. */
function remaining(seconds: number | null): string | null {
  if (seconds === null) return null;
  return seconds < 60 ? 'Less than a minute left' : `About ${Math.round(seconds / 60)} min left`;
}

interface EntryProps {
  readonly entry: TrainEntry;
  readonly says: string;
  readonly left?: string | null;
  /** Of those that wait: its place, the first one is merged next. */
  readonly position?: number;
}

function EntryRow({ entry, says, left = null, position }: EntryProps) {
  const { segment, path, level: own } = useProject();
  const cache = useQueryClient();
  const { merge_request: request, pipeline } = entry;
  return (
    <DataRow
      before={
        <span className={classes.before}>
          {position === undefined ? null : <span>{position}</span>}
          <StatusBadge status={pipeline?.status ?? 'created'} compact />
        </span>
      }
      title={
        <Link to="/p/$path/merge_requests/$iid" params={{ path: segment, iid: String(request.iid) }} data-entry>
          {request.title}
        </Link>
      }
      meta={
        <>
          <span>
            !{request.iid} added by {entry.user.name}
          </span>
          {pipeline ? (
            <Link to="/p/$path/pipelines/$id" params={{ path: segment, id: String(pipeline.id) }}>
              Pipeline #{pipeline.id}
            </Link>
          ) : null}
          <span>{says}</span>
          {left ? <span>{left}</span> : null}
        </>
      }
      after={
        <>
          <TimeAgo at={entry.merged_at ?? entry.created_at} />
          {position !== undefined && own >= level.developer ? (
            <ConfirmButton
              title="Remove from merge train"
              about={`Remove !${request.iid} from the merge train`}
              text={`!${request.iid} ${request.title} will not be merged. Merge requests behind it are tested again without it.`}
              action="Remove from merge train"
              label="Remove"
              size="compact-xs"
              run={() => cancelAutoMerge(path, request.iid)}
              shown={() => cache.invalidateQueries({ queryKey: mergeTrainKey(path) })}
            />
          ) : null}
        </>
      }
    />
  );
}

export default function MergeTrainPage() {
  const { project } = useProject();
  if (project.merge_trains_enabled) return <Train />;
  return (
    <Page title={`Merge train · ${project.name_with_namespace}`} heading="Merge train">
      <EmptyState title="Merge trains are not enabled">
        Maintainers enable them in the settings of merge requests of this project.
      </EmptyState>
    </Page>
  );
}

function Train() {
  const { project, path } = useProject();
  const search = useSearch({ from: '/p/$path/merge_trains' });
  const branch = search.target_branch ?? project.default_branch ?? 'main';
  const { data } = useSuspenseQuery(mergeTrain(path, branch));
  useLive([`project:${project.id}:merge_requests`, `project:${project.id}:pipelines`], [mergeTrainKey(path)]);
  const typical = typicalSeconds(data.merged);
  return (
    <Page title={`Merge train · ${project.name_with_namespace}`} heading="Merge train">
      <p className={classes.target}>
        Target branch <RefBadge name={branch} />
        {typical === null ? null : <span>Recent merges took about {Math.max(1, Math.round(typical / 60))} min</span>}
      </p>
      {data.waiting.length === 0 ? (
        <EmptyState title="No merge requests are waiting">
          Set a merge request to auto-merge to add it to the train. Each one is tested together with those ahead of it.
        </EmptyState>
      ) : (
        <DataList label="Waiting">
          {data.waiting.map((entry, at) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              position={at + 1}
              says={waitsFor(entry, data.waiting[at - 1])}
              left={remaining(secondsLeft(data.waiting.slice(0, at), entry, data.merged, Date.now()))}
            />
          ))}
        </DataList>
      )}
      {data.merged.length > 0 ? (
        <section aria-labelledby="recently-merged">
          <h2 id="recently-merged">Recently merged</h2>
          <DataList label="Recently merged">
            {data.merged.slice(0, 10).map((entry) => (
              <EntryRow
                key={entry.id}
                entry={entry}
                says={entry.status === 'skip_merged' ? 'Merged ahead of the train' : 'Merged'}
              />
            ))}
          </DataList>
        </section>
      ) : null}
    </Page>
  );
}
