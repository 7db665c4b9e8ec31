/** `rules`: the first rule whose every condition holds decides. */
import { fail, type Mark } from '../diagnostics.ts';
import type { Scope } from '../expand/variables.ts';
import { evaluate } from './evaluator.ts';
import type { Expression } from './parser.ts';
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

/** The first rule that holds; null when none does. A rule without conditions always holds. */
export async function evaluateRules<R extends Conditions>(
  rules: readonly R[],
  around: Surroundings,
): Promise<R | null> {
  for (const rule of rules) {
    if (await holds(rule, around)) return rule;
  }
  return null;
}

async function holds(rule: Conditions, { scope, paths }: Surroundings): Promise<boolean> {
  if (rule.if && !evaluate(rule.if.expression, scope.get)) return false;
  const expanded = (patterns: readonly string[]): string[] => patterns.map((path) => scope.expand(path, 'keep'));
  if (rule.changes) {
    const compareTo = rule.changes.compareTo && scope.expand(rule.changes.compareTo, 'keep');
    const changed = await paths.changed(expanded(rule.changes.paths), compareTo);
    if (changed === 'unknown ref') fail(rule.mark, 'rules:changes:compare_to is not a valid ref');
    if (!changed) return false;
  }
  if (!rule.exists) return true;
  const { project, ref } = rule.exists;
  if (project === null) return await paths.exist(expanded(rule.exists.paths));
  const place = { project: scope.expand(project, 'empty'), ref: ref === null ? null : scope.expand(ref, 'empty') };
  const found = await paths.existIn(place, expanded(rule.exists.paths));
  if (found === null)
    fail(rule.mark, `rules:exists:project \`${project}\` or its ref does not exist, or access is denied`);
  return found;
}

/** The conditions as a sentence part, for telling people why a job is in or out. */
export function describeConditions(rule: Conditions): string {
  const parts = [
    rule.if && `if: ${rule.if.text}`,
    rule.changes && `changes: ${rule.changes.paths.slice(0, 5).join(', ')}`,
    rule.exists && `exists: ${rule.exists.paths.slice(0, 5).join(', ')}`,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join('; ') : 'no condition';
}
