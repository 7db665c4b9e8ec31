/** One changed file: a sticky header that folds it, and its lines. */
import { ActionIcon, Button } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { Fragment, memo, useEffect, useMemo, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { CopyButton } from '../CopyButton.tsx';
import classes from './diff.module.css';
import { type DiffLine, pairLines, parseHunks } from './hunks.ts';
import type { DiffLook } from './look.ts';

/** More lines than this are shown on demand. */
const largeLines = 1_500;
const signs = { added: '+', removed: '−', same: ' ', hunk: '', note: '' } as const;

const Unified = memo(function Unified({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <tbody>
      {lines.map((line, index) => (
        <tr key={`${line.kind}${line.old}:${line.now}:${index}`} data-kind={line.kind}>
          <td className={classes.number} data-line={line.old ?? ''} />
          <td className={classes.number} data-line={line.now ?? ''} />
          <td className={classes.text}>
            <span className={classes.sign}>{signs[line.kind]}</span>
            {line.text}
          </td>
        </tr>
      ))}
    </tbody>
  );
});

function Half({ line, side }: { line: DiffLine | null; side: 'old' | 'now' }) {
  if (!line) return <td className={classes.nothing} colSpan={2} />;
  return (
    <>
      <td className={classes.number} data-kind={line.kind} data-line={line[side] ?? ''} />
      <td className={classes.text} data-kind={line.kind}>
        <span className={classes.sign}>{signs[line.kind]}</span>
        {line.text}
      </td>
    </>
  );
}

const Split = memo(function Split({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <tbody>
      {pairLines(lines).map(({ left, right }, index) => (
        <tr key={`${left?.old}:${right?.now}:${index}`} data-kind={left === right ? left?.kind : undefined}>
          {left?.kind === 'hunk' ? (
            <td colSpan={4} className={classes.text}>
              {left.text}
            </td>
          ) : (
            <Fragment>
              <Half line={left} side="old" />
              <Half line={right} side="now" />
            </Fragment>
          )}
        </tr>
      ))}
    </tbody>
  );
});

function Body({ file, look }: { file: Schemas['FileDiff']; look: DiffLook }) {
  const lines = useMemo(() => parseHunks(file.diff), [file.diff]);
  const [whole, setWhole] = useState(lines.length <= largeLines);
  if (lines.length === 0) {
    const reason = file.too_large
      ? 'This diff is too large to be shown.'
      : file.collapsed
        ? 'This diff is left out because there are many changes.'
        : file.renamed_file
          ? 'Renamed without changes.'
          : file.a_mode !== file.b_mode && !file.new_file && !file.deleted_file
            ? `Mode changed from ${file.a_mode} to ${file.b_mode}.`
            : 'Empty or binary: there are no lines to show.';
    return <p className={classes.note}>{reason}</p>;
  }
  if (!whole) {
    return (
      <p className={classes.note}>
        <Button size="xs" variant="default" onClick={() => setWhole(true)}>
          Show {lines.length} lines
        </Button>
      </p>
    );
  }
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={`Diff of ${file.new_path}`}>
      <table className={classes.table} data-look={look}>
        {look === 'Split' ? <Split lines={lines} /> : <Unified lines={lines} />}
      </table>
    </div>
  );
}

interface DiffFileProps {
  file: Schemas['FileDiff'];
  count: { added: number; removed: number };
  look: DiffLook;
  gitRef: string;
  /** Built at once, without waiting for the window to come near. */
  near: boolean;
}

export function DiffFile({ file, count, look, gitRef, near }: DiffFileProps) {
  const { path = '' } = useParams({ strict: false });
  const [open, setOpen] = useState(true);
  const [seen, setSeen] = useState(near);
  const { ref, entry } = useIntersection({ rootMargin: '800px' });
  useEffect(() => {
    if (entry?.isIntersecting) setSeen(true);
  }, [entry?.isIntersecting]);
  const name = file.renamed_file ? `${file.old_path} → ${file.new_path}` : file.new_path;
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <section className={classes.file} ref={ref} aria-label={name}>
      <div className={classes.head}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          onClick={() => setOpen(!open)}
          aria-expanded={open}
          aria-label={open ? `Fold ${name}` : `Unfold ${name}`}
        >
          <Icon size={16} />
        </ActionIcon>
        {file.deleted_file ? (
          <span className={classes.name}>{name}</span>
        ) : (
          <Link to="/p/$path/blob/$" params={{ path, _splat: `${gitRef}/${file.new_path}` }} className={classes.name}>
            {name}
          </Link>
        )}
        <CopyButton value={file.new_path} label="Copy the path" />
        <span className={classes.kind}>
          {file.new_file ? 'new' : file.deleted_file ? 'deleted' : file.renamed_file ? 'renamed' : ''}
        </span>
        <span className={classes.counts}>
          <span className={classes.plus}>+{count.added}</span> <span className={classes.minus}>−{count.removed}</span>
        </span>
      </div>
      {open ? (
        seen ? (
          <Body file={file} look={look} />
        ) : (
          <div style={{ height: Math.min(largeLines, count.added + count.removed + 6) * 20 }} />
        )
      ) : null}
    </section>
  );
}
