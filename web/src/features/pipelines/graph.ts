/** Layout of a pipeline: stages as columns, jobs as boxes, needs as curves between them. Pure. */

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

/** Newest attempt of each job in the order of `places`; a job that has none there comes after those that have. */
export function latestJobs<T extends GraphJob>(jobs: readonly T[], places: readonly GraphPlace[]): T[] {
  const newest = new Map<string, T>();
  for (const job of [...jobs].sort((a, b) => a.id - b.id)) newest.set(job.name, job);
  const order = new Map(places.map(({ name }, index) => [name, index]));
  const at = ({ name }: T) => order.get(name) ?? places.length;
  return [...newest.values()].sort((a, b) => at(a) - at(b));
}

const curve = (from: { x: number; y: number }, to: { x: number; y: number }): string => {
  const [x1, y1, x2, y2] = [from.x + size.width, from.y + size.height / 2, to.x, to.y + size.height / 2];
  const bend = Math.max(20, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
};

/** The order of stages is that of `places`: ids of jobs do not tell it, as a retried job has a new one. */
export function layoutGraph<T extends GraphJob>(jobs: readonly T[], places: readonly GraphPlace[]): Graph<T> {
  const shown = latestJobs(jobs, places);
  const stages = [...new Set(shown.map((job) => job.stage))];
  const columns = stages.map((stage, index) => ({ stage, x: index * (size.width + size.gapX) }));
  const rows = new Map<string, number>();
  const boxes = shown.map((job) => {
    const row = rows.get(job.stage) ?? 0;
    rows.set(job.stage, row + 1);
    return { job, x: columns[stages.indexOf(job.stage)]?.x ?? 0, y: size.head + row * (size.height + size.gapY) };
  });
  const byName = new Map(boxes.map((box) => [box.job.name, box]));
  const edges = places.flatMap(({ name, needs }) => {
    const to = byName.get(name);
    return (needs ?? []).flatMap((need) => {
      const from = byName.get(need);
      return from && to ? [{ key: `${need}>${name}`, path: curve(from, to) }] : [];
    });
  });
  const tallest = Math.max(1, ...rows.values());
  return {
    columns,
    boxes,
    edges,
    width: Math.max(size.width, columns.length * (size.width + size.gapX) - size.gapX),
    height: size.head + tallest * (size.height + size.gapY),
  };
}
