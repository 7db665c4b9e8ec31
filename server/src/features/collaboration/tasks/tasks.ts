/** Check boxes of Markdown texts: how many there are, and ticking one of them. */
import Type, { type Static } from 'typebox';
import { badRequest, conflict } from '../../../kernel/http/errors.ts';
import { Bool, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';

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

/** One box, by its line as the person saw it: a change of the text by others meanwhile is not overwritten. */
export const TaskParam = Optional(
  Type.Object(
    {
      line_number: Int({ minimum: 1, description: 'Line of the text, from 1' }),
      line_source: Str({ maxLength: 1_000_000, description: 'The line as it was read' }),
      checked: Bool({ description: 'Whether it is completed' }),
    },
    { description: 'Tick or clear one check box of the text' },
  ),
);
export type TaskChange = NonNullable<Static<typeof TaskParam>>;

const line = /^((?:>[ \t]{0,4})*(?:[ \t]*(?:[-+*]|\d{1,9}[.)]))+[ \t]+\[)([ \t\u00a0xX])(\][ \t]+)(\S.*?)\r?$/;
const exact = (text: string) => text.replace(/\r$/, '');

/**
 * The text with the box of the line ticked or cleared. Where lines moved meanwhile, the line of that text is meant if there
 * is one; 409 where it was changed or cannot be told from others.
 */
export function withTask(text: string | null, { line_number, line_source, checked }: TaskChange): string {
  const lines = (text ?? '').split('\n');
  const wanted = exact(line_source);
  const alike = lines.flatMap((each, at) => (exact(each) === wanted ? [at] : []));
  const at = alike.includes(line_number - 1) ? line_number - 1 : alike.length === 1 ? alike[0] : undefined;
  if (at === undefined) throw conflict('The checklist item was changed by somebody else. Reload the page.');
  const found = lines[at] ?? '';
  if (!line.test(found)) throw badRequest('The line is not a checklist item');
  lines[at] = found.replace(line, (_whole, before: string, _box, after: string, rest: string) => {
    const end = found.endsWith('\r') ? '\r' : '';
    return `${before}${checked ? 'x' : ' '}${after}${rest}${end}`;
  });
  return lines.join('\n');
}

/** What the only box is that a change ticked or cleared; null where it changed anything else. */
export function changedTask(before: string | null, after: string | null): { text: string; checked: boolean } | null {
  const [old, now] = [(before ?? '').split('\n'), (after ?? '').split('\n')];
  if (old.length !== now.length) return null;
  const [at, ...more] = now.flatMap((each, place) => (each === old[place] ? [] : [place]));
  if (at === undefined || more.length > 0) return null;
  const [was, is] = [line.exec(old[at] ?? ''), line.exec(now[at] ?? '')];
  if (!was || !is || was[1] !== is[1] || was[4] !== is[4]) return null;
  const checked = /x/i.test(is[2] ?? '');
  return checked === /x/i.test(was[2] ?? '') ? null : { text: is[4] ?? '', checked };
}
