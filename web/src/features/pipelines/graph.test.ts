/** Where jobs and their needs are drawn. */
import { describe, expect, it } from 'vitest';
import { latestJobs, layoutGraph, size } from './graph.ts';

const job = (id: number, name: string, stage: string) => ({ id, name, stage });

describe('pipeline graph', () => {
  it('has a column for each stage in order and a row for each job', () => {
    const graph = layoutGraph(
      [job(1, 'lint', 'check'), job(2, 'types', 'check'), job(3, 'bundle', 'build')],
      new Map(),
    );
    expect(graph.columns.map((column) => column.stage)).toEqual(['check', 'build']);
    expect(graph.boxes.map((box) => [box.job.name, box.x, box.y])).toEqual([
      ['lint', 0, size.head],
      ['types', 0, size.head + size.height + size.gapY],
      ['bundle', size.width + size.gapX, size.head],
    ]);
    expect(graph.edges.map((edge) => edge.key)).toEqual(['check>>build']);
  });

  it('draws needs instead of the order of stages, and none for an empty list', () => {
    const jobs = [job(1, 'a', 'one'), job(2, 'b', 'one'), job(3, 'c', 'two'), job(4, 'd', 'two')];
    const graph = layoutGraph(
      jobs,
      new Map([
        ['c', ['b', 'gone']],
        ['d', []],
      ]),
    );
    expect(graph.edges.map((edge) => edge.key)).toEqual(['b>c']);
  });

  it('shows the newest run of a job in the place of the first', () => {
    expect(
      latestJobs([job(9, 'a', 'one'), job(2, 'b', 'one'), job(1, 'a', 'one')]).map((each) => [each.id, each.name]),
    ).toEqual([
      [9, 'a'],
      [2, 'b'],
    ]);
  });

  it('is never empty in size', () => {
    expect(layoutGraph([], new Map())).toMatchObject({ width: size.width, boxes: [], edges: [] });
  });
});
