/** Diffs as lines and as pairs. */
import { describe, expect, it } from 'vitest';
import { countChanges, pairLines, parseHunks, wholeFile } from './hunks.ts';

const diff =
  '@@ -3,4 +3,5 @@ function x\n same\n-old one\n-old two\n+new one\n+new two\n+new three\n tail\n@@ -20 +21 @@\n--- a dash\n\\ No newline at end of file\n+++ a plus\n';

describe('diffs', () => {
  it('number both sides and keep content that looks like a header', () => {
    expect(parseHunks(diff).map((line) => [line.kind, line.old, line.now, line.text])).toEqual([
      ['hunk', null, null, '@@ -3,4 +3,5 @@ function x'],
      ['same', 3, 3, 'same'],
      ['removed', 4, null, 'old one'],
      ['removed', 5, null, 'old two'],
      ['added', null, 4, 'new one'],
      ['added', null, 5, 'new two'],
      ['added', null, 6, 'new three'],
      ['same', 6, 7, 'tail'],
      ['hunk', null, null, '@@ -20 +21 @@'],
      ['removed', 20, null, '-- a dash'],
      ['note', null, null, 'No newline at end of file'],
      ['added', null, 21, '++ a plus'],
    ]);
    expect(countChanges(diff)).toEqual({ added: 4, removed: 3 });
  });

  it('are none of a binary file, of which git says only that it differs', () => {
    const text = 'Binary files /dev/null and b/square.png differ';
    expect(parseHunks(`${text}\n`)).toEqual([{ kind: 'note', old: null, now: null, text }]);
  });

  it('pair what replaces what', () => {
    expect(pairLines(parseHunks(diff)).map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
      ['@@ -3,4 +3,5 @@ function x', '@@ -3,4 +3,5 @@ function x'],
      ['same', 'same'],
      ['old one', 'new one'],
      ['old two', 'new two'],
      [null, 'new three'],
      ['tail', 'tail'],
      ['@@ -20 +21 @@', '@@ -20 +21 @@'],
      ['-- a dash', '++ a plus'],
    ]);
  });

  it('show the whole file around the hunks', () => {
    const hunks = parseHunks('@@ -3,2 +3,2 @@\n three\n-old\n+new\n@@ -6,1 +5,0 @@\n-gone\n');
    const text = 'one\ntwo\nthree\nnew\nfive\nlast\n';
    expect(wholeFile(hunks, text).map(({ kind, old, now, text: line }) => [kind, old, now, line])).toEqual([
      ['same', 1, 1, 'one'],
      ['same', 2, 2, 'two'],
      ['same', 3, 3, 'three'],
      ['removed', 4, null, 'old'],
      ['added', null, 4, 'new'],
      ['same', 5, 5, 'five'],
      ['removed', 6, null, 'gone'],
      ['same', 7, 6, 'last'],
    ]);
  });

  it('an empty diff has no lines', () => {
    expect(parseHunks('')).toEqual([]);
  });
});
