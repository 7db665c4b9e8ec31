/** Check boxes of a document that can be ticked: each is found in the text by its line, and changed by itself. */
import { useMutation } from '@tanstack/react-query';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { type TaskLine, type TaskUpdate, taskLines } from '../../lib/markdown/tasks.ts';

export interface Tasks {
  /** What the document was rendered from. */
  readonly text: string;
  /** Changes the box on the server and reads the text again. */
  update(task: TaskUpdate): Promise<unknown>;
}

const boxesOf = (root: HTMLElement | null) => [
  ...(root?.querySelectorAll<HTMLInputElement>('input.task-list-item-checkbox:not([data-inapplicable])') ?? []),
];

/** Why the last change was refused. `drawn` changes whenever the document is drawn anew, which is before this. */
export function useTasks(root: RefObject<HTMLElement | null>, drawn: string, tasks: Tasks | undefined): Error | null {
  /** The box that was changed last: it has the focus again when the document is drawn anew. */
  const last = useRef<number | null>(null);
  const updating = useMutation({
    mutationFn: async ({ box, at, line }: { box: HTMLInputElement; at: number; line: TaskLine }) => {
      last.current = at;
      const checked = box.checked;
      box.disabled = true;
      try {
        await tasks?.update({ line_number: line.line_number, line_source: line.line_source, checked });
      } catch (error) {
        box.checked = line.checked;
        box.disabled = false;
        box.focus();
        throw error;
      }
    },
  });
  const change = useRef(updating.mutate);
  change.current = updating.mutate;
  const text = tasks?.text;
  useLayoutEffect(() => {
    const boxes = boxesOf(root.current);
    if (drawn === '' || text === undefined || boxes.length === 0) return;
    const lines = taskLines(text);
    // Only where each box is known for certain: not while one of text and document is newer than the other.
    if (lines.length !== boxes.length || boxes.some((box, at) => box.checked !== lines[at]?.checked)) return;
    const over = new AbortController();
    for (const [at, box] of boxes.entries()) {
      const line = lines[at];
      if (!line) continue;
      box.disabled = false;
      box.setAttribute('aria-label', line.text);
      box.addEventListener('change', () => change.current({ box, at, line }), { signal: over.signal });
    }
    const again = last.current === null ? undefined : boxes[last.current];
    last.current = null;
    if (again && (document.activeElement === null || document.activeElement === document.body)) again.focus();
    return () => over.abort();
  }, [root, drawn, text]);
  return updating.error;
}
