/** Suggestions in comments: blocks of lines in place of those that are commented on. Pure. */

/** A fence that is longer than any in the lines. */
const fenceOf = (lines: readonly string[]): string =>
  '`'.repeat(Math.max(3, ...lines.map((line) => (/^ *(`{3,})/.exec(line)?.[1]?.length ?? 0) + 1)));

/** Adds a block with the lines to a text. The comment stands on the last of them. */
export function suggestionBlock(before: string, lines: readonly string[]): string {
  const fence = fenceOf(lines);
  const block = [`${fence}suggestion:-${Math.max(lines.length - 1, 0)}+0`, ...lines, fence, ''].join('\n');
  return before.trim() === '' ? block : `${before.replace(/\n*$/, '')}\n\n${block}`;
}
