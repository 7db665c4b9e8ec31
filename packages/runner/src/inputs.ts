/** `${{ job.inputs.NAME }}` in what a job runs, and `run` as steps with scripts. Pure. */
import { JobFailure } from './errors.ts';
import { quote } from './executors/script.ts';
import type { JobInput, JobPayload, JobStep } from './protocol.ts';

const EXPRESSION = /\$\{\{\s*([^{}]*?)\s*\}\}/g;
const INPUT = /^job\.inputs\.([A-Za-z0-9_-]+)$/;

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** Text with the values of inputs in it. What is no input of the job ends it, as a typing error would go unnoticed. */
function expand(text: string, inputs: readonly JobInput[]): string {
  return text.replace(EXPRESSION, (_all, expression: string) => {
    const name = INPUT.exec(expression)?.[1];
    const input = inputs.find(({ key }) => key === name);
    if (!input) throw new JobFailure('script_failure', `failed to interpolate job inputs: ${expression}`, 1);
    return textOf(input.value.content);
  });
}

/** Every text of a value. Jobs without inputs keep what they have written. */
function expanded<T>(value: T, inputs: readonly JobInput[]): T {
  if (typeof value === 'string') return expand(value, inputs) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => expanded(item, inputs)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expanded(item as unknown, inputs)])) as T;
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
    const exports = Object.entries(env).map(([key, value]) => `export ${key}=${quote(textOf(value))}`);
    return { name: String(name), script: [...exports, script], when: 'on_success' };
  });
}

/** The job as it is run: inputs in place, and a step for each one of `run`. */
export function resolveJob(job: JobPayload): JobPayload {
  const steps = [...(job.run ? runSteps(job.run) : []), ...(job.steps ?? [])];
  const inputs = job.inputs ?? [];
  if (inputs.length === 0) return { ...job, steps };
  const { image, services, artifacts, cache } = job;
  return { ...job, ...expanded({ steps, image, services, artifacts, cache }, inputs) };
}
