/** `only` and `except`: the older way to say when a job runs. */
import { type Policy, patternAndPath } from '../keywords/policy.ts';
import { evaluate } from './evaluator.ts';
import { patternOf } from './regex.ts';
import type { Surroundings } from './rules.ts';

/** What the refs of a policy are compared with. `source` is the pipeline's: push, web, merge_request_event ... */
export type RefContext = { readonly ref: string; readonly tag: boolean; readonly source: string };

export const DEFAULT_ONLY: Policy = { refs: ['branches', 'tags'] };

/** `only`: every kind of condition must hold. */
export async function onlyHolds(policy: Policy, ref: RefContext, around: Surroundings): Promise<boolean> {
  return (await judge(policy, ref, around)).every(Boolean);
}

/** `except`: one kind of condition that holds is enough to leave the job out. */
export async function exceptHolds(policy: Policy, ref: RefContext, around: Surroundings): Promise<boolean> {
  return (await judge(policy, ref, around)).some(Boolean);
}

async function judge(policy: Policy, ref: RefContext, { scope, paths }: Surroundings): Promise<boolean[]> {
  const results: boolean[] = [];
  if (policy.refs) results.push(policy.refs.some((pattern) => matchesRef(pattern, ref, scope.get('CI_PROJECT_PATH'))));
  // No cluster is ever connected here.
  if (policy.kubernetes) results.push(false);
  if (policy.variables) {
    results.push(policy.variables.some(({ expression }) => evaluate(expression, scope.written)));
  }
  if (policy.changes) {
    const patterns = policy.changes.map((path) => scope.expand(path, 'keep'));
    results.push((await paths.changed(patterns, undefined)) !== false);
  }
  return results;
}

function matchesRef(written: string, { ref, tag, source }: RefContext, project: string | undefined): boolean {
  const { pattern, path } = patternAndPath(written);
  // The name of a ref may hold an `@` of its own.
  if (path !== null && path !== project) return written === ref;
  const mergeRequest = source === 'merge_request_event';
  if (pattern === 'tags') return tag;
  if (pattern === 'branches') return !tag && !mergeRequest;
  if (pattern === 'merge_requests') return mergeRequest;
  // web, api and external name themselves; pushes, schedules, triggers, pipelines are plurals of the source.
  if (pattern === source || pattern === `${source}s` || pattern === `${source}es`) return true;
  const regex = patternOf(pattern);
  if (regex) return !mergeRequest && regex.test(ref);
  return pattern === ref;
}
