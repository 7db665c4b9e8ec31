/** The lines of one changed file, in one column or two, with what is said at them below them. */
import { Fragment, memo, type ReactNode, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { coloured } from '../code/CodeLine.tsx';
import { markedLine } from '../hidden/MarkedText.tsx';
import { useCoverage } from './coverage.ts';
import classes from './diff.module.css';
import { useFindings } from './findings.tsx';
import { type DiffLine, pairLines, startsFile } from './hunks.ts';
import { type LineComments, lineKey, moveBetweenLines } from './line-comments.ts';
import type { DiffTokens } from './tokens.ts';
import type { DiffLook } from './view-mode.ts';

const signs = { added: '+', removed: '−', same: ' ', hunk: '', note: '' } as const;

interface LinesProps {
  readonly file: Schemas['FileDiff'];
  readonly lines: readonly DiffLine[];
  readonly comments: LineComments | undefined;
  /** Whether characters that nobody sees are shown. */
  readonly marked: boolean;
  readonly tokens: DiffTokens | null;
}

function textOf(line: DiffLine, marked: boolean, tokens: DiffTokens | null): ReactNode {
  const pieces = tokens?.get(line);
  if (pieces) return coloured(line.text, pieces, marked, startsFile(line));
  return marked ? markedLine(line.text, startsFile(line)) : line.text;
}

interface Talk {
  /** The button beside a line that opens a form; the first one of the file is reached by Tab. */
  button(line: DiffLine, first: boolean): ReactNode;
  /** Whether anything stands below a line. */
  below(line: DiffLine | null): ReactNode;
}

interface Opened {
  readonly first: DiffLine;
  readonly last: DiffLine;
}

/** Lines of one side, of which a range may be commented on. */
const sameSide = (one: DiffLine, other: DiffLine) => (one.now === null) === (other.now === null);

function rangeOf(lines: readonly DiffLine[], from: DiffLine, to: DiffLine): Opened {
  return lines.indexOf(from) <= lines.indexOf(to) ? { first: from, last: to } : { first: to, last: from };
}

function useTalk(file: Schemas['FileDiff'], lines: readonly DiffLine[], comments: LineComments | undefined): Talk {
  const [open, setOpen] = useState<Opened | null>(null);
  const path = file.new_path;
  return {
    button: (line, first) =>
      comments?.form && line.kind !== 'hunk' && line.kind !== 'note' ? (
        <button
          type="button"
          className={classes.comment}
          data-comment
          tabIndex={first ? 0 : -1}
          title="Comment on this line. Hold Shift to comment on the lines from the one chosen before."
          aria-label={`Comment on line ${line.now ?? line.old}${line.now === null ? ' before the change' : ''}`}
          onClick={(event) =>
            setOpen((before) =>
              event.shiftKey && before && sameSide(before.first, line)
                ? rangeOf(lines, before.first, line)
                : { first: line, last: line },
            )
          }
        >
          +
        </button>
      ) : null,
    below(line) {
      if (!line || !comments) return null;
      const said = comments.said.get(lineKey(path, line));
      const text = () =>
        lines
          .slice(open ? lines.indexOf(open.first) : 0, lines.indexOf(line) + 1)
          .flatMap((each) => (each.now === null ? [] : [each.text]));
      const form =
        open && open.last === line
          ? comments.form?.(file, { ...open, text: text() }, () =>
              setOpen((current) => (current === open ? null : current)),
            )
          : null;
      return said || form ? (
        <>
          {said}
          {form}
        </>
      ) : null;
    },
  };
}

const Below = ({ columns, children }: { columns: number; children: ReactNode }) =>
  children ? (
    <tr>
      <td colSpan={columns} className={classes.talk}>
        {children}
      </td>
    </tr>
  ) : null;

const Unified = memo(function Unified({ file, lines, comments, marked, tokens }: LinesProps) {
  const talk = useTalk(file, lines, comments);
  const covered = useCoverage(file.new_path);
  const found = useFindings(file.new_path);
  const first = lines.find(({ kind }) => kind !== 'hunk' && kind !== 'note');
  return (
    <tbody onKeyDown={moveBetweenLines}>
      {lines.map((line, index) => (
        <Fragment key={`${line.kind}${line.old}:${line.now}:${index}`}>
          <tr data-kind={line.kind}>
            <td className={classes.number} data-line={line.old ?? ''} />
            <td className={classes.number} data-line={line.now ?? ''} {...covered(line.now)} />
            <td className={classes.text}>
              {talk.button(line, line === first)}
              <span className={classes.sign}>{signs[line.kind]}</span>
              {textOf(line, marked, tokens)}
            </td>
          </tr>
          <Below columns={3}>{found(line)}</Below>
          <Below columns={3}>{talk.below(line)}</Below>
        </Fragment>
      ))}
    </tbody>
  );
});

interface HalfProps {
  readonly line: DiffLine | null;
  readonly side: 'old' | 'now';
  readonly button: ReactNode;
  readonly marked: boolean;
  readonly tokens: DiffTokens | null;
  readonly covered?: ReturnType<ReturnType<typeof useCoverage>>;
}

function Half({ line, side, button, marked, tokens, covered = {} }: HalfProps) {
  if (!line) return <td className={classes.nothing} colSpan={2} />;
  return (
    <>
      <td className={classes.number} data-kind={line.kind} data-line={line[side] ?? ''} {...covered} />
      <td className={classes.text} data-kind={line.kind}>
        {button}
        <span className={classes.sign}>{signs[line.kind]}</span>
        {textOf(line, marked, tokens)}
      </td>
    </>
  );
}

const Split = memo(function Split({ file, lines, comments, marked, tokens }: LinesProps) {
  const talk = useTalk(file, lines, comments);
  const covered = useCoverage(file.new_path);
  const found = useFindings(file.new_path);
  const first = lines.find(({ kind }) => kind !== 'hunk' && kind !== 'note');
  return (
    <tbody onKeyDown={moveBetweenLines}>
      {pairLines(lines).map(({ left, right }, index) => (
        <Fragment key={`${left?.old}:${right?.now}:${index}`}>
          <tr data-kind={left === right ? left?.kind : undefined}>
            {left?.kind === 'hunk' ? (
              <td colSpan={4} className={classes.text}>
                {textOf(left, marked, tokens)}
              </td>
            ) : (
              <>
                <Half
                  line={left}
                  side="old"
                  button={left && left !== right ? talk.button(left, left === first) : null}
                  marked={marked}
                  tokens={tokens}
                />
                <Half
                  line={right}
                  side="now"
                  covered={covered(right?.now ?? null)}
                  button={right ? talk.button(right, right === first) : null}
                  marked={marked}
                  tokens={tokens}
                />
              </>
            )}
          </tr>
          {left === right ? null : <Below columns={4}>{talk.below(left)}</Below>}
          <Below columns={4}>{found(right)}</Below>
          <Below columns={4}>{talk.below(right)}</Below>
        </Fragment>
      ))}
    </tbody>
  );
});

/**
 * Widths of the columns of two sides. With a fixed layout the first row gives them otherwise, and the first row of a diff
 * is a single cell: all four columns would be equally wide.
 */
function SplitColumns({ lines }: { lines: readonly DiffLine[] }) {
  const last = lines.reduce((most, { old, now }) => Math.max(most, old ?? 0, now ?? 0), 0);
  const width = `calc(${String(last).length}ch + 18px)`;
  return (
    <colgroup>
      <col style={{ width }} />
      <col />
      <col style={{ width }} />
      <col />
    </colgroup>
  );
}

export function DiffLines({ look, ...props }: LinesProps & { look: DiffLook }) {
  return (
    <table className={classes.table} data-look={look}>
      {look === 'Split' ? <SplitColumns lines={props.lines} /> : null}
      {look === 'Split' ? <Split {...props} /> : <Unified {...props} />}
    </table>
  );
}
