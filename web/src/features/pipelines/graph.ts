/** Layout of a pipeline: stages or steps of its needs as columns, jobs as boxes, needs as curves between them. Pure. */

export interface GraphJob {
  readonly id: number;
  readonly name: string;
  readonly stage: string;
}
/** A job by name, as the pipeline has it from the beginning. */
export interface GraphPlace {
  readonly name: string;
  readonly stage: string;
  /** Names of the jobs that it waits for; null when it waits for the stage before. */
  readonly needs: readonly string[] | null;
}
export interface GraphBox<T extends GraphJob> {
  readonly job: T;
  readonly column: number;
  readonly x: number;
  readonly y: number;
}
export interface GraphEdge {
  readonly key: string;
  readonly path: string;
}
export interface Graph<T extends GraphJob> {
  /** Without a stage where columns are steps of needs. */
  readonly columns: readonly { readonly stage: string | null; readonly x: number }[];
  readonly boxes: readonly GraphBox<T>[];
  readonly edges: readonly GraphEdge[];
  readonly width: number;
  readonly height: number;
}

export const size = { width: 200, height: 36, gapX: 56, gapY: 8, head: 32 } as const;

/** Newest attempt of each job in the order of `places`; a job that has none there comes after those that have. */
export function latestJobs<T extends GraphJob>(jobs: readonly T[], places: readonly GraphPlace[]): T[] {
  const newest = new Map<string, T>();
  for (const job of [...jobs].sort((a, b) => a.id - b.id)) newest.set(job.name, job);
  const order = new Map(places.map(({ name }, index) => [name, index]));
  const at = ({ name }: T) => order.get(name) ?? places.length;
  return [...newest.values()].sort((a, b) => at(a) - at(b));
}

/** All attempts of the first `most` jobs of each stage, in the order in which they were made. */
export function firstOfStages<T extends GraphJob>(jobs: readonly T[], most: number): readonly T[] {
  const names = new Map<string, Set<string>>();
  const kept = [...jobs]
    .sort((a, b) => a.id - b.id)
    .filter(({ stage, name }) => {
      const known = names.get(stage) ?? new Set();
      names.set(stage, known);
      if (!known.has(name) && known.size >= most) return false;
      known.add(name);
      return true;
    });
  return kept.length === jobs.length ? jobs : kept;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** From one point to one further right, first and last level. */
const bend = (from: Point, to: Point): string => {
  const middle = Math.max(20, (to.x - from.x) / 2);
  return `C${from.x + middle} ${from.y} ${to.x - middle} ${to.y} ${to.x} ${to.y}`;
};

/** How far a line between two boxes of one column stands out. */
const bulge = 24;

interface Cell extends Point {
  readonly column: number;
}

/**
 * A line from the right of one box to the left of another, around the boxes of the columns between them: level through a row
 * that is free there, or through the gap between two rows. In one column it stays on the right.
 */
function line(from: Cell, to: Cell, rows: ReadonlyMap<number, number>, head: number): string {
  const start = { x: from.x + size.width, y: from.y + size.height / 2 };
  const end = { x: to.x, y: to.y + size.height / 2 };
  if (from.column === to.column) {
    const out = start.x + (bulge * 4) / 3;
    return `M${start.x} ${start.y}C${out} ${start.y} ${out} ${end.y} ${start.x} ${end.y}`;
  }
  const between = Array.from(
    { length: to.column - from.column - 1 },
    (_, index) => rows.get(from.column + index + 1) ?? 0,
  );
  if (between.length === 0) return `M${start.x} ${start.y}${bend(start, end)}`;
  const step = size.height + size.gapY;
  const used = Math.max(...between);
  const free = Array.from({ length: Math.max(used, ...rows.values()) }, (_, row) => {
    const gap = head + row * step - size.gapY / 2;
    return [...(row >= used ? [head + row * step + size.height / 2] : []), ...(gap > 0 ? [gap] : [])];
  }).flat();
  // Of equal ways the one that is level with its end: fewer lines run into one.
  const detour = (y: number) => Math.abs(y - start.y) + 1.01 * Math.abs(y - end.y);
  const level = [...free, head + used * step - size.gapY / 2].reduce((best, y) =>
    detour(y) < detour(best) ? y : best,
  );
  const first = { x: start.x + size.gapX, y: level };
  const last = { x: end.x - size.gapX, y: level };
  return `M${start.x} ${start.y}${bend(start, first)}L${last.x} ${last.y}${bend(last, end)}`;
}

/** What the columns are: stages, or how many jobs come before at most. */
export type Columns = 'stage' | 'needs';

/**
 * The column of each job by its needs: one after the last of what it needs. A job without `needs` waits for all jobs of
 * earlier stages.
 */
function steps(jobs: readonly GraphJob[], places: readonly GraphPlace[]): ReadonlyMap<string, number> {
  const known = new Map(places.map((place) => [place.name, place]));
  const stages = [...new Set([...places, ...jobs].map(({ stage }) => stage))];
  const byStage = stages.map((stage) => jobs.filter((job) => job.stage === stage));
  const found = new Map<string, number>();
  let before = 0;
  for (const inStage of byStage) {
    const step = (name: string, around: ReadonlySet<string>): number => {
      const done = found.get(name);
      // Needs have no cycles; whatever an answer contains, this ends.
      if (done !== undefined || around.has(name)) return done ?? 0;
      const needs = known.get(name)?.needs ?? null;
      const within = new Set([...around, name]);
      const shown = (needs ?? []).filter((need) => jobs.some((job) => job.name === need));
      const own = needs === null ? before : Math.max(0, ...shown.map((need) => step(need, within) + 1));
      found.set(name, own);
      return own;
    };
    for (const { name } of inStage) step(name, new Set());
    before = Math.max(before, ...inStage.map(({ name }) => (found.get(name) ?? 0) + 1));
  }
  return found;
}

/** The order of stages is that of `places`: ids of jobs do not tell it, as a retried job has a new one. */
export function layoutGraph<T extends GraphJob>(
  jobs: readonly T[],
  places: readonly GraphPlace[],
  by: Columns = 'stage',
): Graph<T> {
  const shown = latestJobs(jobs, places);
  const stages = [...new Set(shown.map((job) => job.stage))];
  const columnOf =
    by === 'needs' ? steps(shown, places) : new Map(shown.map((job) => [job.name, stages.indexOf(job.stage)]));
  const count = Math.max(0, ...columnOf.values()) + 1;
  const columns = Array.from({ length: shown.length === 0 ? 0 : count }, (_, index) => ({
    stage: by === 'needs' ? null : (stages[index] ?? ''),
    x: index * (size.width + size.gapX),
  }));
  const head = by === 'needs' ? 0 : size.head;
  const rows = new Map<number, number>();
  const boxes = shown.map((job) => {
    const column = columnOf.get(job.name) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { job, column, x: columns[column]?.x ?? 0, y: head + row * (size.height + size.gapY) };
  });
  const byName = new Map(boxes.map((box) => [box.job.name, box]));
  const edges = places.flatMap(({ name, needs }) => {
    const to = byName.get(name);
    return (needs ?? []).flatMap((need) => {
      const from = byName.get(need);
      return from && to ? [{ key: `${need}>${name}`, path: line(from, to, rows, head) }] : [];
    });
  });
  const tallest = Math.max(1, ...rows.values());
  const inColumn = places.some(({ name, needs }) =>
    needs?.some((need) => byName.has(need) && byName.get(need)?.column === byName.get(name)?.column),
  );
  return {
    columns,
    boxes,
    edges,
    width: Math.max(size.width, columns.length * (size.width + size.gapX) - size.gapX) + (inColumn ? bulge : 0),
    height: head + tallest * (size.height + size.gapY),
  };
}
