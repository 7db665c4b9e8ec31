/** `rules`: the first rule whose every condition holds decides. */
import { fail, type Mark } from '../diagnostics.ts';
import type { Scope } from '../expand/variables.ts';
import { evaluate } from './evaluator.ts';
import { type Expression, namesIn } from './parser.ts';
import type { Paths } from './paths.ts';

/** The conditions of a rule; the keyword adds what follows from it. */
export type Conditions = {
  readonly mark: Mark;
  readonly if?: { readonly text: string; readonly expression: Expression };
  readonly changes?: { readonly paths: readonly string[]; readonly compareTo: string | undefined };
  /** Files of the commit, or of another project where one is named. */
  readonly exists?: { readonly paths: readonly string[]; readonly project: string | null; readonly ref: string | null };
};

/** What conditions are judged by. */
export type Surroundings = { readonly scope: Scope; readonly paths: Paths };

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
    const holds = evaluate(rule.if.expression, scope.get);
    seen?.push({ kind: 'if', text: rule.if.text, holds, values: valuesOf(rule.if.expression, scope) });
    if (!holds) return false;
  }
  if (rule.changes) {
    const holds = await changesHold(rule, rule.changes, around);
    seen?.push({ kind: 'changes', text: shown(rule.changes.paths), holds, values: [] });
    if (!holds) return false;
  }
  if (!rule.exists) return true;
  const holds = await existsHolds(rule, rule.exists, around);
  seen?.push({ kind: 'exists', text: shown(rule.exists.paths), holds, values: [] });
  return holds;
}

function valuesOf(expression: Expression, scope: Scope): SeenValue[] {
  const names = [...new Set(namesIn(expression))].slice(0, MOST_VALUES);
  return names.map((name) => {
    const hidden = scope.conceals(name);
    return { name, value: hidden ? null : (scope.get(name)?.slice(0, MOST_SHOWN) ?? null), hidden };
  });
}

const expanded = (patterns: readonly string[], scope: Scope): string[] =>
  patterns.map((path) => scope.expand(path, 'keep'));

async function changesHold(
  { mark }: Conditions,
  { paths: patterns, compareTo }: NonNullable<Conditions['changes']>,
  { scope, paths }: Surroundings,
): Promise<boolean> {
  const changed = await paths.changed(expanded(patterns, scope), compareTo && scope.expand(compareTo, 'keep'));
  if (changed === 'unknown ref') fail(mark, 'rules:changes:compare_to is not a valid ref');
  return changed;
}

async function existsHolds(
  { mark }: Conditions,
  { paths: patterns, project, ref }: NonNullable<Conditions['exists']>,
  { scope, paths }: Surroundings,
): Promise<boolean> {
  if (project === null) return await paths.exist(expanded(patterns, scope));
  const place = { project: scope.expand(project, 'empty'), ref: ref === null ? null : scope.expand(ref, 'empty') };
  const found = await paths.existIn(place, expanded(patterns, scope));
  if (found === null) fail(mark, `rules:exists:project \`${project}\` or its ref does not exist, or access is denied`);
  return found;
}

const shown = (patterns: readonly string[]): string => patterns.slice(0, 5).join(', ');

/** The conditions as a sentence part, for telling people why a job is in or out. */
export function describeConditions(rule: Conditions): string {
  const parts = [
    rule.if && `if: ${rule.if.text}`,
    rule.changes && `changes: ${shown(rule.changes.paths)}`,
    rule.exists && `exists: ${shown(rule.exists.paths)}`,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join('; ') : 'no condition';
}
