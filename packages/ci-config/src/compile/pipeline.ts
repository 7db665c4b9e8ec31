/** Configuration + context -> plan: which jobs are in, what they need, why. */
import { failLimit, type Located, located, type Mark, type Problems } from '../diagnostics.ts';
import { applyDefaults, inheritVariables, mergeVariables } from '../expand/defaults.ts';
import { type Instance, instancesOf } from '../expand/matrix.ts';
import { layer, variableScope } from '../expand/variables.ts';
import type { Need } from '../keywords/needs.ts';
import { matrixSize, type Parallel } from '../keywords/parallel.ts';
import type { Rule } from '../keywords/rules.ts';
import { DEFAULT_STAGE, EDGE_STAGES } from '../keywords/stages.ts';
import type { AutoCancel } from '../keywords/workflow.ts';
import type { Limits } from '../limits.ts';
import type { Paths } from '../rules/paths.ts';
import type { RefContext } from '../rules/policy.ts';
import { evaluateRules, type RuleTrace } from '../rules/rules.ts';
import type { VersionOf } from './cache-key.ts';
import { type Environments, inEnvironment } from './environment.ts';
import { judgeJob, type Verdict } from './inclusion.ts';
import { planJob } from './job.ts';
import { findCycle, instancesOfNeed, lintGraph, type Roster, roster, unknownIdentifiers } from './needs.ts';
import type { Decision, Plan, PlanJob, PlanNeed, WorkflowDecision } from './plan.ts';
import { type JobFrame, jobScope, type Layers } from './scope.ts';
import { type ConfigJob, type Configuration, LONGEST_NAME } from './structure.ts';

export type PipelineContext = Environments & {
  readonly limits: Limits;
  readonly problems: Problems;
  readonly ref: RefContext;
  readonly layers: Layers;
  readonly paths: Paths;
  readonly versionOf: VersionOf;
  /** Rules are not asked. */
  readonly everyJob: boolean;
  readonly entry: Mark;
  readonly signal: AbortSignal | undefined;
};
export type Filtered = 'workflow' | 'jobs';
export type PipelineResult = {
  readonly decisions: readonly Decision[];
  readonly workflow: WorkflowDecision | null;
} & ({ readonly plan: Plan } | { readonly filtered: Filtered; readonly reason: Located } | { readonly plan: null });

type Placed = {
  readonly job: ConfigJob;
  readonly stage: string;
  readonly stageIndex: number;
  readonly instances: readonly Instance[];
};
type Included = { readonly frame: JobFrame; readonly rule: Rule | null };

const ASKED_FOR: Verdict = { included: true, reason: 'all jobs are asked for', mark: null, rule: null, seen: [] };
const WORKFLOW_FILTERED =
  'Pipeline will not run for the selected trigger. Review the workflow:rules configuration for the pipeline.';
const JOBS_FILTERED =
  'The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs.';

export async function compilePipeline(configuration: Configuration, context: PipelineContext): Promise<PipelineResult> {
  const { problems, layers, entry } = context;
  const placed = place(configuration, context);
  const people = roster(placed);
  for (const { job } of placed) lintGraph(job, people, problems);
  lintCycles(placed, people, context);
  warnDuplicatePipelines(configuration, problems);
  if (problems.errors.length > 0) return { decisions: [], workflow: null, plan: null };

  const flow = await runWorkflow(configuration, context);
  const workflow = configuration.workflow?.rules ? { included: flow.rejected === null, rules: flow.seen } : null;
  if (flow.rejected)
    return { decisions: [], workflow, filtered: 'workflow', reason: located(flow.rejected, WORKFLOW_FILTERED) };

  const rootLayer = layer(flow.variables);
  const decisions: Decision[] = [];
  const included: Included[] = [];
  for (const each of withoutReplaced(placed)) {
    const config = applyDefaults(each.job.config, configuration.defaults);
    const list = inheritVariables(config, flow.variables);
    const inherited = { list, layer: list === flow.variables ? rootLayer : layer(list) };
    for (const instance of each.instances) {
      context.signal?.throwIfAborted();
      const bare: JobFrame = { ...each, config, instance, inherited, environment: [], above: null };
      const frame = await inEnvironment(bare, layers, context);
      const around = { scope: jobScope(frame, layers), paths: context.paths, job: each.job.name };
      const verdict = context.everyJob
        ? ASKED_FOR
        : await judgeJob(config, context.ref, around, Boolean(configuration.workflow?.rules));
      const circles = verdict.included && !context.everyJob ? around.scope.circles() : [];
      if (circles.length > 0) problems.error(each.job.mark, circularVariables(instance.name, circles));
      decisions.push({
        job: instance.name,
        included: verdict.included,
        reason: verdict.reason,
        rule: verdict.mark,
        mark: each.job.mark,
        rules: verdict.seen,
      });
      if (verdict.included) included.push({ frame, rule: verdict.rule });
    }
  }
  if (!context.everyJob && !included.some(({ frame }) => !EDGE_STAGES.has(frame.stage))) {
    return { decisions, workflow, filtered: 'jobs', reason: located(entry, JOBS_FILTERED) };
  }
  const jobs = await planJobs(included, people, context);
  if (problems.errors.length > 0) return { decisions, workflow, plan: null };
  return { decisions, workflow, plan: assemble(configuration.stages, jobs, flow) };
}

function place({ jobs, stages }: Configuration, { limits, problems, entry }: PipelineContext): Placed[] {
  const total = jobs.reduce((sum, { config }) => sum + sizeOf(config.parallel), 0);
  if (total > limits.jobs) failLimit(entry, 'jobs', limits, 'jobs', total);
  return jobs.flatMap((job) => {
    const stage = job.config.stage ?? DEFAULT_STAGE;
    const stageIndex = stages.indexOf(stage);
    if (stageIndex < 0) {
      const known = stages.join(', ');
      problems.error(
        job.markOf('stage'),
        `${job.name} job: chosen stage ${stage} does not exist; available stages are ${known}`,
      );
      return [];
    }
    const instances = instancesOf(job.name, job.config.parallel);
    for (const { name } of instances) {
      if (name.length <= LONGEST_NAME || job.name.length > LONGEST_NAME) continue;
      const shown = name.slice(0, 40);
      problems.error(job.markOf('parallel'), `${shown}... name is too long (maximum is ${LONGEST_NAME} characters)`);
      break;
    }
    return [{ job, stage, stageIndex, instances }];
  });
}

/** A job that is written with the name of an instance of another one, or the other way round: the later takes the place. */
function withoutReplaced(placed: readonly Placed[]): Placed[] {
  const last = new Map(placed.flatMap(({ job, instances }) => instances.map(({ name }) => [name, job])));
  return placed.map((each) => ({
    ...each,
    instances: each.instances.filter(({ name }) => last.get(name) === each.job),
  }));
}

function sizeOf(parallel: Parallel | undefined): number {
  if (!parallel) return 1;
  return parallel.kind === 'number' ? parallel.total : matrixSize(parallel.matrix);
}

function lintCycles(placed: readonly Placed[], people: Roster, { problems }: PipelineContext): void {
  const edges = placed.flatMap(({ job, instances }) => {
    const needs = job.config.needs?.jobs ?? [];
    const plain = needs.some((need) => need.matrix !== null) ? null : neededBy(needs, people, instances[0]);
    return instances.map((instance) => [instance.name, plain ?? neededBy(needs, people, instance)] as const);
  });
  const cycle = findCycle(new Map(edges));
  const first = cycle && placed.find(({ instances }) => instances.some((instance) => instance.name === cycle[0]));
  if (first) problems.error(first.job.markOf('needs'), `The pipeline has circular dependencies: ${cycle.join(' -> ')}`);
}

function neededBy(needs: readonly Need[], people: Roster, instance: Instance | undefined): string[] {
  return instance ? needs.flatMap((need) => instancesOfNeed(need, people, instance)) : [];
}

function warnDuplicatePipelines({ jobs, workflow }: Configuration, problems: Problems): void {
  if (workflow?.rules) return;
  for (const { name, config } of jobs) {
    const last = config.rules?.at(-1);
    if (!last?.when || last.when === 'never' || last.if || last.changes || last.exists) continue;
    const why =
      'may allow multiple pipelines to run for a single action due to `rules:when` clause with no `workflow:rules`';
    problems.warn(last.mark, `jobs:${name} ${why}`);
  }
}

type Flow = Pick<Plan, 'workflow' | 'variables'> & {
  readonly rejected: Mark | null;
  readonly seen: readonly RuleTrace[];
};

async function runWorkflow({ workflow, variables }: Configuration, context: PipelineContext): Promise<Flow> {
  const { layers, entry, paths } = context;
  const scopeOf = (list: Configuration['variables']) =>
    variableScope([...layers.below, layer(list), ...layers.above], layers.budget, entry);
  let merged = variables;
  let autoCancel: AutoCancel | null = workflow?.autoCancel ?? null;
  let rejected: Mark | null = null;
  const seen: RuleTrace[] = [];
  if (workflow?.rules && !context.everyJob) {
    const rule = await evaluateRules(workflow.rules, { scope: scopeOf(variables), paths }, seen);
    if (!rule || rule.when === 'never') rejected = rule?.mark ?? entry;
    merged = mergeVariables(variables, rule?.variables ?? []);
    autoCancel = rule?.autoCancel ?? autoCancel;
  }
  const name = workflow?.name == null ? null : scopeOf(merged).expand(workflow.name, 'empty').trim();
  return { workflow: { name: name || null, autoCancel }, variables: merged, rejected, seen };
}

async function planJobs(included: readonly Included[], people: Roster, context: PipelineContext): Promise<PlanJob[]> {
  const { limits, problems, layers } = context;
  const names = new Set(included.map(({ frame }) => frame.instance.name));
  const jobs: PlanJob[] = [];
  let bytes = 0;
  for (const { frame, rule } of included) {
    context.signal?.throwIfAborted();
    const job = {
      ...(await planJob(frame, rule, layers, context)),
      needs: planNeeds(frame, rule, names, people, problems),
      dependencies: planDependencies(frame, names, people),
    };
    // Parts are shared in memory, but written out for each job where plans are stored.
    bytes += JSON.stringify(job).length;
    if (bytes > limits.planBytes) failLimit(frame.job.mark, 'bytes in the plan', limits, 'planBytes', bytes);
    jobs.push(job);
  }
  const cycle = findCycle(new Map(jobs.map((job) => [job.name, (job.needs ?? []).map((need) => need.job)])));
  if (cycle) problems.error(context.entry, `The pipeline has circular dependencies: ${cycle.join(' -> ')}`);
  return jobs;
}

function planNeeds(
  frame: JobFrame,
  rule: Rule | null,
  names: ReadonlySet<string>,
  people: Roster,
  problems: Problems,
): PlanNeed[] | null {
  const needs = rule?.needs ?? frame.config.needs;
  // One that mirrors another project's pipeline comes after the stages before it.
  if (!needs || needs.upstream !== null) return null;
  const planned = new Map<string, PlanNeed>();
  for (const { artifacts, optional, mark, ...need } of needs.jobs) {
    const whole = { artifacts, optional, mark, ...need };
    const unknown = unknownIdentifiers(whole, frame.instance);
    if (unknown.length > 0) {
      problems.error(mark, `${frame.job.name} job: unknown matrix identifiers in needs: ${unknown.join(', ')}`);
      continue;
    }
    const targets = instancesOfNeed(whole, people, frame.instance);
    for (const job of targets.length > 0 ? targets : [need.job]) {
      if (names.has(job)) planned.set(job, { job, artifacts, optional });
      else if (!optional) problems.error(mark, missingNeed(frame.instance.name, job));
    }
  }
  return [...planned.values()];
}

function missingNeed(job: string, needed: string): string {
  return (
    `'${job}' job needs '${needed}' job, but '${needed}' does not exist in the pipeline. ` +
    'This might be because of the only, except, or rules keywords. ' +
    'To need a job that sometimes does not exist in the pipeline, use needs:optional.'
  );
}

function circularVariables(job: string, circles: readonly (readonly string[])[]): string {
  const shown = circles.map((names) => `[${names.map((name) => `"${name}"`).join(', ')}]`);
  return `${job}: circular variable reference detected: ${shown.join(', ')}`;
}

function planDependencies({ config }: JobFrame, names: ReadonlySet<string>, people: Roster): string[] | null {
  if (!config.dependencies) return null;
  const all = config.dependencies.flatMap((name) => people.instances.get(name) ?? []);
  return [...new Set(all.map((instance) => instance.name))].filter((name) => names.has(name));
}

function assemble(allStages: readonly string[], jobs: readonly PlanJob[], flow: Flow): Plan {
  const used = allStages.filter((stage) => jobs.some((job) => job.stage === stage));
  const position = new Map(used.map((stage, index) => [stage, index]));
  return {
    stages: used,
    allStages,
    workflow: flow.workflow,
    variables: flow.variables,
    jobs: jobs.map((job) => ({ ...job, stageIndex: position.get(job.stage) ?? 0 })),
  };
}
