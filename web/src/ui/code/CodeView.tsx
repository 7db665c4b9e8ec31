/** A file's text with line numbers that are links, highlighted when the worker has answered. */
import { memo, useMemo, useRef } from 'react';
import { CodeLine } from './CodeLine.tsx';
import classes from './code.module.css';
import { type TokenLines, useHighlight } from './highlight.ts';
import { clickedLine, moveByLine } from './LineNumber.tsx';
import { languageOf } from './languages.ts';
import { type LineRange, linesOf } from './lines.ts';
import { nameAt } from './names.ts';
import { useLineHash } from './useLineHash.ts';

/** Lines that are laid out together: what is outside the window costs nothing. */
const chunkLines = 100;

function slices<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / chunkLines) }, (_, index) =>
    all.slice(index * chunkLines, (index + 1) * chunkLines),
  );
}

interface ChunkProps {
  start: number;
  lines: readonly string[];
  tokens: TokenLines | null;
  range: LineRange | null;
  /** The line at whose number the Tab key stops, where it is one of these. */
  stop: number | null;
  marked: boolean;
}

const Chunk = memo(function Chunk({ start, lines, tokens, range, stop, marked }: ChunkProps) {
  return (
    <div className={classes.chunk} style={{ containIntrinsicSize: `auto ${lines.length * 20}px` }}>
      {lines.map((line, index) => {
        const number = start + index + 1;
        const chosen = range !== null && number >= range.from && number <= range.to;
        return (
          <CodeLine
            key={number}
            {...{ number, text: line, tokens: tokens?.[index], chosen, stop: number === stop, marked }}
          />
        );
      })}
    </div>
  );
});

interface CodeViewProps {
  text: string;
  fileName: string;
  /** Whether characters that nobody sees are shown, where there are any. */
  marked: boolean;
  /** Called with a name in the text that is clicked while Ctrl or Command is held. */
  pointedAt?: ((name: string) => void) | undefined;
}

export function CodeView({ text, fileName, marked, pointedAt }: CodeViewProps) {
  const lines = useMemo(() => linesOf(text), [text]);
  const tokens = useHighlight(text, languageOf(fileName));
  const container = useRef<HTMLDivElement>(null);
  const { range, choose } = useLineHash(container, true);
  const chunks = useMemo(() => slices(lines), [lines]);
  const coloured = useMemo(() => (tokens ? slices(tokens) : null), [tokens]);
  return (
    <div
      className={classes.view}
      ref={container}
      tabIndex={0}
      role="region"
      aria-label={`Contents of ${fileName}`}
      onClick={(event) => {
        const line = clickedLine(event);
        if (line !== undefined) choose(line, event.shiftKey);
        else if (pointedAt && (event.ctrlKey || event.metaKey)) {
          const name = nameAt(event.clientX, event.clientY);
          if (name !== null) pointedAt(name);
        }
      }}
      onKeyDown={moveByLine}
    >
      {chunks.map((chunk, index) => {
        const start = index * chunkLines;
        const stop = range?.from ?? 1;
        const inside = range !== null && range.to > start && range.from <= start + chunkLines;
        return (
          <Chunk
            key={start}
            start={start}
            lines={chunk}
            tokens={coloured?.[index] ?? null}
            range={inside ? range : null}
            stop={stop > start && stop <= start + chunkLines ? stop : null}
            marked={marked}
          />
        );
      })}
    </div>
  );
}
