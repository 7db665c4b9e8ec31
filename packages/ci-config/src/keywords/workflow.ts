/** `workflow`: whether the pipeline runs at all, its name, and when newer ones cancel it. */
import type { Conditions } from '../rules/rules.ts';
import type { Node } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { field, textOf } from './read.ts';
import { ruleList, ruleListSchema } from './rule.ts';
import { hash, noLonger, oneOf, type Schema, text } from './schema.ts';
import { plainVariablesSchema, variablesOf, type YamlVariable } from './variables.ts';

/** Null leaves the choice to the project. */
export type AutoCancel = {
  readonly onNewCommit: 'conservative' | 'interruptible' | 'none' | null;
  readonly onJobFailure: 'all' | 'none' | null;
};
type WorkflowRule = Conditions & {
  readonly when: 'always' | 'never';
  readonly variables: readonly YamlVariable[];
  readonly autoCancel: AutoCancel | null;
};
export type Workflow = {
  readonly name: string | null;
  readonly rules: readonly WorkflowRule[] | null;
  readonly autoCancel: AutoCancel | null;
};

const mustBe = (values: readonly string[]) => oneOf(values, `must be one of: ${values.join(', ')}`);
const autoCancel = hash({
  keys: { on_new_commit: mustBe(['conservative', 'interruptible', 'none']), on_job_failure: mustBe(['none', 'all']) },
});

const ignored: Schema = (node, at, problems) => {
  problems.warn(node.mark, `${at.path} ${at.noun} has no effect in workflow:rules`);
  return true;
};
/** Keywords of jobs' rules that the ecosystem takes here, too, and does nothing with. */
const withoutEffect = { start_in: ignored, allow_failure: ignored, needs: ignored };

function autoCancelOf(node: Node | undefined): AutoCancel | null {
  return node
    ? {
        onNewCommit: textOf(field(node, 'on_new_commit')) as AutoCancel['onNewCommit'],
        onJobFailure: textOf(field(node, 'on_job_failure')) as AutoCancel['onJobFailure'],
      }
    : null;
}

export const workflow: Keyword<Workflow> = {
  name: 'workflow',
  schema: hash({
    keys: {
      name: noLonger(255, text),
      rules: ruleListSchema({
        when: oneOf(['always', 'never']),
        variables: plainVariablesSchema,
        auto_cancel: autoCancel,
        ...withoutEffect,
      }),
      auto_cancel: autoCancel,
    },
  }),
  normalise: (node, context) => {
    const rules = field(node, 'rules');
    return {
      name: textOf(field(node, 'name')),
      rules: rules
        ? ruleList(rules, { ...context, at: { path: `${context.at.path}:rules`, noun: 'config' } }, (rule) => ({
            when: (textOf(field(rule, 'when')) ?? 'always') as 'always' | 'never',
            variables: variablesOf(field(rule, 'variables')),
            autoCancel: autoCancelOf(field(rule, 'auto_cancel')),
          }))
        : null,
      autoCancel: autoCancelOf(field(node, 'auto_cancel')),
    };
  },
};
