/** Moves through a log that is shown in parts. */
import { Button } from '@mantine/core';
import classes from './log.module.css';
import type { Trace } from './trace.ts';

const number = new Intl.NumberFormat('en');

export function LogParts({ trace, count, moved }: { trace: Trace; count: number; moved: () => void }) {
  if (trace.atStart && trace.atEnd) return null;
  const buttons = [
    { label: 'First', go: trace.first, off: trace.atStart },
    { label: 'Previous', go: trace.previous, off: trace.atStart },
    { label: 'Next', go: trace.next, off: trace.atEnd },
    { label: 'Last', go: trace.last, off: trace.atEnd },
  ];
  const last = trace.firstLine + count - 1;
  return (
    <nav className={classes.parts} aria-label="Parts of the log">
      <span>
        Lines {number.format(trace.firstLine)} to {number.format(last)}
        {trace.lines === null ? '' : ` of ${number.format(Math.max(trace.lines, last))}`}
      </span>
      {buttons.map(({ label, go, off }) => (
        <Button
          key={label}
          size="compact-xs"
          variant="default"
          disabled={off}
          onClick={() => {
            moved();
            go();
          }}
        >
          {label}
        </Button>
      ))}
    </nav>
  );
}
