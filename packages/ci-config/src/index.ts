/**
 * The compiler of `.gitlab-ci.yml`: text + context -> plan | located errors. Pure: no file system, network, clock;
 * what it needs from outside are functions of its input.
 */

import { layer, type Unknown, type Variable, variableScope } from './expand/variables.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { evaluate } from './rules/evaluator.ts';
import { parseExpression } from './rules/parser.ts';

export { type CompileContext, type CompileInput, type CompileResult, compile } from './compile/compile.ts';
export type { Filtered } from './compile/pipeline.ts';
export type { Decision, Plan, PlanCache, PlanJob, PlanNeed, PlanVariable, WorkflowDecision } from './compile/plan.ts';
export { formatLocated, type Located, type Mark } from './diagnostics.ts';
export { parseDotenv } from './dotenv.ts';
export { parseDuration } from './duration.ts';
export { expandForRunner } from './expand/for-runner.ts';
export type { Variable } from './expand/variables.ts';
export type { Fetch, FetchFailure, IncludedFile, IncludeSource } from './include/resolve.ts';
export { filesMatching } from './include/wildcard.ts';
export { type ComponentInputs, componentInputs } from './inputs/component.ts';
export type { InputDeclaration } from './inputs/declarations.ts';
export { jobInputValues } from './inputs/job-inputs.ts';
export type { Artifacts, Report } from './keywords/artifacts.ts';
export type { FileVersion } from './keywords/cache.ts';
export type { Environment } from './keywords/environment.ts';
export type { Hook } from './keywords/hooks.ts';
export type { IdToken } from './keywords/id-tokens.ts';
export type { Image } from './keywords/image.ts';
export type { Release } from './keywords/release.ts';
export type { Retry } from './keywords/retry.ts';
export type { RunStep } from './keywords/run.ts';
export type { Secret, SecretProvider } from './keywords/secrets.ts';
export type { Service } from './keywords/services.ts';
export type { Trigger } from './keywords/trigger.ts';
export type { YamlVariable } from './keywords/variables.ts';
export type { AutoCancel } from './keywords/workflow.ts';
export { DEFAULT_LIMITS, type Limits, type LimitUse } from './limits.ts';
export { environmentSlug, groupName, nameSlug } from './names.ts';
export { ExpressionError } from './rules/lexer.ts';
export type { OtherProject } from './rules/paths.ts';
export type { ConditionTrace, RuleTrace, SeenValue } from './rules/rules.ts';
export { readYaml, YamlError } from './yaml/plain.ts';

const NOWHERE = { file: '', line: 1, column: 1 };

/**
 * Replaces `$NAME`, `${NAME}` and, of variables that there are, `%NAME%` in a text, nested references included. Later
 * variables win.
 * One that refers to its own name means the variable of that name before it. Values stay as they are written where some refer
 * to each other in a circle, and so does an unknown name with `keep`. Throws when a value grows past the limits.
 */
export function expandVariables(
  text: string,
  variables: readonly Variable[],
  unknown: Unknown = 'empty',
  limits: Limits = DEFAULT_LIMITS,
): string {
  return variableScope([layer(variables)], { limits, used: 0 }, NOWHERE).expand(text, unknown);
}

/** Truth of a `rules:if` expression over these variables; throws ExpressionError when it cannot be read. */
export function evaluateExpression(
  text: string,
  variables: readonly Variable[],
  limits: Limits = DEFAULT_LIMITS,
): boolean {
  const scope = variableScope([layer(variables)], { limits, used: 0 }, NOWHERE);
  return evaluate(parseExpression(text, limits), scope.written);
}
