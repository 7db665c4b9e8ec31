/** Why jobs are in a pipeline or not: the rules that were looked at, where they are, and with which values. */
import type { CompileResult, Decision, Mark, RuleTrace } from '@millrace/ci-config';
import type { Static } from 'typebox';
import { Count, Entity, Fields, Flag, ListOf, Nullable, Sometimes, Text, Word } from '../../../kernel/http/entity.ts';

const place = { file: Text(), line: Count({ description: 'Line in the file, from 1' }) };

const Rules = ListOf(
  Fields({
    ...place,
    holds: Flag({ description: 'Whether all conditions are true: the first such rule decides' }),
    conditions: ListOf(
      Fields({
        kind: Word(['if', 'changes', 'exists']),
        text: Text({ description: 'As written' }),
        holds: Flag(),
        values: ListOf(
          Fields({
            name: Text(),
            value: Nullable(Text(), { description: 'Null where there is no such variable, and where it is hidden' }),
            hidden: Flag({ description: 'Whether it comes from settings or from whoever started the pipeline' }),
          }),
          { description: 'Variables that the expression reads' },
        ),
      }),
      { description: 'Those that were looked at: after a false one the others are not' },
    ),
  }),
  { description: 'Rules in order, up to the one that decided' },
);

const fields = {
  workflow: Nullable(Fields({ included: Flag(), rules: Rules }), {
    description: 'Decision of `workflow:rules`; null without them',
  }),
  jobs: ListOf(
    Fields({
      name: Text(),
      included: Flag(),
      reason: Text(),
      ...place,
      rules: Rules,
    }),
  ),
};

export const PipelineExplanation = Entity('PipelineExplanation', fields);
export type ExplanationJson = Static<typeof PipelineExplanation>;

const event = {
  ref: Text(),
  sha: Text(),
  source: Text(),
  outcome: Word(['pipeline', 'none', 'invalid'], {
    description: 'Whether a pipeline is created: `none` where rules leave nothing to run',
  }),
  errors: ListOf(Text()),
  complete: Flag({
    description: 'Whether variables of settings took part: only for those who may run pipelines on the ref',
  }),
  ...fields,
};

export const EventExplanation = Entity('EventExplanation', {
  ...event,
  compared: Sometimes(Fields(event, { description: 'The other event' })),
  differences: Sometimes(
    ListOf(
      Fields({
        name: Text(),
        included: Nullable(Flag(), { description: 'Null where the configuration has no such job' }),
        compared: Nullable(Flag()),
        reason: Nullable(Text()),
        compared_reason: Nullable(Text()),
      }),
      { description: 'Jobs that are in one pipeline and not in the other' },
    ),
  ),
});
export type EventJson = Omit<Static<typeof EventExplanation>, 'compared' | 'differences'>;

const at = ({ file, line }: Mark) => ({ file, line });

const rulesJson = (rules: readonly RuleTrace[]): ExplanationJson['jobs'][number]['rules'] =>
  rules.map(({ mark, holds, conditions }) => ({
    ...at(mark),
    holds,
    conditions: conditions.map(({ values, ...condition }) => ({
      ...condition,
      values: values.map((value) => ({ ...value })),
    })),
  }));

const jobJson = ({ job, included, reason, mark, rules }: Decision): ExplanationJson['jobs'][number] => ({
  name: job,
  included,
  reason,
  ...at(mark),
  rules: rulesJson(rules),
});

export function explanationJson({ decisions, workflow }: CompileResult): ExplanationJson {
  return {
    workflow: workflow && { included: workflow.included, rules: rulesJson(workflow.rules) },
    jobs: decisions.map(jobJson),
  };
}

/** Jobs that only one of two events runs. */
export function differencesOf(one: ExplanationJson, other: ExplanationJson) {
  const byName = ({ jobs }: ExplanationJson) => new Map(jobs.map((job) => [job.name, job]));
  const [mine, theirs] = [byName(one), byName(other)];
  return [...new Set([...mine.keys(), ...theirs.keys()])].flatMap((name) => {
    const [a, b] = [mine.get(name), theirs.get(name)];
    if ((a?.included ?? false) === (b?.included ?? false)) return [];
    return {
      name,
      included: a?.included ?? null,
      compared: b?.included ?? null,
      reason: a?.reason ?? null,
      compared_reason: b?.reason ?? null,
    };
  });
}
