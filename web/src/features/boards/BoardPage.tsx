/** A board of issues of a project or group, or of epics: choosing one, its columns, and what can be changed about it. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { missing } from '../../lib/api.ts';
import type { Board } from '../../lib/boards.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import classes from './boards.module.css';
import { Columns } from './Columns.tsx';
import { type BoardsInView, useEpicBoards, useGroupBoards, useProjectBoards } from './useBoards.ts';

const BoardPicker = lazy(() => import('./BoardPicker.tsx'));
const AddList = lazy(async () => ({ default: (await import('./BoardDialogs.tsx')).AddList }));
const BoardDialog = lazy(async () => ({ default: (await import('./BoardDialogs.tsx')).BoardDialog }));

function useOpenBoard(of: BoardsInView) {
  const navigate = useNavigate();
  const { segment: path } = of;
  return (board: Board | undefined) => {
    const params = { path, id: String(board?.id) };
    if (of.cards === 'epics')
      return navigate({ to: board ? '/g/$path/epic_boards/$id' : '/g/$path/epic_boards', params });
    if (of.kind === 'group') return navigate({ to: board ? '/g/$path/boards/$id' : '/g/$path/boards', params });
    return navigate({ to: board ? '/p/$path/boards/$id' : '/p/$path/boards', params });
  };
}

function BoardView({ of }: { of: BoardsInView }) {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { data: all } = useSuspenseQuery(of.boards.list());
  const [dialog, setDialog] = useState<'new' | 'edit' | 'list' | null>(null);
  const cache = useQueryClient();
  const boards = of.cards === 'epics' ? 'Epic boards' : 'Boards';
  const open = useOpenBoard(of);
  const again = () => cache.invalidateQueries({ queryKey: of.boards.key });
  const board = id === undefined ? all[0] : all.find((each) => each.id === Number(id));
  if (id !== undefined && !board) throw missing();
  const create = useMutation({
    mutationFn: () => of.boards.create(of.cards === 'epics' ? 'Epics' : 'Development'),
    async onSuccess(made) {
      // Its own address at once: a dialog that is opened before would go when the page of that address replaces this one.
      cache.setQueryData(of.boards.list().queryKey, (before) => before && [...before, made]);
      await open(made);
      await again();
    },
  });
  const close = () => setDialog(null);
  const saved = async (changed: Board | undefined) => {
    close();
    await again();
    await open(changed);
  };
  return (
    <Page
      wide
      title={`${board?.name ?? boards} · ${of.name}`}
      heading={board?.name ?? boards}
      actions={
        <>
          {all.length > 1 ? (
            <Suspense fallback={<span className={classes.picker} />}>
              <BoardPicker boards={all} shown={board} open={(chosen) => void open(chosen)} />
            </Suspense>
          ) : null}
          {of.writes && board ? (
            <>
              <Button size="xs" variant="default" onClick={() => setDialog('new')}>
                New board
              </Button>
              <Button size="xs" variant="default" onClick={() => setDialog('edit')}>
                Edit board
              </Button>
              <Button size="xs" onClick={() => setDialog('list')}>
                Add list
              </Button>
            </>
          ) : null}
        </>
      }
    >
      <FormError error={create.error} />
      {board ? (
        <>
          {of.writes ? (
            <p className={classes.hint}>
              Drag {of.cards} between columns, or focus one and press Shift with an arrow key to move it.
            </p>
          ) : null}
          <Columns key={board.id} of={of} board={board} />
        </>
      ) : (
        <EmptyState title="No boards">
          {of.writes ? (
            <Button mt="sm" size="xs" loading={create.isPending} onClick={() => create.mutate()}>
              Create board
            </Button>
          ) : (
            'Members with at least the Planner role can create boards.'
          )}
        </EmptyState>
      )}
      <Suspense fallback={null}>
        {dialog === 'new' || (dialog === 'edit' && board) ? (
          <BoardDialog of={of} board={dialog === 'edit' ? board : undefined} close={close} saved={saved} />
        ) : null}
        {dialog === 'list' && board ? (
          <AddList
            of={of}
            board={board}
            close={close}
            added={async () => {
              close();
              await again();
            }}
          />
        ) : null}
      </Suspense>
    </Page>
  );
}

export function ProjectBoard() {
  return <BoardView of={useProjectBoards()} />;
}

export function GroupBoard() {
  return <BoardView of={useGroupBoards()} />;
}

export function EpicBoard() {
  return <BoardView of={useEpicBoards()} />;
}
