/** Expressions in what a job runs (`${{ job.inputs.NAME }}`), and `run` as steps with scripts. Pure. */
import { JobFailure } from './errors.ts';
import { quote } from './executors/script.ts';
import { parseBlock } from './expressions/parser.ts';
import { ExpressionError, textOf, type Value } from './expressions/values.ts';
import type { JobPayload, JobStep } from './protocol.ts';

/** A name as it always could be written: with dashes, which are operators elsewhere. */
const INPUT = /\$\{\{\s*job\.inputs\.([A-Za-z0-9_-]+)\s*\}\}/y;

/** What expressions see: `job.inputs`. */
type Context = { readonly job: { readonly inputs: Readonly<Record<string, Value>> } };

/** The value of the expression at a place in a text, and where it ends. */
function valueAt(text: string, place: number, context: Context): { value: Value; end: number } {
  INPUT.lastIndex = place;
  const [all, name = ''] = INPUT.exec(text) ?? [];
  if (all !== undefined && Object.hasOwn(context.job.inputs, name))
    return { value: context.job.inputs[name] as Value, end: place + all.length };
  const { evaluate, end } = parseBlock(text, place);
  return { value: evaluate(context), end };
}

/** Text with the values of its expressions in it. What has no value ends the job, as a typing error would go unnoticed. */
function expand(text: string, context: Context): string {
  let made = '';
  let from = 0;
  for (let at = text.indexOf('${{'); at >= 0; at = text.indexOf('${{', from)) {
    const isEscaped = at > from && text[at - 1] === '\\';
    made += text.slice(from, isEscaped ? at - 1 : at);
    from = at + 3;
    if (isEscaped) {
      made += text.slice(at, from);
      continue;
    }
    try {
      const { value, end } = valueAt(text, at, context);
      made += textOf(value);
      from = end;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const [shown = ''] = text.slice(at).split('\n', 1);
      const message = `failed to interpolate job inputs: ${shown.slice(0, 200)}: ${error.message}`;
      throw new JobFailure('script_failure', message, 1);
    }
  }
  return made + text.slice(from);
}

/** Every text of a value. Jobs without inputs keep what they have written. */
function expanded<T>(value: T, context: Context): T {
  if (typeof value === 'string') return expand(value, context) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => expanded(item, context)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expanded(item as unknown, context)])) as T;
}

type RunStep = { name?: unknown; script?: unknown; env?: Record<string, unknown> };

/** The steps of `run`; those that are no scripts need a runner that fetches functions. */
function runSteps(run: string): JobStep[] {
  const steps = JSON.parse(run) as RunStep[];
  return steps.map(({ name, script, env = {} }) => {
    if (typeof script !== 'string')
      throw new JobFailure(
        'runner_system_failure',
        `step ${String(name)} is no script, and this runner runs scripts only`,
      );
    const exports = Object.entries(env).map(
      ([key, value]) => `export ${key}=${quote(typeof value === 'string' ? value : JSON.stringify(value))}`,
    );
    return { name: String(name), script: [...exports, script], when: 'on_success' };
  });
}

/** The job as it is run: inputs in place, and a step for each one of `run`. */
export function resolveJob(job: JobPayload): JobPayload {
  const steps = [...(job.run ? runSteps(job.run) : []), ...(job.steps ?? [])];
  const inputs = job.inputs ?? [];
  if (inputs.length === 0) return { ...job, steps };
  const { image, services, artifacts, cache } = job;
  const values = Object.fromEntries(inputs.map(({ key, value }) => [key, value.content as Value]));
  return { ...job, ...expanded({ steps, image, services, artifacts, cache }, { job: { inputs: values } }) };
}
