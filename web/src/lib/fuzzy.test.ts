/** Finding paths. */
import { describe, expect, it } from 'vitest';
import { bestPaths, markedPath } from './fuzzy.ts';

const paths = ['README.md', 'src/app.ts', 'src/lib/map.ts', 'src/main.ts', 'test/main.test.ts', 'docs/manual/index.md'];

describe('finding paths', () => {
  it('takes letters in their order, names of files before folders', () => {
    expect(bestPaths(paths, 'main', 10).slice(0, 2)).toEqual(['src/main.ts', 'test/main.test.ts']);
    expect(bestPaths(paths, 'slm', 10)).toEqual(['src/lib/map.ts', 'docs/manual/index.md']);
    expect(bestPaths(paths, 'READ', 10)[0]).toBe('README.md');
    expect(bestPaths(paths, 'xyz', 10)).toEqual([]);
  });

  it('shows the first ones while nothing is typed', () => {
    expect(bestPaths(paths, ' ', 2)).toEqual(paths.slice(0, 2));
  });

  it('marks the letters that were found, together where the name has them so', () => {
    const marked = (path: string, typed: string) =>
      markedPath(path, typed)
        .map(({ text, hit }) => (hit ? `[${text}]` : text))
        .join('');
    expect(marked('src/main/main.ts', 'Main')).toBe('src/main/[main].ts');
    expect(marked('src/lib/map.ts', 'slm')).toBe('[s]rc/[l]ib/[m]ap.ts');
    expect(marked('src/lib/map.ts', ' ')).toBe('src/lib/map.ts');
    expect(marked('README.md', 'xyz')).toBe('README.md');
    expect(marked('İ/map.ts', 'map')).toBe('İ/map.ts');
  });
});
