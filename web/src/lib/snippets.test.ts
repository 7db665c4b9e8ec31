/** What the address of snippets means, and what a changed form does with the files. */
import { describe, expect, it } from 'vitest';
import { fileActions, snippetView } from './snippets.ts';

it('an address is a list, a form or a snippet, or none of them', () => {
  expect(snippetView('')).toEqual({ kind: 'list' });
  expect(snippetView('new')).toEqual({ kind: 'new' });
  expect(snippetView('12')).toEqual({ kind: 'one', id: 12 });
  expect(snippetView('12/edit')).toEqual({ kind: 'edit', id: 12 });
  for (const other of ['0', '-1', '1/x', 'old', '12/edit/more']) expect(snippetView(other)).toBeNull();
});

describe('files of a form', () => {
  it('are created, updated, moved and deleted', () => {
    const drafts = [
      { stored: 'a.txt', path: 'a.txt', content: '1' },
      { stored: 'b.txt', path: 'c.txt', content: '2' },
      { path: 'd.txt', content: '3' },
    ];
    expect(fileActions(['a.txt', 'b.txt', 'gone.txt'], drafts)).toEqual([
      { action: 'delete', file_path: 'gone.txt' },
      { action: 'update', file_path: 'a.txt', content: '1' },
      { action: 'move', previous_path: 'b.txt', file_path: 'c.txt', content: '2' },
      { action: 'create', file_path: 'd.txt', content: '3' },
    ]);
  });
});
