/** Where jobs and their needs are drawn. */
import { describe, expect, it } from 'vitest';
import { latestJobs, layoutGraph, size } from './graph.ts';

const job = (id: number, name: string, stage: string) => ({ id, name, stage });
const place = (name: string, stage: string, needs: readonly string[] | null = null) => ({ name, stage, needs });

describe('pipeline graph', () => {
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
