/** `rules` of a job: the first that holds says whether and how it runs. */
import type { Conditions } from '../rules/rules.ts';
import type { Node } from '../yaml/tree.ts';
import { type AllowFailure, allowFailure } from './allow-failure.ts';
import type { Keyword, KeywordContext } from './keyword.ts';
import { type Needs, needsOf, needsSchema } from './needs.ts';
import { booleanOf, field, secondsOf, textOf } from './read.ts';
import { ruleList, ruleListSchema } from './rule.ts';
import { boolean, oneOf } from './schema.ts';
import { startInSchema } from './start-in.ts';
import { plainVariablesSchema, variablesOf, type YamlVariable } from './variables.ts';
import { RULE_WHEN, type When } from './when.ts';

/** What a rule changes in its job; what it does not name stays as the job says. */
type Consequences = {
  readonly when?: When;
  readonly startIn?: number;
  readonly allowFailure?: AllowFailure;
  readonly variables: readonly YamlVariable[];
  readonly needs?: Needs;
  readonly interruptible?: boolean;
};
export type Rule = Conditions & Consequences;

function consequencesOf(node: Node, context: KeywordContext): Consequences {
  const when = textOf(field(node, 'when')) as When | null;
  const startIn = field(node, 'start_in');
  const failure = field(node, 'allow_failure');
  const needs = field(node, 'needs');
  const interruptible = booleanOf(field(node, 'interruptible'));
  if (when === 'delayed' && !startIn) {
    context.problems.error(node.mark, `${context.at.path} start in should be a duration`);
  } else if (startIn && when !== 'delayed') {
    context.problems.error(startIn.mark, `${context.at.path} start in must be blank: it needs when: delayed`);
  }
  return {
    ...(when ? { when } : {}),
    ...(startIn ? { startIn: secondsOf(startIn) ?? 0 } : {}),
    ...(failure ? { allowFailure: allowFailure.normalise(failure, context) } : {}),
    variables: variablesOf(field(node, 'variables')),
    ...(needs ? { needs: needsOf(needs, context) } : {}),
    ...(interruptible === null ? {} : { interruptible }),
  };
}

export const rules: Keyword<Rule[]> = {
  name: 'rules',
  schema: ruleListSchema({
    when: oneOf(RULE_WHEN),
    start_in: startInSchema,
    allow_failure: allowFailure.schema,
    variables: plainVariablesSchema,
    needs: needsSchema,
    interruptible: boolean,
  }),
  normalise: (node, context) => ruleList(node, context, consequencesOf),
  lint: ({ name, config, markOf }, problems) => {
    if (config.rules === undefined) return;
    const clashing = (['only', 'except', 'start_in'] as const).filter((key) => config[key] !== undefined);
    if (clashing.length === 0) return;
    problems.error(
      markOf(clashing[0]!),
      `jobs:${name} config key may not be used with \`rules\`: ${clashing.join(', ')}`,
    );
  },
};
