/** Check boxes of Markdown texts. */

/** An item of a list, also in a quotation, that begins with a box; nothing else is a task. */
const item = /^(?:>[ \t]{0,4})*(?:[ \t]*(?:[-+*]|\d{1,9}[.)]))+[ \t]+\[([ \t\u00a0xX])\][ \t]+\S/gm;
const fence =
  /^(?:>[ \t]?)*[ \t]{0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^(?:>[ \t]?)*[ \t]{0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm;

export interface Tasks {
  readonly count: number;
  readonly completed_count: number;
}

/** Completed and all check boxes of a text; those in code are none. */
export function tasksOf(text: string | null): Tasks {
  if (!text?.includes('[')) return { count: 0, completed_count: 0 };
  const found = [...text.replace(/\r\n?/g, '\n').replace(fence, '').matchAll(item)];
  return { count: found.length, completed_count: found.filter(([, box]) => box === 'x' || box === 'X').length };
}

/** In words, as pages show it beside the title. */
export const taskText = ({ count, completed_count }: Tasks): string =>
  `${completed_count} of ${count} checklist ${count === 1 ? 'item' : 'items'} completed`;
