/** An issue or epic on a board: dragged with the mouse, moved with Shift and the arrow keys, or from its menu. */
import { ActionIcon, Avatar } from '@mantine/core';
import { IconDots, IconEyeOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import type { BoardIssue, ColumnName } from '../../lib/boards.ts';
import { dayText } from '../../lib/time.ts';
import { toSegment } from '../../lib/urls.ts';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
import classes from './boards.module.css';

// A board has hundreds of cards, and few menus are opened.
const cardMenu = onDemand(() => import('./CardMenu.tsx'));

export interface ColumnChoice {
  readonly column: ColumnName;
  readonly name: string;
}

interface Props {
  readonly issue: BoardIssue;
  readonly column: ColumnName;
  readonly columns: readonly ColumnChoice[];
  /** References of group boards name the project. */
  readonly full: boolean;
  readonly writes: boolean;
  readonly dragged: boolean;
  press(): void;
  drag(issue: BoardIssue | null): void;
  /** Moves it to the top of a column. */
  send(to: ColumnName): void;
  keyDown(event: KeyboardEvent<HTMLElement>): void;
}

export function BoardCard({ issue, column, columns, full, writes, dragged, press, drag, send, keyDown }: Props) {
  const [, path = '', sign] = /^(.*)([#&])\d+$/.exec(issue.references.full) ?? [];
  return (
    <li
      className={classes.card}
      data-issue={issue.id}
      data-dragged={dragged || undefined}
      draggable={writes}
      onPointerDown={writes ? press : undefined}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', issue.references.full);
        drag(issue);
      }}
      onDragEnd={() => drag(null)}
    >
      <div className={classes.cardHead}>
        <Link
          to={sign === '&' ? '/g/$path/epics/$iid' : '/p/$path/issues/$iid'}
          params={{ path: toSegment(path), iid: String(issue.iid) }}
          draggable={false}
          data-card={issue.id}
          onKeyDown={keyDown}
          aria-keyshortcuts={writes ? 'Shift+ArrowUp Shift+ArrowDown Shift+ArrowLeft Shift+ArrowRight' : undefined}
        >
          {issue.title}
        </Link>
        {writes ? (
          <MenuOnDemand
            of={cardMenu}
            props={{ column, columns, send }}
            target={
              <ActionIcon variant="subtle" size="sm" color="gray" aria-label={`Move ${issue.title}`}>
                <IconDots size={16} aria-hidden />
              </ActionIcon>
            }
          />
        ) : null}
      </div>
      <div className={classes.cardMeta}>
        {issue.confidential ? <IconEyeOff size={14} aria-label="Confidential" /> : null}
        <span>{full ? issue.references.full : issue.references.short}</span>
        {issue.weight === null ? null : <span title="Weight">{issue.weight} pt</span>}
        {issue.due_date ? <span>Due {dayText(issue.due_date)}</span> : null}
        {issue.labels.map((label) =>
          typeof label === 'string' ? (
            <span key={label} className={classes.plainLabel}>
              {label}
            </span>
          ) : (
            <LabelChip key={label.id} label={label} />
          ),
        )}
        <span className={classes.people}>
          {issue.assignees.map((person) => (
            <Avatar
              key={person.id}
              src={person.avatar_url ?? null}
              name={person.name}
              size={20}
              color="race"
              variant="filled"
              alt={`Assigned to ${person.name}`}
              title={person.name}
            />
          ))}
        </span>
      </div>
    </li>
  );
}
