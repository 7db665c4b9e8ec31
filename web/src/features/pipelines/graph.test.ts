/** Where jobs and their needs are drawn. */
import { describe, expect, it } from 'vitest';
import { firstOfStages, latestJobs, layoutGraph, size } from './graph.ts';

const job = (id: number, name: string, stage: string) => ({ id, name, stage });
const place = (name: string, stage: string, needs: readonly string[] | null = null) => ({ name, stage, needs });

describe('pipeline graph', () => {
  it('has the first jobs of each stage, with their attempts', () => {
    const jobs = [job(4, 'c', 'one'), job(1, 'a', 'one'), job(2, 'b', 'one'), job(3, 'd', 'two'), job(9, 'a', 'one')];
    expect(firstOfStages(jobs, 3)).toBe(jobs);
    expect(firstOfStages(jobs, 2).map(({ id }) => id)).toEqual([1, 2, 3, 9]);
    expect(firstOfStages(jobs, 1).map(({ id }) => id)).toEqual([1, 3, 9]);
  });

  it('has a column for each stage in order and a row for each job', () => {
    const graph = layoutGraph(
      [job(3, 'bundle', 'build'), job(1, 'lint', 'check'), job(2, 'types', 'check')],
      [place('lint', 'check'), place('types', 'check'), place('bundle', 'build')],
    );
    expect(graph.columns.map((column) => column.stage)).toEqual(['check', 'build']);
    expect(graph.boxes.map((box) => [box.job.name, box.x, box.y])).toEqual([
      ['lint', 0, size.head],
      ['types', 0, size.head + size.height + size.gapY],
      ['bundle', size.width + size.gapX, size.head],
    ]);
  });

  it('keeps the order of stages when a job of the first one was retried', () => {
    const places = [place('bundle', 'build'), place('test', 'check'), place('ship', 'deploy')];
    const graph = layoutGraph([job(2, 'test', 'check'), job(3, 'ship', 'deploy'), job(9, 'bundle', 'build')], places);
    expect(graph.columns.map((column) => column.stage)).toEqual(['build', 'check', 'deploy']);
  });

  it('draws a line for each need and for nothing else', () => {
    const jobs = [job(1, 'a', 'one'), job(2, 'b', 'one'), job(3, 'c', 'two'), job(4, 'd', 'two'), job(5, 'e', 'two')];
    const graph = layoutGraph(jobs, [
      place('a', 'one'),
      place('b', 'one'),
      place('c', 'two', ['b', 'gone']),
      place('d', 'two', []),
      place('e', 'two'),
    ]);
    expect(graph.edges.map((edge) => edge.key)).toEqual(['b>c']);
  });

  /** The points that a line goes through, on its way from left to right. */
  const points = (path: string) =>
    [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

  it('leads lines around the boxes between, through a free row or a gap', () => {
    const { width, height, gapX, gapY, head } = size;
    const jobs = [
      job(1, 'a', 'one'),
      job(2, 'b', 'two'),
      job(3, 'c', 'two'),
      job(4, 'd', 'three'),
      job(5, 'e', 'three'),
    ];
    const last = [...jobs, job(6, 'f', 'three')];
    const places = [
      place('a', 'one'),
      ...[place('b', 'two'), place('c', 'two')],
      ...[place('d', 'three', ['a']), place('e', 'three', ['a']), place('f', 'three', ['a'])],
    ];
    const { edges } = layoutGraph(last, places);
    const level = (key: string) => points(edges.find((edge) => edge.key === key)?.path ?? '').at(4)?.[1];
    const row = height + gapY;
    expect(level('a>d')).toBe(head - gapY / 2);
    expect(level('a>e')).toBe(head + row - gapY / 2);
    expect(level('a>f')).toBe(head + 2 * row + height / 2);
    // From the column of `b` and `c` on it is level.
    expect(points(edges[0]?.path ?? '')[3]).toEqual([width + gapX, head - gapY / 2]);
    const free = layoutGraph(
      [jobs[0]!, job(2, 'b', 'two'), ...last.slice(3)],
      places.filter(({ name }) => name !== 'c'),
    );
    const found = free.edges.find((edge) => edge.key === 'a>e')?.path ?? '';
    expect(points(found).at(4)?.[1]).toBe(head + row + height / 2);
  });

  it('keeps lines of one column on its right, with room for them', () => {
    const jobs = [job(1, 'a', 'one'), job(2, 'b', 'one')];
    const graph = layoutGraph(jobs, [place('a', 'one'), place('b', 'one', ['a'])]);
    expect(points(graph.edges[0]?.path ?? '').every(([x = 0]) => x >= size.width)).toBe(true);
    expect(graph.width).toBeGreaterThan(size.width);
  });

  it('shows the newest attempt of a job in the place of the first, and what has no place at the end', () => {
    const jobs = [job(9, 'a', 'one'), job(2, 'b', 'one'), job(1, 'a', 'one'), job(0, 'other', 'external')];
    expect(latestJobs(jobs, [place('a', 'one'), place('b', 'one')]).map((each) => [each.id, each.name])).toEqual([
      [9, 'a'],
      [2, 'b'],
      [0, 'other'],
    ]);
  });

  it('is never empty in size', () => {
    expect(layoutGraph([], [])).toMatchObject({ width: size.width, boxes: [], edges: [] });
  });

  it('has a column for each step of the needs', () => {
    const jobs = [job(1, 'build', 'one'), job(2, 'docs', 'two'), job(3, 'test', 'two'), job(4, 'ship', 'three')];
    const places = [
      place('build', 'one'),
      place('docs', 'two', []),
      place('test', 'two', ['build']),
      place('ship', 'three', ['test', 'docs']),
    ];
    const column = (by: 'stage' | 'needs') => {
      const graph = layoutGraph(jobs, places, by);
      return Object.fromEntries(graph.boxes.map((box) => [box.job.name, box.x / (size.width + size.gapX)]));
    };
    expect(column('stage')).toEqual({ build: 0, docs: 1, test: 1, ship: 2 });
    expect(column('needs')).toEqual({ build: 0, docs: 0, test: 1, ship: 2 });
    // Without needs a job comes after everything of the stages before.
    const waiting = [...places, place('report', 'three')];
    const graph = layoutGraph([...jobs, job(5, 'report', 'three')], waiting, 'needs');
    expect(graph.boxes.find((box) => box.job.name === 'report')?.x).toBe(2 * (size.width + size.gapX));
    expect(graph.columns.map(({ stage }) => stage)).toEqual([null, null, null]);
  });

  it('ends whatever the needs are', () => {
    const places = [place('a', 'one', ['b']), place('b', 'one', ['a'])];
    expect(layoutGraph([job(1, 'a', 'one'), job(2, 'b', 'one')], places, 'needs').boxes).toHaveLength(2);
  });
});
