/** One changed file: a sticky header that folds it, and its lines. */
import { ActionIcon, Button, Checkbox } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { memo, type RefObject, useEffect, useMemo, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { CopyButton } from '../CopyButton.tsx';
import { hiddenIn } from '../hidden/characters.ts';
import { HiddenAlert } from '../hidden/HiddenAlert.tsx';
import { DiffLines } from './DiffLines.tsx';
import classes from './diff.module.css';
import { FarLines, useFound } from './FarLines.tsx';
import { FileComments } from './FileComments.tsx';
import { parseHunks, startsFile, wholeFile } from './hunks.ts';
import type { FilePlace, FileReview, LineComments } from './line-comments.ts';
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
  comments?: LineComments | undefined;
  warn: boolean;
  /** The text of the file after the change, where all of it is shown. */
  text: string | null;
  /** Whether many lines are shown as well. */
  large: boolean;
  showLarge: () => void;
  /** Without colours, which would take the marks of the browser's search away. */
  plain: boolean;
}

function Body({ file, look, comments, warn, text, large, showLarge, plain }: BodyProps) {
  const lines = useMemo(() => {
    const hunks = parseHunks(file.diff);
    return text === null ? hunks : wholeFile(hunks, text);
  }, [file.diff, text]);
  const places = useMemo(
    () => (warn ? lines.reduce((sum, line) => sum + hiddenIn(line.text, startsFile(line)).length, 0) : 0),
    [warn, lines],
  );
  const tokens = useDiffTokens(file.new_path, lines, plain);
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
        <>
          <p className={classes.note}>
            <Button size="xs" variant="default" onClick={showLarge}>
              Show {lines.length} lines
            </Button>
          </p>
          <FarLines diff={file.diff} height={0} show={showLarge} />
        </>
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
  viewed: boolean;
}

interface BuiltFileProps extends DiffFileProps {
  readonly name: string;
  readonly open: boolean;
  fold(folded: boolean | null): void;
  readonly body: RefObject<HTMLDivElement | null>;
  /** The whole text of the file, once it is asked for, or where somebody commented outside of the hunks. */
  readonly text: string | null;
  setText(text: string | null): void;
  readonly large: boolean;
  showLarge(): void;
  readonly plain: boolean;
}

/** Shows the whole text of a file, or its hunks alone. */
function useWholeText({ file, review, open, comments, text, setText }: BuiltFileProps) {
  const possible = review !== undefined && !file.deleted_file && !file.new_file && file.diff.startsWith('@@');
  const loading = useMutation({
    mutationFn: async () => await review?.text(file),
    onSuccess: (all) => setText(all ?? null),
  });
  const { mutate } = loading;
  const wanted = open && text === null && possible && comments?.outside?.has(file.new_path) === true;
  useEffect(() => {
    if (wanted) mutate();
  }, [wanted, mutate]);
  return { possible, pending: loading.isPending, toggle: () => (text === null ? mutate() : setText(null)) };
}

const Counts = ({ count }: Pick<DiffFileProps, 'count'>) => (
  <span className={classes.counts}>
    <span className={classes.plus}>+{count.added}</span> <span className={classes.minus}>−{count.removed}</span>
  </span>
);

function BuiltFile(props: BuiltFileProps) {
  const { file, count, gitRef, review, name, viewed, open, fold, body, text } = props;
  const { path = '' } = useParams({ strict: false });
  const whole = useWholeText(props);
  const [place, setPlace] = useState<FilePlace | null>(null);
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <>
      <div className={classes.head}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          onClick={() => fold(open)}
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
        <Counts count={count} />
        {whole.possible && open ? (
          <Button size="compact-xs" variant="subtle" loading={whole.pending} onClick={whole.toggle}>
            {text === null ? 'Show whole file' : 'Show changes only'}
          </Button>
        ) : null}
        {review?.raw && props.comments?.fileForm && open ? (
          <Button size="compact-xs" variant="subtle" onClick={() => setPlace({ kind: 'file' })}>
            Comment on file
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
              fold(null);
            }}
          />
        ) : null}
      </div>
      {open ? (
        <div ref={body}>
          <FileComments file={file} comments={props.comments} raw={review?.raw} place={place} setPlace={setPlace} />
          <Body {...props} />
        </div>
      ) : null}
    </>
  );
}

/** Drawn again for its own sake alone: there may be hundreds of files. */
export const DiffFile = memo(function DiffFile(props: DiffFileProps) {
  const { file, count, viewed } = props;
  const [folded, fold] = useState<boolean | null>(null);
  const open = !(folded ?? viewed);
  const { section, body, built, build, height } = useBuilt(props.near);
  const [large, setLarge] = useState(false);
  const [text, setText] = useState<string | null>(null);
  const { plain, found } = useFound();
  const name = file.renamed_file ? `${file.old_path} → ${file.new_path}` : file.new_path;
  return (
    <section
      className={classes.file}
      ref={section}
      aria-label={name}
      id={fileAnchor(file.new_path)}
      data-file
      tabIndex={-1}
      // Whoever goes to it by key acts on it with the next one.
      onFocus={build}
    >
      {built ? (
        <BuiltFile
          {...props}
          {...{ name, open, fold, body, text, setText, large, plain }}
          showLarge={() => setLarge(true)}
        />
      ) : (
        <>
          <div className={classes.head}>
            <span className={classes.name}>{name}</span>
            <span className={classes.kind} />
            <Counts count={count} />
          </div>
          {open ? (
            <FarLines
              diff={file.diff}
              height={height ?? Math.min(largeLines, count.added + count.removed + 6) * 20}
              show={() => {
                found();
                build();
              }}
            />
          ) : null}
        </>
      )}
    </section>
  );
});
