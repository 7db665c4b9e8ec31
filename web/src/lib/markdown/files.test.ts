/** Which file introduces a folder. */
import { expect, test } from 'vitest';
import { readmeOf } from './files.ts';

const files = (...names: string[]) => names.map((name) => ({ name, type: 'blob' }));

test('the rendered README comes first, other formats before plain text, folders never', () => {
  expect(readmeOf(files('README', 'readme.rst', 'README.md'))?.name).toBe('README.md');
  expect(readmeOf(files('README.txt', 'Readme.adoc'))?.name).toBe('Readme.adoc');
  expect(readmeOf(files('README', 'a.md'))?.name).toBe('README');
  expect(readmeOf(files('index.md', 'b.md'))?.name).toBe('index.md');
  expect(readmeOf(files('README.md.bak', 'a.md'))).toBeNull();
  expect(readmeOf([{ name: 'README.md', type: 'tree' }])).toBeNull();
});
