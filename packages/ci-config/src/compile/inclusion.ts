/** Whether a job is in the pipeline, by its `rules` or `only`/`except`, and why. */
import type { Mark } from '../diagnostics.ts';
import type { JobConfig } from '../keywords/index.ts';
import type { Rule } from '../keywords/rules.ts';
import { DEFAULT_ONLY, exceptHolds, onlyHolds, type RefContext } from '../rules/policy.ts';
import { describeConditions, evaluateRules, type RuleTrace, type Surroundings } from '../rules/rules.ts';

export type Verdict = {
  readonly included: boolean;
  readonly reason: string;
  readonly mark: Mark | null;
  /** The rule that held. */
  readonly rule: Rule | null;
  /** The rules that were looked at. */
  readonly seen: readonly RuleTrace[];
};

export async function judgeJob(
  config: JobConfig,
  ref: RefContext,
  around: Surroundings,
  workflowHasRules: boolean,
): Promise<Verdict> {
  if (config.rules) return judgeRules(config.rules, config, around);
  const { except } = config;
  // Without rules anywhere, jobs run for branches and tags and not for merge requests.
  const only = config.only ?? (workflowHasRules ? undefined : DEFAULT_ONLY);
  if (only && !(await onlyHolds(only, ref, around))) {
    const reason = config.only ? '`only` does not hold' : 'jobs without `rules` or `only` run for branches and tags';
    return { included: false, reason, mark: null, rule: null, seen: [] };
  }
  if (except && (await exceptHolds(except, ref, around))) {
    return { included: false, reason: '`except` holds', mark: null, rule: null, seen: [] };
  }
  const limited = config.only ?? except;
  const reason = limited ? '`only` and `except` allow it' : 'nothing limits it';
  return { included: true, reason, mark: null, rule: null, seen: [] };
}

async function judgeRules(rules: readonly Rule[], config: JobConfig, around: Surroundings): Promise<Verdict> {
  const seen: RuleTrace[] = [];
  const rule = await evaluateRules(rules, around, seen);
  if (!rule) return { included: false, reason: 'no rule matches', mark: null, rule: null, seen };
  const when = rule.when ?? config.when ?? 'on_success';
  const reason = `rule ${rules.indexOf(rule) + 1} matches (${describeConditions(rule)}): when ${when}`;
  return { included: when !== 'never', reason, mark: rule.mark, rule, seen };
}
