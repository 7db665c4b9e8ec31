/** Search in a log: how many lines hold the text, and from one to the next. */
import { TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Line } from '../../lib/ansi/log.ts';
import classes from './log.module.css';

interface LogSearchProps {
  log: { readonly lines: readonly Line[] };
  /** Called with the number of the line to show. */
  found: (line: number) => void;
}

export function LogSearch({ log, found }: LogSearchProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(-1);
  const wanted = text.toLowerCase();
  const hits = useMemo(() => {
    if (wanted === '') return [];
    const holds = (line: Line) =>
      line.spans
        .map((span) => span.text)
        .join('')
        .toLowerCase()
        .includes(wanted);
    return log.lines.filter(holds).map((line) => line.number);
  }, [log, wanted]);
  const go = (step: number) => {
    if (hits.length === 0) return;
    const next = at === -1 && step < 0 ? hits.length - 1 : (at + step + hits.length) % hits.length;
    setAt(next);
    found(hits[next] ?? 1);
  };
  return (
    <>
      <TextInput
        size="xs"
        aria-label="Search in the log"
        placeholder="Search in the log"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(-1);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          go(event.shiftKey ? -1 : 1);
        }}
      />
      <span className={classes.hits} aria-live="polite">
        {wanted === ''
          ? ''
          : hits.length === 0
            ? 'No matches'
            : `${at < 0 ? hits.length : `${at + 1} of ${hits.length}`} lines`}
      </span>
    </>
  );
}
