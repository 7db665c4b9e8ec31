/** Runners of the instance, a group or a project: their list, pausing and deleting them, and creating one with its command. */
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { configuration } from '../../lib/instance.ts';
import {
  deleteRunner,
  disableRunner,
  enableRunner,
  type ListedRunner,
  managedRunners,
  manages,
  pauseRunner,
  type RunnerPlace,
  runnersKey,
  runnersOf,
} from '../../lib/runners.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { NewRunner } from './NewRunner.tsx';
import { RunnerList } from './RunnerList.tsx';
import classes from './runners.module.css';

interface ActionsProps {
  readonly place: RunnerPlace;
  readonly runner: ListedRunner;
  again(): Promise<unknown>;
}

function Actions({ place, runner, again }: ActionsProps) {
  const pausing = useMutation({ mutationFn: () => pauseRunner(runner.id, !runner.paused), onSuccess: again });
  const owner = runner.details?.owner_project_id ?? null;
  const borrowed = place.kind === 'project' && owner !== place.id ? place : null;
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={pausing.isPending}
        aria-label={`${runner.paused ? 'Resume' : 'Pause'} runner #${runner.id}`}
        onClick={() => pausing.mutate()}
      >
        {runner.paused ? 'Resume' : 'Pause'}
      </Button>
      {borrowed ? (
        <ConfirmButton
          title="Disable runner"
          about={`Disable runner #${runner.id} in this project`}
          text={`#${runner.id} ${runner.description} will take no more jobs of this project. It stays in its other projects.`}
          action="Disable runner"
          label="Disable"
          size="compact-xs"
          run={() => disableRunner(borrowed.id, runner.id)}
          shown={again}
        />
      ) : runner.details?.built_in ? null : (
        <ConfirmButton
          title="Delete runner"
          about={`Delete runner #${runner.id}`}
          text={`#${runner.id} ${runner.description} will take no more jobs, and its token stops working.`}
          action="Delete runner"
          icon={<IconTrash size={16} />}
          run={() => deleteRunner(runner.id)}
          shown={again}
        />
      )}
    </>
  );
}

function Enable({ project, id, again }: { project: number; id: number; again: () => Promise<unknown> }) {
  const enabling = useMutation({ mutationFn: () => enableRunner(project, id), onSuccess: again });
  return (
    <>
      <FormError error={enabling.error} />
      <Button
        size="compact-xs"
        variant="default"
        loading={enabling.isPending}
        aria-label={`Enable runner #${id} in this project`}
        onClick={() => enabling.mutate()}
      >
        Enable
      </Button>
    </>
  );
}

interface OthersProps {
  readonly place: RunnerPlace & { readonly kind: 'group' | 'project' };
  readonly enabled: readonly ListedRunner[];
  again(): Promise<unknown>;
}

/** Runners of other projects that may also be enabled here. */
function Others({ place, enabled, again }: OthersProps) {
  const { data = [] } = useQuery(managedRunners);
  const here = new Set(enabled.map(({ id }) => id));
  const others = data.filter(({ id, details }) => !here.has(id) && !details?.locked);
  if (others.length === 0) return null;
  return (
    <section>
      <h3 className={classes.other}>Runners of your other projects</h3>
      <RunnerList
        label="Runners of other projects"
        place={place}
        runners={others}
        actions={({ id }) => <Enable project={place.id} id={id} again={again} />}
      />
    </section>
  );
}

/** What administrators say about the runners of the instance. */
function InstanceText() {
  const { data } = useQuery(configuration());
  return data?.ci.runners_text_html ? <MarkdownBody html={data.ci.runners_text_html} /> : null;
}

interface ManagerProps {
  readonly place: RunnerPlace;
  /** The heading with the button beside it, and the list below. */
  frame(action: ReactNode, list: ReactNode): ReactNode;
}

export function RunnerManager({ place, frame }: ManagerProps) {
  const list = useInfiniteQuery({ ...runnersOf(place), refetchInterval: 15_000 });
  const [creating, setCreating] = useState(false);
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: runnersKey });
  const runners = list.data?.pages.flatMap(({ items }) => items);
  return frame(
    <Button size="xs" onClick={() => setCreating(true)}>
      New runner
    </Button>,
    <>
      <FormError error={list.error} />
      {place.kind === 'instance' ? null : <InstanceText />}
      {runners?.length === 0 ? (
        <EmptyState title="No runners">Jobs stay pending until a runner takes them. Create one.</EmptyState>
      ) : null}
      {runners && runners.length > 0 ? (
        <RunnerList
          label="Runners"
          place={place}
          runners={runners}
          actions={(runner) =>
            manages(place, runner) ? <Actions place={place} runner={runner} again={again} /> : null
          }
        />
      ) : null}
      <ShowMore more={list.hasNextPage} pending={list.isFetchingNextPage} show={list.fetchNextPage} />
      {place.kind === 'project' && runners && !list.hasNextPage ? (
        <Others place={place} enabled={runners} again={again} />
      ) : null}
      <NewRunner place={place} opened={creating} close={() => setCreating(false)} />
    </>,
  );
}
