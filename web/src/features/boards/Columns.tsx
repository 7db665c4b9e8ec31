/** The columns of a board, side by side: moving issues shows at once, and the server has the last word. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { Board, BoardIssue, BoardList, BoardMove, ColumnName } from '../../lib/boards.ts';
import { iterationName } from '../../lib/planning.ts';
import { FormError } from '../../ui/FormError.tsx';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { BoardColumn } from './BoardColumn.tsx';
import classes from './boards.module.css';
import { afterMove, moveByKey, moveTo } from './places.ts';
import type { BoardsInView } from './useBoards.ts';
import { useRefresh } from './useRefresh.ts';

/** The server refuses streams with more than 50 topics; the board itself is one. */
const mostTopics = 40;

interface Shown {
  readonly column: ColumnName;
  readonly name: string;
  readonly heading: ReactNode;
  readonly list: BoardList | null;
}

function listShown(list: BoardList): Shown {
  const column = `${list.id}` as const;
  if (list.label) return { column, list, name: list.label.name, heading: <LabelChip label={list.label} /> };
  if (list.assignee) return { column, list, name: list.assignee.name, heading: <UserChip user={list.assignee} /> };
  const name = list.milestone?.title ?? (list.iteration ? iterationName(list.iteration) : '');
  return { column, list, name, heading: name };
}

function shownOf(board: Board): Shown[] {
  const end = (column: ColumnName, name: string): Shown => ({ column, name, heading: name, list: null });
  return [
    ...(board.hide_backlog_list ? [] : [end('backlog', 'Open')]),
    ...board.lists.map(listShown),
    ...(board.hide_closed_list ? [] : [end('closed', 'Closed')]),
  ];
}

/** Reads a column and hands its issues to the board, which moves them between columns. */
function ReadColumn({
  of,
  board,
  shown,
  loaded,
  children,
}: {
  of: BoardsInView;
  board: Board;
  shown: Shown;
  loaded(column: ColumnName, issues: readonly BoardIssue[]): void;
  children(
    issues: readonly BoardIssue[] | undefined,
    query: { total: number | null; more: boolean; pending: boolean; show(): void },
  ): ReactNode;
}) {
  const query = useInfiniteQuery(of.boards.column(board, shown.column));
  const issues = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data]);
  const report = useEffectEvent(loaded);
  useEffect(() => {
    if (issues) report(shown.column, issues);
  }, [issues, shown.column]);
  return children(issues, {
    total: query.data?.pages[0]?.total ?? null,
    more: query.hasNextPage,
    pending: query.isFetchingNextPage,
    show: () => void query.fetchNextPage(),
  });
}

export function Columns({ of, board }: { of: BoardsInView; board: Board }) {
  const cache = useQueryClient();
  const columns = shownOf(board);
  const order = columns.map(({ column }) => column);
  const [known, setKnown] = useState<ReadonlyMap<ColumnName, readonly BoardIssue[]>>(new Map());
  const [dragged, setDragged] = useState<{ issue: BoardIssue; from: ColumnName } | null>(null);
  const [said, setSaid] = useState('');
  const focus = useRef<number | null>(null);
  const keyOf = (column: ColumnName) => of.boards.column(board, column).queryKey;
  const topics = [...new Set([...of.topics, ...[...known.values()].flat().map(({ topic }) => topic)])].sort();
  const dragging = dragged !== null;
  const { again, moving, press } = useRefresh({ of, board, topics: topics.slice(0, mostTopics), dragging });

  // Nothing is told of the end of a drag whose card is no longer on the page. While something is dragged the pointer does
  // not move for the page: where it does, the drag has ended.
  useEffect(() => {
    if (!dragging) return;
    const end = () => setDragged(null);
    window.addEventListener('pointermove', end);
    return () => window.removeEventListener('pointermove', end);
  }, [dragging]);

  // The card that was moved by keyboard is another element afterwards: focus follows it.
  useEffect(() => {
    const id = focus.current;
    if (id === null) return;
    const { activeElement } = document;
    const card = document.querySelector<HTMLElement>(`[data-card="${id}"]`);
    if (!card || card === activeElement) return;
    if (activeElement === document.body) card.focus();
    // The person has gone elsewhere meanwhile.
    else focus.current = null;
  });

  const move = useMutation({
    mutationKey: moving,
    // A card that is moved twice leaves its second column only once it has arrived there.
    scope: { id: moving.join(' ') },
    mutationFn: (wanted: BoardMove) => of.boards.move(board, wanted),
    async onMutate(wanted) {
      await Promise.all(order.map((column) => cache.cancelQueries({ queryKey: keyOf(column) })));
      for (const column of new Set([wanted.from, wanted.to]))
        cache.setQueryData(of.boards.column(board, column).queryKey, (data) => {
          if (!data) return data;
          const items = afterMove(
            data.pages.flatMap((page) => page.items),
            column,
            wanted,
          );
          const change = wanted.from === wanted.to ? 0 : column === wanted.to ? 1 : -1;
          const [first, ...rest] = data.pages;
          if (!first) return data;
          const total = first.total === null ? null : first.total + change;
          return {
            ...data,
            pages: [{ ...first, items, total }, ...rest.map((page) => ({ ...page, items: [] }))],
          };
        });
    },
    onError: () => void cache.invalidateQueries({ queryKey: of.boards.list().queryKey }),
    onSettled: again,
  });
  const carry = (wanted: BoardMove | null) => {
    if (!wanted) return;
    const name = columns.find(({ column }) => column === wanted.to)?.name ?? '';
    setSaid(`${wanted.issue.title} moved to ${name}, ${wanted.above ? `below ${wanted.above.title}` : 'at the top'}`);
    move.mutate(wanted);
  };
  const lists = useMutation({
    mutationFn: ({ list, position }: { list: BoardList; position: number | null }) =>
      position === null ? of.boards.removeList(board.id, list.id) : of.boards.moveList(board.id, list.id, position),
    onSuccess: () => cache.invalidateQueries({ queryKey: of.boards.key }),
  });
  const key = (event: KeyboardEvent<HTMLElement>, issue: BoardIssue, from: ColumnName) => {
    if (!event.shiftKey || !of.writes) return;
    const wanted = moveByKey(order, known, issue, from, event.key);
    if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    if (!wanted) return;
    focus.current = issue.id;
    carry(wanted);
  };
  const actionsOf = ({ list }: Shown) =>
    list && of.writes
      ? {
          ...(list.position > 0 ? { moveLeft: () => lists.mutate({ list, position: list.position - 1 }) } : {}),
          ...(list.position < board.lists.length - 1
            ? { moveRight: () => lists.mutate({ list, position: list.position + 1 }) }
            : {}),
          remove: () => lists.mutate({ list, position: null }),
        }
      : undefined;
  return (
    <>
      <div className={classes.columns} role="group" aria-label="Columns" tabIndex={-1}>
        {columns.map((shown) => (
          <ReadColumn
            key={shown.column}
            {...{ of, board, shown }}
            loaded={(column, issues) => setKnown((before) => new Map(before).set(column, issues))}
          >
            {(issues, { total, more, pending, show }) => (
              <BoardColumn
                {...{ issues, total, more, columns }}
                column={shown.column}
                name={shown.name}
                heading={shown.heading}
                morePending={pending}
                showMore={show}
                full={of.kind === 'group'}
                writes={of.writes}
                dragged={dragged?.issue ?? null}
                press={press}
                actions={actionsOf(shown)}
                drag={(issue, from) => setDragged(issue && { issue, from })}
                drop={(to, at) => {
                  if (dragged) carry(moveTo(known, dragged.issue, dragged.from, to, at));
                  setDragged(null);
                }}
                send={(issue, from, to) => carry(moveTo(known, issue, from, to, 0))}
                keyDown={key}
              />
            )}
          </ReadColumn>
        ))}
      </div>
      {/* Behind the columns: above them it would move all cards down, also one that the pointer is pressed on. */}
      <div className={classes.problem}>
        <FormError error={move.error ?? lists.error} />
      </div>
      <div className={classes.hidden} role="status">
        {said}
      </div>
    </>
  );
}
