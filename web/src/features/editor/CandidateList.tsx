/** The completions that a text area offers, below the word that is being typed. */
import type { CSSProperties } from 'react';
import classes from './editor.module.css';
import type { useCompletion } from './useCompletion.ts';

interface Props {
  readonly id: string;
  readonly completion: ReturnType<typeof useCompletion>;
}

export function CandidateList({ id, completion: { opened, offered, active, choose } }: Props) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Completions"
      className={classes.candidates}
      style={{ left: opened?.left ?? 0, '--below': `${opened?.top ?? 0}px` } as CSSProperties}
    >
      {offered.map((candidate, at) => (
        <div
          key={candidate.insert}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          className={classes.candidate}
          // The field keeps the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            choose(candidate);
          }}
        >
          {candidate.color ? <span className={classes.color} style={{ background: candidate.color }} /> : null}
          <span className={classes.name}>{candidate.label}</span>
          {candidate.hint ? <span className={classes.hint}>{candidate.hint}</span> : null}
        </div>
      ))}
    </div>
  );
}
