/** One changed file: a sticky header that folds it, and its lines. */
import { ActionIcon, Button } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { CopyButton } from '../CopyButton.tsx';
import { hiddenIn } from '../hidden/characters.ts';
import { HiddenAlert } from '../hidden/HiddenAlert.tsx';
import { DiffLines } from './DiffLines.tsx';
import classes from './diff.module.css';
import { parseHunks, startsFile } from './hunks.ts';
import type { LineComments } from './line-comments.ts';
import type { DiffLook } from './view-mode.ts';

/** More lines than this are shown on demand. */
const largeLines = 1_500;
interface BodyProps {
  file: Schemas['FileDiff'];
  look: DiffLook;
  comments: LineComments | undefined;
  warn: boolean;
}

function Body({ file, look, comments, warn }: BodyProps) {
  const lines = useMemo(() => parseHunks(file.diff), [file.diff]);
  const places = useMemo(
    () => (warn ? lines.reduce((sum, line) => sum + hiddenIn(line.text, startsFile(line)).length, 0) : 0),
    [warn, lines],
  );
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
  return (
    <>
      <HiddenAlert places={places} />
      {whole ? (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={`Diff of ${file.new_path}`}>
          <DiffLines {...{ file, lines, look, comments }} marked={places > 0} />
        </div>
      ) : (
        <p className={classes.note}>
          <Button size="xs" variant="default" onClick={() => setWhole(true)}>
            Show {lines.length} lines
          </Button>
        </p>
      )}
    </>
  );
}

interface DiffFileProps {
  file: Schemas['FileDiff'];
  count: { added: number; removed: number };
  look: DiffLook;
  gitRef: string;
  /** Built at once, without waiting for the window to come near. */
  near: boolean;
  comments?: LineComments | undefined;
  /** Whether characters that nobody sees are shown and told. */
  warn: boolean;
}

export function DiffFile({ file, count, look, gitRef, near, comments, warn }: DiffFileProps) {
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
          <Body {...{ file, look, comments, warn }} />
        ) : (
          <div style={{ height: Math.min(largeLines, count.added + count.removed + 6) * 20 }} />
        )
      ) : null}
    </section>
  );
}
