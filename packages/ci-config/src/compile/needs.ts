/** The graph of `needs` and `dependencies`: names to instances, order, cycles. */
import type { Mark, Problems } from '../diagnostics.ts';
import { combine, type Instance } from '../expand/matrix.ts';
import type { Environment } from '../keywords/environment.ts';
import type { Need } from '../keywords/needs.ts';
import type { ConfigJob } from './structure.ts';

/** Every job of the configuration with its instances and its place among the stages. */
export type Roster = {
  readonly jobs: ReadonlyMap<string, ConfigJob>;
  readonly stageOf: ReadonlyMap<string, number>;
  readonly instances: ReadonlyMap<string, readonly Instance[]>;
};

export function roster(
  placed: readonly { job: ConfigJob; stageIndex: number; instances: readonly Instance[] }[],
): Roster {
  const stageOf = new Map<string, number>();
  const instances = new Map<string, readonly Instance[]>();
  const jobs = new Map<string, ConfigJob>();
  for (const { job, stageIndex, instances: list } of placed) {
    for (const instance of list) {
      jobs.set(instance.name, job);
      stageOf.set(instance.name, stageIndex);
      instances.set(instance.name, [instance]);
    }
    jobs.set(job.name, job);
    stageOf.set(job.name, stageIndex);
    instances.set(job.name, list);
  }
  return { jobs, stageOf, instances };
}

/** What is wrong with needs and dependencies whatever the rules say. */
export function lintGraph(job: ConfigJob, { stageOf, jobs }: Roster, problems: Problems): void {
  const stage = stageOf.get(job.name) ?? 0;
  const check = (kind: 'need' | 'dependency', other: string, mark: Mark): void => {
    const otherStage = stageOf.get(other);
    if (otherStage === undefined) problems.error(mark, `${job.name} job: undefined ${kind}: ${other}`);
    else if (otherStage > stage) {
      problems.error(mark, `${job.name} job: ${kind} ${other} is not defined in current or prior stages`);
    }
  };
  const ofRules = (job.config.rules ?? []).flatMap((rule) => rule.needs?.jobs ?? []);
  for (const need of [...(job.config.needs?.jobs ?? []), ...ofRules]) {
    if (!need.optional || stageOf.has(need.job)) check('need', need.job, need.mark);
  }
  for (const name of job.config.dependencies ?? []) check('dependency', name, job.markOf('dependencies'));
  const environment = job.config.environment;
  if (!environment?.onStop) return;
  const wrong = stopJobProblem(environment, jobs.get(environment.onStop));
  if (wrong) problems.error(job.markOf('environment'), `${job.name} job: on_stop job ${environment.onStop} ${wrong}`);
}

/** What speaks against a job that is to stop the environment. */
function stopJobProblem({ name }: Environment, job: ConfigJob | undefined): string | null {
  if (!job) return 'is not defined';
  const { environment } = job.config;
  if (!environment) return 'does not have environment defined';
  if (environment.name !== name) return 'have different environment name';
  return environment.action === 'stop' ? null : 'needs to have action stop defined';
}

const MATRIX_EXPRESSION = /\$\[\[\s*matrix\.([A-Za-z0-9_-]+)\s*\]\]/g;

/** The names of `$[[ matrix.NAME ]]` in a need that the needing job's own matrix does not have. */
export function unknownIdentifiers(need: Need, own: Instance): string[] {
  const known = new Set(own.variables.map(({ key }) => key));
  const texts = (need.matrix ?? []).flatMap((entry) => [...entry.values()].flat());
  const used = texts.flatMap((text) => [...text.matchAll(MATRIX_EXPRESSION)].map(([, name = '']) => name));
  return [...new Set(used)].filter((name) => !known.has(name));
}

/** The names of the instances that a need of `own` stands for. */
export function instancesOfNeed(need: Need, { instances }: Roster, own: Instance): string[] {
  const all = instances.get(need.job) ?? [];
  if (need.matrix === null) return all.map((instance) => instance.name);
  const mine = new Map(own.variables.map(({ key, value }) => [key, value]));
  const filled = (text: string) => text.replace(MATRIX_EXPRESSION, (all, name: string) => mine.get(name) ?? all);
  const wanted = need.matrix.flatMap(combine);
  const matching = all.filter((instance) => {
    const values = new Map(instance.variables.map(({ key, value }) => [key, value]));
    return wanted.some((combination) => combination.every(({ key, value }) => values.get(key) === filled(value)));
  });
  return matching.map((instance) => instance.name);
}

/** A chain of names that returns to its start; null when the graph has none. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): string[] | null => {
    if (done.has(name)) return null;
    const start = path.indexOf(name);
    if (start >= 0) return [...path.slice(start), name];
    path.push(name);
    for (const next of edges.get(name) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(name);
    return null;
  };
  for (const name of edges.keys()) {
    const cycle = visit(name);
    if (cycle) return cycle;
  }
  return null;
}
