/** Runners of the instance, a group or a project: their list, pausing and deleting them, and creating one with its command. */
import { Alert, Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  createRunner,
  deleteRunner,
  type ListedRunner,
  newFields,
  pauseRunner,
  type RunnerPlace,
  runnersKey,
  runnersOf,
} from '../../lib/runners.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { useFields } from '../../ui/TextField.tsx';
import { RunnerForm } from './RunnerForm.tsx';
import { RunnerList } from './RunnerList.tsx';

/** Which kind of runners belongs to a place, and may be changed there. */
const ownKinds = { instance: null, group: 'group_type', project: 'project_type' } as const;

function NewRunner({ place, opened, close }: { place: RunnerPlace; opened: boolean; close: () => void }) {
  const fields = useFields(newFields);
  const [token, setToken] = useState<string | null>(null);
  const cache = useQueryClient();
  const leave = () => {
    close();
    setToken(null);
    fields.replace(newFields);
  };
  return (
    <Modal opened={opened} onClose={leave} title="New runner" size="lg">
      {token === null ? (
        <RunnerForm
          of={fields}
          lockable={place.kind === 'project'}
          action="Create runner"
          send={async (values) => {
            setToken((await createRunner(place, values)).token);
            await cache.invalidateQueries({ queryKey: runnersKey });
          }}
        />
      ) : (
        <>
          <Alert variant="light" title="The runner was created" role="status">
            Run this command where jobs should run. The token is not shown again.
            <Command text={`gitlab-runner register --url ${window.location.origin} --token ${token}`} />
          </Alert>
          <Button mt="md" onClick={leave}>
            Done
          </Button>
        </>
      )}
    </Modal>
  );
}

function Actions({ runner, again }: { runner: ListedRunner; again: () => Promise<unknown> }) {
  const pausing = useMutation({ mutationFn: () => pauseRunner(runner.id, !runner.paused), onSuccess: again });
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
      <ConfirmButton
        title="Delete runner"
        about={`Delete runner #${runner.id}`}
        text={`#${runner.id} ${runner.description} will take no more jobs, and its token stops working.`}
        action="Delete runner"
        icon={<IconTrash size={16} />}
        run={() => deleteRunner(runner.id)}
        shown={again}
      />
    </>
  );
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
  const own = ownKinds[place.kind];
  return frame(
    <Button size="xs" onClick={() => setCreating(true)}>
      New runner
    </Button>,
    <>
      <FormError error={list.error} />
      {runners?.length === 0 ? (
        <EmptyState title="No runners">Jobs stay pending until a runner takes them. Create one.</EmptyState>
      ) : null}
      {runners && runners.length > 0 ? (
        <RunnerList
          place={place}
          runners={runners}
          actions={(runner) =>
            own === null || own === runner.runner_type ? <Actions runner={runner} again={again} /> : null
          }
        />
      ) : null}
      <ShowMore more={list.hasNextPage} pending={list.isFetchingNextPage} show={list.fetchNextPage} />
      <NewRunner place={place} opened={creating} close={() => setCreating(false)} />
    </>,
  );
}
