/** Which lines a comment on a diff is about, by the piece of the diff that goes with it. Pure. */
import { createHash } from 'node:crypto';

export interface CommentedLine {
  readonly old_line: number | null;
  readonly new_line: number | null;
  readonly line_code: string;
}

/** Its last line is the one that the comment is about; null for what is no piece of a diff. */
export function lastLineOf(hunk: string, path: string): CommentedLine | null {
  const [first = '', ...lines] = hunk.replace(/\n$/, '').split('\n');
  const [, from, to] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(first) ?? [];
  if (from === undefined || to === undefined || lines.length === 0) return null;
  let [before, after] = [Number(from), Number(to)];
  let found: Pick<CommentedLine, 'old_line' | 'new_line'> = { old_line: null, new_line: null };
  let code = '';
  for (const line of lines) {
    if (line.startsWith('\\')) continue;
    code = `${createHash('sha1').update(path).digest('hex')}_${before}_${after}`;
    if (line.startsWith('+')) found = { old_line: null, new_line: after };
    else if (line.startsWith('-')) found = { old_line: before, new_line: null };
    else found = { old_line: before, new_line: after };
    if (!line.startsWith('+')) before += 1;
    if (!line.startsWith('-')) after += 1;
  }
  return { ...found, line_code: code };
}
