/** The text of a configuration, with suggestions: as it is typed, or on Ctrl Space. */
import { Textarea } from '@mantine/core';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import files from '../files/files.module.css';
import { type Completion, complete, completionAt } from './completion.ts';
import classes from './lint.module.css';

interface Props {
  readonly value: string;
  readonly description: string | undefined;
  change(text: string): void;
  /** Ctrl Enter. */
  submit(): void;
}

export function ConfigurationField({ value, description, change, submit }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [offered, setOffered] = useState<Completion | null>(null);
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const offer = (text: string, position: number) => {
    setOffered(completionAt(text, position));
    setChosen(0);
  };
  const take = (option: string) => {
    const area = field.current;
    if (!area || !offered) return;
    const next = complete(value, area.selectionEnd, offered, option);
    change(next.text);
    setOffered(null);
    requestAnimationFrame(() => {
      area.focus();
      area.setSelectionRange(next.position, next.position);
    });
  };
  const move = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      offer(value, event.currentTarget.selectionEnd);
    }
    if (!offered) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen((chosen + step + offered.options.length) % offered.options.length);
    } else if (event.key === 'Escape') setOffered(null);
    else if ((event.key === 'Enter' && !event.ctrlKey && !event.metaKey) || event.key === 'Tab') {
      event.preventDefault();
      take(offered.options[chosen] ?? '');
    }
  };
  return (
    <div className={classes.field}>
      <Textarea
        ref={field}
        label="Configuration"
        description={description}
        value={value}
        onChange={(event) => {
          change(event.currentTarget.value);
          offer(event.currentTarget.value, event.currentTarget.selectionEnd);
        }}
        onKeyDown={move}
        onClick={() => setOffered(null)}
        onBlur={() => setOffered(null)}
        rows={18}
        resize="vertical"
        wrap="off"
        spellCheck={false}
        aria-autocomplete="list"
        aria-controls={offered ? id : undefined}
        aria-activedescendant={offered ? `${id}-${chosen}` : undefined}
        classNames={{ input: files.editor ?? '' }}
      />
      <div className={classes.suggestions} id={id} role="listbox" aria-label="Suggestions" hidden={!offered}>
        {(offered?.options ?? []).map((option, at) => (
          <div
            key={option}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            className={classes.suggestion}
            // The field keeps the focus.
            onMouseDown={(event) => {
              event.preventDefault();
              take(option);
            }}
          >
            {option}
          </div>
        ))}
      </div>
    </div>
  );
}
