/** Search in a log: how many lines hold the text, and from one to the next. */
import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Line } from '../../lib/ansi/log.ts';
import classes from './log.module.css';
import type { Trace } from './trace.ts';

interface LogSearchProps {
  log: { readonly lines: readonly Line[] };
  trace: Trace;
  raw: string;
  /** Called with the number of the line to show. */
  found: (line: number) => void;
}

const settleMilliseconds = 300;

/** Numbers of the lines that hold the text; null until the server has looked through a long log. */
function useHits({ log, trace, raw }: LogSearchProps, wanted: string) {
  const whole = trace.atStart && trace.atEnd;
  const [settled] = useDebouncedValue(wanted, settleMilliseconds);
  const asked = useQuery({
    queryKey: ['log-search', raw, settled],
    queryFn: () => trace.search(settled),
    enabled: !whole && settled !== '',
    staleTime: 10_000,
  });
  const here = useMemo(() => {
    if (wanted === '' || !whole) return [];
    const holds = (line: Line) =>
      line.spans
        .map((span) => span.text)
        .join('')
        .toLowerCase()
        .includes(wanted);
    return log.lines.filter(holds).map((line) => line.number);
  }, [log, wanted, whole]);
  if (whole) return { hits: here, more: false, failed: false };
  const matches = settled === wanted ? asked.data?.matches : undefined;
  return { hits: matches?.map(({ line }) => line) ?? null, more: asked.data?.more ?? false, failed: asked.isError };
}

function summary(wanted: string, at: number, { hits, more, failed }: ReturnType<typeof useHits>): string {
  if (wanted === '') return '';
  if (failed) return 'The search failed';
  if (hits === null) return 'Searching…';
  if (hits.length === 0) return 'No matches';
  const count = `${hits.length}${more ? '+' : ''}`;
  return `${at < 0 ? count : `${at + 1} of ${count}`} lines`;
}

export function LogSearch(props: LogSearchProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(-1);
  const wanted = text.toLowerCase();
  const result = useHits(props, wanted);
  const go = (step: number) => {
    const { hits } = result;
    if (hits === null || hits.length === 0) return;
    const next = at === -1 && step < 0 ? hits.length - 1 : (at + step + hits.length) % hits.length;
    setAt(next);
    props.found(hits[next] ?? 1);
  };
  return (
    <>
      <TextInput
        size="xs"
        aria-label="Search in the log"
        data-filter
        placeholder="Search in the log"
        value={text}
        maxLength={200}
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
        {summary(wanted, at, result)}
      </span>
    </>
  );
}
