/** One changed file: a sticky header that folds it, and its lines. */
import { ActionIcon, Button, Checkbox } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { CopyButton } from '../CopyButton.tsx';
import { hiddenIn } from '../hidden/characters.ts';
import { HiddenAlert } from '../hidden/HiddenAlert.tsx';
import { DiffLines } from './DiffLines.tsx';
import classes from './diff.module.css';
import { FileComments } from './FileComments.tsx';
import { parseHunks, startsFile, wholeFile } from './hunks.ts';
import type { FileReview, LineComments } from './line-comments.ts';
import { useDiffTokens } from './tokens.ts';
import { useBuilt } from './useBuilt.ts';
import type { DiffLook } from './view-mode.ts';

/** The id of a file's section in the page. */
export const fileAnchor = (path: string): string => `file-${path}`;

/** More lines than this are shown on demand. */
const largeLines = 1_500;
interface BodyProps {
  file: Schemas['FileDiff'];
  look: DiffLook;
  comments: LineComments | undefined;
  warn: boolean;
  /** The text of the file after the change, where all of it is shown. */
  text: string | null;
  /** Whether many lines are shown as well. */
  large: boolean;
  showLarge: () => void;
}

function Body({ file, look, comments, warn, text, large, showLarge }: BodyProps) {
  const lines = useMemo(() => {
    const hunks = parseHunks(file.diff);
    return text === null ? hunks : wholeFile(hunks, text);
  }, [file.diff, text]);
  const places = useMemo(
    () => (warn ? lines.reduce((sum, line) => sum + hiddenIn(line.text, startsFile(line)).length, 0) : 0),
    [warn, lines],
  );
  const tokens = useDiffTokens(file.new_path, lines);
  if (lines.length === 0) {
    const reason = file.too_large
      ? 'This diff is too large to be shown.'
      : file.collapsed
        ? 'This diff is collapsed because there are many changes.'
        : file.renamed_file
          ? 'Renamed without changes.'
          : file.a_mode !== file.b_mode && !file.new_file && !file.deleted_file
            ? `Mode changed from ${file.a_mode} to ${file.b_mode}.`
            : 'Empty or binary file: there are no lines to show.';
    return <p className={classes.note}>{reason}</p>;
  }
  return (
    <>
      <HiddenAlert places={places} />
      {large || lines.length <= largeLines ? (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={`Diff of ${file.new_path}`}>
          <DiffLines {...{ file, lines, look, comments, tokens }} marked={places > 0} />
        </div>
      ) : (
        <p className={classes.note}>
          <Button size="xs" variant="default" onClick={showLarge}>
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
  /** Viewed marks, and the whole text of files, where the page has them. */
  review?: FileReview | undefined;
}

/** The whole text of the file, once it is asked for, or where somebody commented outside of the hunks. */
function useWholeText(file: Schemas['FileDiff'], review: FileReview | undefined, wanted: boolean) {
  const [text, setText] = useState<string | null>(null);
  const possible = review !== undefined && !file.deleted_file && !file.new_file && file.diff.startsWith('@@');
  const loading = useMutation({
    mutationFn: async () => await review?.text(file),
    onSuccess: (all) => setText(all ?? null),
  });
  const { mutate } = loading;
  useEffect(() => {
    if (wanted && possible) mutate();
  }, [wanted, possible, mutate]);
  return { text, possible, pending: loading.isPending, toggle: () => (text === null ? mutate() : setText(null)) };
}

export function DiffFile({ file, count, look, gitRef, near, comments, warn, review }: DiffFileProps) {
  const { path = '' } = useParams({ strict: false });
  const viewed = review?.isViewed(file) ?? false;
  const [folded, setFolded] = useState<boolean | null>(null);
  const open = !(folded ?? viewed);
  const whole = useWholeText(file, review, open && comments?.outside?.has(file.new_path) === true);
  const { section, body, built, height } = useBuilt(near);
  const [large, setLarge] = useState(false);
  const name = file.renamed_file ? `${file.old_path} → ${file.new_path}` : file.new_path;
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <section
      className={classes.file}
      ref={section}
      aria-label={name}
      id={fileAnchor(file.new_path)}
      data-file
      tabIndex={-1}
    >
      <div className={classes.head}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          onClick={() => setFolded(open)}
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
        {whole.possible && open ? (
          <Button size="compact-xs" variant="subtle" loading={whole.pending} onClick={whole.toggle}>
            {whole.text === null ? 'Show whole file' : 'Show changes only'}
          </Button>
        ) : null}
        {review ? (
          <Checkbox
            size="xs"
            label="Viewed"
            data-viewed
            checked={viewed}
            onChange={(event) => {
              review.setViewed(file, event.currentTarget.checked);
              setFolded(null);
            }}
          />
        ) : null}
      </div>
      {open ? (
        built ? (
          <div ref={body}>
            <FileComments file={file} comments={comments} raw={review?.raw} />
            <Body {...{ file, look, comments, warn, large }} text={whole.text} showLarge={() => setLarge(true)} />
          </div>
        ) : (
          <div style={{ height: height ?? Math.min(largeLines, count.added + count.removed + 6) * 20 }} />
        )
      ) : null}
    </section>
  );
}
