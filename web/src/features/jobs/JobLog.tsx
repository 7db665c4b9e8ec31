/** The log of a job as a terminal shows it: colours, folding sections, line links, following the end. */
import { ActionIcon, Switch } from '@mantine/core';
import { useFullscreenElement, useLocalStorage } from '@mantine/hooks';
import {
  IconChevronDown,
  IconChevronRight,
  IconDownload,
  IconMaximize,
  IconMinimize,
  IconTextWrap,
} from '@tabler/icons-react';
import { type CSSProperties, memo, useEffect, useMemo, useRef, useState } from 'react';
import { type Line, parseLog, type Section, type Style } from '../../lib/ansi/log.ts';
import { duration } from '../../lib/time.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { clickedLine, LineNumber, moveByLine } from '../../ui/code/LineNumber.tsx';
import type { LineRange } from '../../ui/code/lines.ts';
import { useLineHash } from '../../ui/code/useLineHash.ts';
import { palette } from './colours.ts';
import { LogParts } from './LogParts.tsx';
import { LogSearch } from './LogSearch.tsx';
import classes from './log.module.css';
import type { Trace } from './trace.ts';
import { useFarLines } from './useFarLines.ts';
import { foldedSections, sameLines, visibleLines } from './visible.ts';

const chunkLines = 200;

function spanStyle(style: Style) {
  return {
    ...(style.color === null ? {} : { color: palette(style.color) }),
    ...(style.background === null ? {} : { background: palette(style.background) }),
    ...(style.bold ? { fontWeight: 600 } : {}),
    ...(style.dim ? { opacity: 0.8 } : {}),
    ...(style.italic ? { fontStyle: 'italic' } : {}),
    ...(style.underline ? { textDecoration: 'underline' } : {}),
  };
}

interface ChunkProps {
  lines: readonly Line[];
  sections: ReadonlyMap<string, Section>;
  folded: ReadonlySet<string>;
  range: LineRange | null;
  /** The line at whose number the Tab key stops. */
  stop: number;
}

function LogLine({ line, sections, folded, range, stop }: Omit<ChunkProps, 'lines'> & { line: Line }) {
  const section = line.opens === null ? undefined : sections.get(line.opens);
  const chosen = range !== null && line.number >= range.from && line.number <= range.to;
  const Icon = section && folded.has(section.name) ? IconChevronRight : IconChevronDown;
  return (
    <div className={classes.line} data-chosen={chosen || undefined} data-opens={section ? true : undefined}>
      <LineNumber number={line.number} stop={line.number === stop} className={classes.number} />
      {section ? (
        <button
          type="button"
          className={classes.fold}
          data-section={section.name}
          aria-expanded={!folded.has(section.name)}
          aria-label={`Section ${section.name}`}
        >
          <Icon size={14} />
        </button>
      ) : null}
      <code className={classes.text} {...(line.at === null ? {} : { title: line.at })}>
        {line.spans.map((span, index) => (
          <span key={`${index}:${span.text.length}`} style={spanStyle(span.style)}>
            {span.text}
          </span>
        ))}
        {'\n'}
      </code>
      {section?.endedAt ? <span className={classes.time}>{duration(section.endedAt - section.startedAt)}</span> : null}
    </div>
  );
}

/** Times of sections only arrive at their end, which adds lines; so lines and folds say all. */
const Chunk = memo(
  function Chunk({ lines, ...rest }: ChunkProps) {
    return (
      <div className={classes.chunk} style={{ containIntrinsicSize: `auto ${lines.length * 20}px` }}>
        {lines.map((line) => (
          <LogLine key={line.number} line={line} {...rest} />
        ))}
      </div>
    );
  },
  (before, after) =>
    before.folded === after.folded &&
    before.range?.from === after.range?.from &&
    before.range?.to === after.range?.to &&
    before.stop === after.stop &&
    before.sections.size === after.sections.size &&
    sameLines(before.lines, after.lines),
);

interface JobLogProps {
  trace: Trace;
  /** Where the log is as it was written. */
  raw: string;
  running: boolean;
  /** Of the downloaded file. */
  fileName: string;
}

/** Room for numbers of more than three digits, 8 pixels each. */
const numberWidth = (last: number) =>
  last < 1000 ? undefined : ({ '--number-width': `${String(last).length * 8}px` } as CSSProperties);

/** Buttons that change how the log is shown. */
function LogTools({ raw, fileName, wrap, setWrap, full, toggleFull }: LogToolsProps) {
  return (
    <>
      <ActionIcon
        title={wrap ? 'Do not wrap lines' : 'Wrap lines'}
        variant="subtle"
        color="gray"
        size={28}
        aria-label="Wrap lines"
        aria-pressed={wrap}
        onClick={() => setWrap(!wrap)}
      >
        <IconTextWrap size={16} />
      </ActionIcon>
      <ActionIcon
        title="Download"
        component="a"
        variant="subtle"
        color="gray"
        size={28}
        href={raw}
        download={fileName}
        aria-label="Download the log"
      >
        <IconDownload size={16} />
      </ActionIcon>
      <ActionIcon
        title={full ? 'Exit full screen' : 'Full screen'}
        variant="subtle"
        color="gray"
        size={28}
        aria-label={full ? 'Exit full screen' : 'Full screen'}
        onClick={() => void toggleFull()}
      >
        {full ? <IconMinimize size={16} /> : <IconMaximize size={16} />}
      </ActionIcon>
    </>
  );
}

interface LogToolsProps {
  readonly raw: string;
  readonly fileName: string;
  readonly wrap: boolean;
  readonly full: boolean;
  setWrap(wrap: boolean): void;
  toggleFull(): Promise<void>;
}

export function JobLog({ trace, raw, running, fileName }: JobLogProps) {
  const { text, firstLine } = trace;
  const whole = trace.atStart && trace.atEnd;
  const log = useMemo(() => parseLog(text, firstLine), [text, firstLine]);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [follow, setFollow] = useState(running);
  const key = [...foldedSections(log, turned)].join(' ');
  const folded = useMemo(() => new Set(key === '' ? [] : key.split(' ')), [key]);
  const lines = useMemo(() => visibleLines(log, folded), [log, folded]);
  const [wrap, setWrap] = useLocalStorage({
    key: 'millrace-log-wrap',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const { ref: box, toggle: toggleFull, fullscreen: full } = useFullscreenElement<HTMLElement>();
  const container = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const { range, choose } = useLineHash(container, log.lines.length > 0 && firstLine);
  const { goTo } = useFarLines(container, trace, log.lines.length, range);
  const count = lines.length;
  useEffect(() => {
    if (follow && running && count > 0) end.current?.scrollIntoView({ block: 'end' });
  }, [follow, running, count]);
  const chunks = Array.from({ length: Math.ceil(count / chunkLines) }, (_, index) =>
    lines.slice(index * chunkLines, (index + 1) * chunkLines),
  );
  return (
    <section aria-label="Log" className={classes.box} ref={box} data-full={full || undefined}>
      <div className={classes.bar}>
        {whole ? <span>{log.lines.length === 1 ? '1 line' : `${log.lines.length} lines`}</span> : null}
        <LogParts trace={trace} count={log.lines.length} moved={() => setFollow(false)} />
        {trace.failed ? <span role="alert">The log could not be loaded.</span> : null}
        <LogSearch
          log={log}
          trace={trace}
          raw={raw}
          found={(line) => {
            setFollow(false);
            // A folded section would hide it.
            setTurned(new Set([...log.sections.keys()].filter((name) => foldedSections(log, new Set()).has(name))));
            choose(line, false);
            goTo(line);
          }}
        />
        <div className={classes.grow} />
        <a href={raw} target="_blank" rel="noreferrer">
          Raw
        </a>
        {running ? (
          <Switch
            size="xs"
            label="Follow"
            checked={follow}
            onChange={(event) => setFollow(event.currentTarget.checked)}
          />
        ) : null}
        <LogTools raw={raw} fileName={fileName} wrap={wrap} setWrap={setWrap} full={full} toggleFull={toggleFull} />
        {whole ? (
          <CopyButton
            value={log.lines.map((line) => line.spans.map((span) => span.text).join('')).join('\n')}
            label="Copy the log"
          />
        ) : null}
      </div>
      <div
        className={classes.log}
        style={numberWidth(log.lines.at(-1)?.number ?? 0)}
        data-wrap={wrap || undefined}
        ref={container}
        tabIndex={0}
        role="log"
        aria-label="Log of the job"
        aria-live="off"
        onClick={(event) => {
          const target = event.target as HTMLElement;
          const section = target.closest('button')?.dataset.section;
          if (section)
            setTurned(
              (before) =>
                new Set(before.has(section) ? [...before].filter((name) => name !== section) : [...before, section]),
            );
          const line = clickedLine(event);
          if (line === undefined) return;
          setFollow(false);
          choose(line, event.shiftKey);
        }}
        onKeyDown={moveByLine}
      >
        {chunks.map((chunk) => (
          <Chunk
            key={chunk[0]?.number}
            lines={chunk}
            sections={log.sections}
            folded={folded}
            range={range}
            stop={range?.from ?? firstLine}
          />
        ))}
        {count === 0 ? <p className={classes.waiting}>{running ? 'No output yet.' : 'The log is empty.'}</p> : null}
      </div>
      <div ref={end} />
    </section>
  );
}
