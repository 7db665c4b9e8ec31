/** Filters among the words of a search for files. */
import { expect, it } from 'vitest';
import { fileSearch } from './filters.ts';

const files = ['README.md', 'src/app.ts', 'src/app.test.ts', 'docs/src.md', 'Makefile'];
const accepted = (search: string) => files.filter(fileSearch(search).accepts);

it.each([
  ['needle', 'needle', files],
  ['needle extension:md', 'needle', ['README.md', 'docs/src.md']],
  ['needle filename:app*', 'needle', ['src/app.ts', 'src/app.test.ts']],
  ['filename:readme.md two  words', 'two words', ['README.md']],
  ['path:src/ needle', 'needle', ['src/app.ts', 'src/app.test.ts']],
  ['needle path:src -extension:md', 'needle', ['src/app.ts', 'src/app.test.ts']],
  ['needle -filename:*.test.ts extension:ts', 'needle', ['src/app.ts']],
  ['a.filename:b', 'a.filename:b', files],
  ['filename:(', '', []],
])('%s', (search, text, found) => {
  expect(fileSearch(search).text).toBe(text);
  expect(accepted(search)).toEqual(found);
});
