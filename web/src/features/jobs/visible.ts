/** Which lines of a log are shown when sections are folded. Pure. */
import type { Line, Log } from '../../lib/ansi/log.ts';

/** Sections that start folded; those that a person changed by hand turn over. */
export function foldedSections(log: Log, turned: ReadonlySet<string>): ReadonlySet<string> {
  const folded = new Set<string>();
  for (const section of log.sections.values())
    if (section.collapsed !== turned.has(section.name)) folded.add(section.name);
  return folded;
}

/** A folded section keeps its first line. */
export const visibleLines = (log: Log, folded: ReadonlySet<string>): Line[] =>
  log.lines.filter((line) => !line.sections.some((name) => folded.has(name) && line.opens !== name));

/** Whether both are drawn alike: what is above the end of a growing log does not change. */
export const sameLines = (a: readonly Line[], b: readonly Line[]): boolean =>
  a.length === b.length &&
  a.every((line, index) => {
    const other = b[index];
    return (
      other !== undefined &&
      line.number === other.number &&
      line.opens === other.opens &&
      line.spans.length === other.spans.length &&
      line.spans.every((span, at) => span.text === other.spans[at]?.text)
    );
  });

const maxShown = 200;

/** The last line that the script wrote: what runners say after it ("ERROR: Job failed", cleaning up) says nothing new. */
export function lastOutput(log: Log): { readonly number: number; readonly text: string } | null {
  for (const line of log.lines.toReversed()) {
    if (line.sections.some((name) => name.startsWith('cleanup') || name.startsWith('upload'))) continue;
    const text = line.spans
      .map((span) => span.text)
      .join('')
      .trim();
    if (text === '' || /^(?:ERROR: Job failed|Cleaning up|Running after)/.test(text)) continue;
    return { number: line.number, text: text.length > maxShown ? `${text.slice(0, maxShown)}…` : text };
  }
  return null;
}
