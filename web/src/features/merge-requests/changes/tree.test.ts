/** The tree of changed files, and marks of viewed ones. */
import { expect, it } from 'vitest';
import { fileTree } from './tree.ts';
import { changeHash } from './viewed.ts';

it('folders that hold one folder alone are one line', () => {
  expect(fileTree(['a.txt', 'src/deep/er/one.ts', 'src/deep/er/two.ts', 'docs/x.md', 'docs/y/z.md'])).toEqual({
    name: '',
    path: '',
    files: [0],
    folders: [
      { name: 'src/deep/er', path: 'src/deep/er', files: [1, 2], folders: [] },
      {
        name: 'docs',
        path: 'docs',
        files: [3],
        folders: [{ name: 'y', path: 'docs/y', files: [4], folders: [] }],
      },
    ],
  });
});

it('a mark is for what the file changes', () => {
  const file = { new_path: 'a', a_mode: '100644', b_mode: '100644', diff: '@@ -1 +1 @@\n-a\n+b\n' };
  expect(changeHash(file)).toBe(changeHash({ ...file }));
  expect(changeHash(file)).not.toBe(changeHash({ ...file, diff: '@@ -1 +1 @@\n-a\n+c\n' }));
  expect(changeHash(file)).not.toBe(changeHash({ ...file, b_mode: '100755' }));
});
