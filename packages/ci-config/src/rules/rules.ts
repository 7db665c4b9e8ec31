/** `rules`: the first rule whose every condition holds decides. */
import { fail, type Mark } from '../diagnostics.ts';
import type { Scope } from '../expand/variables.ts';
import { evaluate } from './evaluator.ts';
import { type Expression, namesIn } from './parser.ts';
import { compilePathRegexp } from './path-regexp.ts';
import type { Paths, Wanted } from './paths.ts';

/** Paths that are looked for: by globs, or by a regular expression where that is not null. */
type Searched = { readonly paths: readonly string[]; readonly regexp: string | null };

/** The conditions of a rule; the keyword adds what follows from it. */
export type Conditions = {
  readonly mark: Mark;
  readonly if?: { readonly text: string; readonly expression: Expression };
  readonly changes?: Searched & { readonly compareTo: string | undefined };
  /** Files of the commit, or of another project where one is named. */
  readonly exists?: Searched & { readonly project: string | null; readonly ref: string | null };
};

/** What conditions are judged by. */
export type Surroundings = {
  readonly scope: Scope;
  readonly paths: Paths;
  /** The job whose rules they are. */
  readonly job?: string;
};

/** A variable that an expression read; hidden ones without their value. */
export type SeenValue = { readonly name: string; readonly value: string | null; readonly hidden: boolean };
export type ConditionTrace = {
  readonly kind: 'if' | 'changes' | 'exists';
  readonly text: string;
  readonly holds: boolean;
  readonly values: readonly SeenValue[];
};
/** A rule that was looked at, with its conditions up to the first false one. */
export type RuleTrace = {
  readonly mark: Mark;
  readonly holds: boolean;
  readonly conditions: readonly ConditionTrace[];
};

/** Characters of a value that are shown. */
const MOST_SHOWN = 200;
const MOST_VALUES = 20;

/** The first rule that holds; null when none does. A rule without conditions always holds. `seen` gets what was looked at. */
export async function evaluateRules<R extends Conditions>(
  rules: readonly R[],
  around: Surroundings,
  seen?: RuleTrace[],
): Promise<R | null> {
  for (const rule of rules) {
    const conditions: ConditionTrace[] = [];
    const holds = await holdsFor(rule, around, seen && conditions);
    const { file, line, column } = rule.mark;
    seen?.push({ mark: { file, line, column }, holds, conditions });
    if (holds) return rule;
  }
  return null;
}

async function holdsFor(rule: Conditions, around: Surroundings, seen: ConditionTrace[] | undefined): Promise<boolean> {
  if (rule.if) {
    const { scope } = around;
    const holds = evaluate(rule.if.expression, scope.written);
    seen?.push({ kind: 'if', text: rule.if.text, holds, values: valuesOf(rule.if.expression, scope) });
    if (!holds) return false;
  }
  if (rule.changes) {
    const holds = await changesHold(rule, rule.changes, around);
    seen?.push({ kind: 'changes', text: shown(rule.changes), holds, values: [] });
    if (!holds) return false;
  }
  if (!rule.exists) return true;
  const holds = await existsHolds(rule, rule.exists, around);
  seen?.push({ kind: 'exists', text: shown(rule.exists), holds, values: [] });
  return holds;
}

function valuesOf(expression: Expression, scope: Scope): SeenValue[] {
  const names = [...new Set(namesIn(expression))].slice(0, MOST_VALUES);
  return names.map((name) => {
    const hidden = scope.conceals(name);
    return { name, value: hidden ? null : (scope.written(name)?.slice(0, MOST_SHOWN) ?? null), hidden };
  });
}

/** What is looked for, with its variables expanded; `kind` names the condition in messages. */
function wantedOf(
  { paths, regexp }: Searched,
  { mark }: Conditions,
  { scope, job }: Surroundings,
  kind: 'changes' | 'exists',
): Wanted {
  if (regexp === null) return paths.map((path) => scope.expand(path, 'keep'));
  const compiled = compilePathRegexp(scope.expand(regexp, 'keep'));
  return typeof compiled === 'string' ? fail(mark, `${ruleOf(job)}rules:${kind}:regexp ${compiled}`) : compiled;
}

const ruleOf = (job: string | undefined): string => (job === undefined ? '' : `Failed to parse rule for ${job}: `);

async function changesHold(
  rule: Conditions,
  changes: NonNullable<Conditions['changes']>,
  around: Surroundings,
): Promise<boolean> {
  const { scope, paths, job } = around;
  const { compareTo } = changes;
  const changed = await paths.changed(
    wantedOf(changes, rule, around, 'changes'),
    compareTo && scope.expand(compareTo, 'keep'),
  );
  if (changed === 'unknown ref') fail(rule.mark, `${ruleOf(job)}rules:changes:compare_to is not a valid ref`);
  return changed;
}

async function existsHolds(
  rule: Conditions,
  exists: NonNullable<Conditions['exists']>,
  around: Surroundings,
): Promise<boolean> {
  const { scope, paths, job } = around;
  const { project, ref } = exists;
  const wanted = wantedOf(exists, rule, around, 'exists');
  if (project === null) return await paths.exist(wanted);
  const place = { project: scope.expand(project, 'empty'), ref: ref === null ? null : scope.expand(ref, 'empty') };
  const found = await paths.existIn(place, wanted);
  if (found === null)
    fail(rule.mark, `${ruleOf(job)}rules:exists:project \`${project}\` or its ref does not exist, or access is denied`);
  return found;
}

const shown = ({ paths, regexp }: Searched): string => (regexp === null ? paths.slice(0, 5).join(', ') : `/${regexp}/`);

/** The conditions as a sentence part, for telling people why a job is in or out. */
export function describeConditions(rule: Conditions): string {
  const parts = [
    rule.if && `if: ${rule.if.text}`,
    rule.changes && `changes: ${shown(rule.changes)}`,
    rule.exists && `exists: ${shown(rule.exists)}`,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join('; ') : 'no condition';
}
