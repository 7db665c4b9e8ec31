/** Check boxes of a Markdown text, by their lines: what a page sends when somebody ticks one. Pure. */

export interface TaskLine {
  /** From 1. */
  readonly line_number: number;
  readonly line_source: string;
  readonly checked: boolean;
  readonly text: string;
}

/** One box as the API takes it. */
export type TaskUpdate = Pick<TaskLine, 'line_number' | 'line_source' | 'checked'>;

const task = /^(?:>[ \t]{0,4})*(?:[ \t]*(?:[-+*]|\d{1,9}[.)]))+[ \t]+\[([ \t\u00a0xX])\][ \t]+(\S.*?)\r?$/;
const fence = /^(?:>[ \t]?)*[ \t]*(`{3,}|~{3,})/;

/** The boxes of a text in their order, without those in code blocks. */
export function taskLines(text: string): readonly TaskLine[] {
  const found: TaskLine[] = [];
  let open: string | null = null;
  for (const [at, line] of text.split('\n').entries()) {
    const mark = fence.exec(line)?.[1];
    if (open !== null) {
      if (mark?.startsWith(open)) open = null;
    } else if (mark) open = mark;
    else {
      const [, box, what] = task.exec(line) ?? [];
      if (box !== undefined && what !== undefined)
        found.push({ line_number: at + 1, line_source: line, checked: /x/i.test(box), text: what });
    }
  }
  return found;
}
