/** `millrace ci`: the pipeline of a checkout, without a server: checked, listed, explained and run. */
import { type CompileResult, type Decision, formatLocated, groupName, type RuleTrace } from '@millrace/ci-config';
import { openWorkTree, type WorkTree } from '@millrace/git/work-tree';
import type { ExecutorName } from '@millrace/runner';
import { parse, UsageError } from '../arguments.ts';
import { byStage, CiError, compileLocally, type EventOptions } from '../ci/event.ts';
import { type Command, type Surroundings, table } from '../command.ts';

const options = {
  directory: 'string',
  file: 'string',
  source: 'string',
  ref: 'string',
  tag: 'string',
  base: 'string',
  variable: 'list',
  input: 'list',
} as const;
const executors: readonly string[] = ['auto', 'shell', 'bubblewrap', 'container', 'dummy'];

type Parsed = {
  readonly [K in keyof typeof options]?: (typeof options)[K] extends 'list' ? readonly string[] : string;
};

async function checkout({ directory = '.' }: Parsed, around: Surroundings): Promise<WorkTree> {
  const tree = await openWorkTree(directory, { env: around.env });
  if (!tree) throw new CiError(`${directory} is not in a git repository with a commit`);
  return tree;
}

const eventOf = ({ variable = [], input = [], ...rest }: Parsed): EventOptions => ({
  ...rest,
  variables: variable,
  inputs: input,
});

/** The plan, with warnings told; what is wrong ends the command. */
async function planned(given: Parsed, around: Surroundings) {
  const tree = await checkout(given, around);
  const pipeline = await compileLocally(tree, eventOf(given));
  const { result } = pipeline;
  for (const warning of result.warnings) around.warn(formatLocated(warning));
  if (!result.ok) throw new CiError(result.errors.map(formatLocated).join('\n'));
  return { tree, pipeline, plan: result.plan };
}

async function lint(args: readonly string[], around: Surroundings): Promise<number> {
  const { options: given } = parse(args, [], options);
  const { result } = await compileLocally(await checkout(given, around), eventOf(given));
  for (const warning of result.warnings) around.warn(`warning: ${formatLocated(warning)}`);
  const errors = result.ok || result.filtered ? [] : result.errors;
  for (const error of errors) around.print(formatLocated(error));
  if (errors.length === 0) around.print('The configuration is valid');
  return errors.length === 0 ? 0 : 1;
}

async function list(args: readonly string[], around: Surroundings): Promise<number> {
  const { options: given } = parse(args, [], { ...options, json: 'boolean' });
  const { plan } = await planned(given, around);
  if (given.json) around.print(JSON.stringify(byStage(plan), null, 2));
  else {
    const rows = byStage(plan).map(({ name, stage, when, needs }) => [
      name,
      stage,
      when,
      needs === null ? '' : needs.map((need) => need.job).join(', ') || 'none',
    ]);
    for (const line of table([['JOB', 'STAGE', 'WHEN', 'NEEDS'], ...rows])) around.print(line);
  }
  return 0;
}

function ruleLines({ mark, holds, conditions }: RuleTrace): string[] {
  const values = ({ name, value, hidden }: RuleTrace['conditions'][number]['values'][number]) =>
    `      $${name} ${hidden || value !== null ? `= ${hidden ? '[masked]' : JSON.stringify(value)}` : 'is not set'}`;
  return [
    `  ${mark.file}:${mark.line} ${holds ? 'matches' : 'does not match'}`,
    ...conditions.flatMap((one) => [
      `    ${one.holds ? 'true ' : 'false'} ${one.kind}: ${one.text}`,
      ...one.values.map(values),
    ]),
  ];
}

const jobLines = ({ job, included, reason, mark, rules }: Decision): string[] => [
  `${included ? '+' : '-'} ${job} (${mark.file}:${mark.line}): ${reason}`,
  ...rules.flatMap(ruleLines),
];

/** One event with what became of it. */
type Explained = { readonly source: string; readonly result: CompileResult; readonly decisions: readonly Decision[] };

const errorsOf = ({ result }: Explained): string[] => (result.ok ? [] : result.errors.map(formatLocated));

/** The jobs that only one of two events runs, and why an event has no pipeline. */
function comparedLines(one: Explained, other: Explained): string[] {
  const both = [one, other].map((each) => ({ each, jobs: new Map(each.decisions.map((made) => [made.job, made])) }));
  const names = new Set(both.flatMap(({ jobs }) => [...jobs.keys()]));
  const differing = [...names].filter(
    (name) => new Set(both.map(({ jobs }) => jobs.get(name)?.included ?? false)).size > 1,
  );
  const lines = [
    ...both.flatMap(({ each }) => errorsOf(each).map((error) => `${each.source}: no pipeline: ${error}`)),
    ...differing.flatMap((name) =>
      both.flatMap(({ each, jobs }) => {
        const decision = jobs.get(name);
        return decision ? `${each.source}: ${jobLines(decision).join('\n')}` : [];
      }),
    ),
  ];
  return lines.length > 0 ? lines : [`${one.source} and ${other.source} run the same jobs`];
}

async function explain(args: readonly string[], around: Surroundings): Promise<number> {
  const known = { ...options, job: 'list', compare: 'string', json: 'boolean' } as const;
  const { options: given } = parse(args, [], known);
  const tree = await checkout(given, around);
  const wanted = ({ job }: Decision) => !given.job || given.job.includes(job) || given.job.includes(groupName(job));
  const explained = async (source: string | undefined): Promise<Explained> => {
    const { result } = await compileLocally(tree, { ...eventOf(given), ...(source === undefined ? {} : { source }) });
    const decisions = result.decisions.filter(wanted);
    if (given.job && result.decisions.length > 0 && decisions.length === 0)
      throw new CiError(`the configuration has no job ${given.job.join(', ')}`);
    return { source: source ?? 'push', result, decisions };
  };
  const one = await explained(given.source);
  const other = given.compare === undefined ? null : await explained(given.compare);
  const isWrong = ({ result }: Explained) => !result.ok && !result.filtered;
  if (given.json) {
    const shown = (each: Explained) => ({
      source: each.source,
      errors: errorsOf(each),
      workflow: each.result.workflow,
      jobs: each.decisions,
    });
    around.print(JSON.stringify({ ...shown(one), ...(other ? { compared: shown(other) } : {}) }, null, 2));
  } else if (other) for (const line of comparedLines(one, other)) around.print(line);
  else {
    const { workflow } = one.result;
    if (workflow) {
      around.print(`workflow: ${workflow.included ? 'a pipeline is created' : 'no pipeline'}`);
      for (const line of workflow.rules.flatMap(ruleLines)) around.print(line);
    }
    for (const line of one.decisions.flatMap(jobLines)) around.print(line);
    if (isWrong(one)) throw new CiError(errorsOf(one).join('\n'));
  }
  return isWrong(one) || (other && isWrong(other)) ? 1 : 0;
}

/** On the server: what only the local engine knows is refused. */
async function runOnServer(args: readonly string[], around: Surroundings): Promise<number> {
  const { options: given } = parse(args, [], {
    ...{ remote: 'boolean', directory: 'string', variable: 'list', input: 'list' },
    ...{ server: 'string', project: 'string', keep: 'boolean' },
  } as const);
  const { runRemotely } = await import('../ci/remote.ts');
  const tree = await checkout(given, around);
  const interrupted = around.interrupted();
  const { status, jobs } = await runRemotely(tree, {
    server: given.server,
    project: given.project,
    token: around.env.MILLRACE_TOKEN,
    variables: given.variable ?? [],
    inputs: given.input ?? [],
    keep: given.keep ?? false,
    interrupted,
    print: around.print,
    write: around.write,
  });
  around.print('');
  for (const line of table([...jobs].map(([name, outcome]) => [outcome, name]))) around.print(line);
  around.print(`pipeline ${status}`);
  return status === 'success' || status === 'manual' ? 0 : 1;
}

async function run(args: readonly string[], around: Surroundings): Promise<number> {
  if (args.includes('--remote')) return await runOnServer(args, around);
  const { options: given } = parse(args, [], { ...options, job: 'list', stage: 'list', executor: 'string' });
  const executor = given.executor ?? 'auto';
  if (!executors.includes(executor))
    throw new UsageError(`--executor is ${executor}, but must be one of ${executors.join(', ')}`);
  const { tree, pipeline, plan } = await planned(given, around);
  const { runPlan } = await import('../ci/run.ts');
  const interrupted = around.interrupted();
  const outcomes = await runPlan(tree, pipeline, plan, {
    only: given.job ?? [],
    stages: given.stage ?? [],
    executor: executor as ExecutorName,
    path: around.env.PATH,
    interrupted,
    output: (chunk) => around.write(chunk),
    say: around.print,
  });
  around.print('');
  const rows = [...outcomes].map(([name, { state, note = '' }]) => [state, name, note]);
  for (const line of table(rows)) around.print(line);
  if (interrupted.aborted) return 130;
  return rows.some(([state]) => state === 'failed') ? 1 : 0;
}

const forms: Readonly<Record<string, (args: readonly string[], around: Surroundings) => Promise<number>>> = {
  lint,
  list,
  explain,
  run,
};

const event =
  '[--source push] [--ref BRANCH | --tag TAG] [--base REF] [--variable NAME=VALUE]... [--input NAME=VALUE]... [--file FILE] [--directory DIR]';

export const ciCommand: Command = {
  name: 'ci',
  summary: 'Check, list, explain and run the pipeline of a checkout, with its uncommitted changes',
  usage: [
    `millrace ci lint ${event}`,
    'millrace ci list [--json] ...',
    'millrace ci explain [--job JOB]... [--compare SOURCE] [--json] ...',
    `millrace ci run [--job JOB]... [--stage STAGE]... [--executor ${executors.join('|')}] ...`,
    'millrace ci run --remote [--server URL] [--project PATH] [--keep] [--variable NAME=VALUE]... [--input NAME=VALUE]... [--directory DIR] (MILLRACE_TOKEN: an access token)',
  ],
  run: async ([form, ...rest], around) => {
    const chosen = forms[form ?? ''];
    if (!chosen) throw new UsageError(form ? `there is no ci ${form}` : 'lint, list, explain or run is missing');
    return await chosen(rest, around);
  },
};
