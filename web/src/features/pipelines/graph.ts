/** Layout of a pipeline: stages as columns, jobs as boxes, needs as curves between them. Pure. */

export interface GraphJob {
  readonly id: number;
  readonly name: string;
  readonly stage: string;
}
export interface GraphBox<T extends GraphJob> {
  readonly job: T;
  readonly x: number;
  readonly y: number;
}
export interface GraphEdge {
  readonly key: string;
  readonly path: string;
}
export interface Graph<T extends GraphJob> {
  readonly columns: readonly { readonly stage: string; readonly x: number }[];
  readonly boxes: readonly GraphBox<T>[];
  readonly edges: readonly GraphEdge[];
  readonly width: number;
  readonly height: number;
}

export const size = { width: 200, height: 36, gapX: 56, gapY: 8, head: 32 } as const;

/** Newest run of each job name, stages in the order of their first job. */
export function latestJobs<T extends GraphJob>(jobs: readonly T[]): T[] {
  const newest = new Map<string, T>();
  for (const job of [...jobs].sort((a, b) => a.id - b.id)) {
    // A retried job keeps the place of its first run.
    newest.set(job.name, job);
  }
  return [...newest.values()];
}

const curve = (from: { x: number; y: number }, to: { x: number; y: number }): string => {
  const [x1, y1, x2, y2] = [from.x + size.width, from.y + size.height / 2, to.x, to.y + size.height / 2];
  const bend = Math.max(20, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
};

/** `needs`: names of jobs by the name of the job that waits for them; a job without an entry waits for the stage before. */
export function layoutGraph<T extends GraphJob>(
  jobs: readonly T[],
  needs: ReadonlyMap<string, readonly string[]>,
): Graph<T> {
  const shown = latestJobs(jobs);
  const stages = [...new Set(shown.map((job) => job.stage))];
  const columns = stages.map((stage, index) => ({ stage, x: index * (size.width + size.gapX) }));
  const rows = new Map<string, number>();
  const boxes = shown.map((job) => {
    const row = rows.get(job.stage) ?? 0;
    rows.set(job.stage, row + 1);
    return { job, x: columns[stages.indexOf(job.stage)]?.x ?? 0, y: size.head + row * (size.height + size.gapY) };
  });
  const byName = new Map(boxes.map((box) => [box.job.name, box]));
  const edges: GraphEdge[] = [];
  for (const box of boxes) {
    for (const name of needs.get(box.job.name) ?? []) {
      const from = byName.get(name);
      if (from) edges.push({ key: `${name}>${box.job.name}`, path: curve(from, box) });
    }
  }
  // Stages without needs run one after the other: one line from column to column says so.
  for (let index = 1; index < stages.length; index++) {
    const inStage = boxes.filter((box) => box.job.stage === stages[index]);
    const before = boxes.find((box) => box.job.stage === stages[index - 1]);
    const first = inStage.find((box) => !needs.has(box.job.name));
    if (first && before) edges.push({ key: `${stages[index - 1]}>>${stages[index]}`, path: curve(before, first) });
  }
  const tallest = Math.max(1, ...rows.values());
  return {
    columns,
    boxes,
    edges,
    width: Math.max(size.width, columns.length * (size.width + size.gapX) - size.gapX),
    height: size.head + tallest * (size.height + size.gapY),
  };
}
