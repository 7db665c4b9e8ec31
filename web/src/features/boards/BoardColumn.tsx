/** A column of a board: its heading, its issues in order, and the place where one is dropped. */
import { ActionIcon, Skeleton } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import type { BoardIssue, ColumnName } from '../../lib/boards.ts';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { BoardCard, type ColumnChoice } from './BoardCard.tsx';
import classes from './boards.module.css';
import { placeAt } from './places.ts';

const listMenu = onDemand(() => import('./ListMenu.tsx'));

export interface ListActions {
  moveLeft?: () => void;
  moveRight?: () => void;
  remove(): void;
}

interface Props {
  readonly column: ColumnName;
  readonly name: string;
  readonly heading: ReactNode;
  readonly columns: readonly ColumnChoice[];
  readonly issues: readonly BoardIssue[] | undefined;
  readonly total: number | null;
  readonly more: boolean;
  readonly morePending: boolean;
  readonly full: boolean;
  readonly writes: boolean;
  readonly dragged: BoardIssue | null;
  /** Of lists, for those who may change the board. */
  readonly actions?: ListActions | undefined;
  showMore(): void;
  /** The pointer is pressed on a card. */
  press(): void;
  drag(issue: BoardIssue | null, from: ColumnName): void;
  drop(to: ColumnName, at: number): void;
  send(issue: BoardIssue, from: ColumnName, to: ColumnName): void;
  keyDown(event: KeyboardEvent<HTMLElement>, issue: BoardIssue, from: ColumnName): void;
}

export function BoardColumn(props: Props) {
  const { column, name, issues, dragged, writes, total } = props;
  const [place, setPlace] = useState<number | null>(null);
  const cards = useRef<HTMLUListElement>(null);
  // The dragged card stays in the list while it is dragged; places are counted without it.
  const others = (issues ?? []).filter(({ id }) => id !== dragged?.id);
  const shown = dragged === null ? null : place;
  const marker = <li key="marker" className={classes.marker} aria-hidden />;
  const before = shown === null ? undefined : others[shown]?.id;
  return (
    <section
      className={classes.column}
      aria-label={name}
      data-column={column}
      onDragOver={(event) => {
        if (!dragged) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
        const found = [...(cards.current?.querySelectorAll<HTMLElement>('[data-issue]') ?? [])];
        const middles = found
          .filter((card) => card.dataset.issue !== String(dragged.id))
          .map((card) => card.getBoundingClientRect())
          .map(({ top, height }) => top + height / 2);
        setPlace(placeAt(middles, event.clientY));
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setPlace(null);
      }}
      onDrop={(event) => {
        event.preventDefault();
        props.drop(column, place ?? others.length);
        setPlace(null);
      }}
    >
      <div className={classes.columnHead}>
        <h2>{props.heading}</h2>
        <span className={classes.count}>{total ?? ''}</span>
        {props.actions ? (
          <MenuOnDemand
            of={listMenu}
            props={{ actions: props.actions }}
            target={
              <ActionIcon variant="subtle" size="sm" color="gray" aria-label={`List ${name}`}>
                <IconSettings size={16} aria-hidden />
              </ActionIcon>
            }
          />
        ) : null}
      </div>
      <ul className={classes.cards} ref={cards}>
        {issues === undefined ? (
          <li>
            <Skeleton height={64} />
          </li>
        ) : null}
        {(issues ?? []).flatMap((issue) => [
          ...(before === issue.id ? [marker] : []),
          <BoardCard
            key={issue.id}
            {...{ issue, column, writes }}
            columns={props.columns}
            full={props.full}
            dragged={dragged?.id === issue.id}
            press={props.press}
            drag={(moved) => props.drag(moved, column)}
            send={(to) => props.send(issue, column, to)}
            keyDown={(event) => props.keyDown(event, issue, column)}
          />,
        ])}
        {shown !== null && before === undefined ? marker : null}
      </ul>
      <ShowMore more={props.more} pending={props.morePending} show={props.showMore} />
    </section>
  );
}
