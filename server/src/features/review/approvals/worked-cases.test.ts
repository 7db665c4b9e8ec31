/**
 * Approval rules against 300 worked cases, kept as data: `worked-cases.txt` has one on each line, the rules, roles, author and
 * commits, switches, target and approvals, then what each rule that counts still lacks.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type ApprovalFacts, effectiveRules, outcomeOf } from './state.ts';

const lines = readFileSync(new URL('worked-cases.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

/** Ids of people, and of the protected branches. */
const people = ['ana', 'ben', 'cat', 'dan', 'eve', 'fay'];
const targets: Readonly<Record<string, readonly number[]>> = { main: [1], release: [2], free: [] };

const idOf = (name: string): number => people.indexOf(name) + 1;
const namesIn = (text: string): number[] => (text === '-' ? [] : text.split('+').map(idOf));
const pairs = (text: string): Map<string, string> =>
  new Map(text.split(' ').map((part) => part.split(/[=:]/) as [string, string]));

interface Rule {
  readonly owner: string;
  readonly name: string;
  readonly required: number;
  readonly approvers: ReadonlySet<number> | null;
  readonly rule_type: string;
  readonly namespace_id: number | null;
  readonly applies_to_all_protected_branches: boolean;
  readonly branch_ids: readonly number[];
}

/** `project.a:2=ben+cat@main` */
function ruleOf(text: string): Rule {
  const [, owner = '', name = '', required = '', approvers = '', scope = ''] =
    /^(\w+)\.(\w+):(\d+)=([\w+]+)@(\w+)$/.exec(text) ?? [];
  return {
    ...{ owner, name, required: Number(required) },
    approvers: approvers === 'any' ? null : new Set(approvers === 'nobody' ? [] : namesIn(approvers)),
    rule_type: owner === 'report' ? 'report_approver' : approvers === 'any' ? 'any_approver' : 'regular',
    namespace_id: owner === 'group' ? 9 : null,
    applies_to_all_protected_branches: scope === 'protected',
    branch_ids: scope === 'main' ? [1] : [],
  };
}

function worked(line: string): string {
  const [rules = '', levels = '', work = '', switches = '', target = '', approved = ''] = line.split(' | ');
  const all = rules === '-' ? [] : rules.split(' ').map(ruleOf);
  const says = (name: string) => pairs(switches).get(name) === 'yes';
  const [author = '', commits = ''] = ['author', 'commits'].map((name) => pairs(work).get(name) ?? '');
  const facts: ApprovalFacts = {
    approvals: namesIn(approved.replace('approved=', '')),
    levels: new Map([...pairs(levels)].map(([name, level]) => [idOf(name), Number(level)])),
    barred: new Set([
      ...(says('author_may') ? [] : [idOf(author)]),
      ...(says('committers_may') ? [] : namesIn(commits)),
    ]),
  };
  const { rules: counting } = effectiveRules(
    all.filter(({ owner }) => owner !== 'request'),
    all.filter(({ owner }) => owner === 'request'),
    says('override'),
    new Set(targets[target.replace('target=', '')]),
  );
  const outcomes = counting.map(({ name, required: approvalsRequired, approvers }) => {
    const { left, approved: met } = outcomeOf({ approvalsRequired, approvers }, facts);
    return `${name}:${met ? 'met' : `${left}_left`}`;
  });
  return outcomes.join(' ') || 'nothing required';
}

it('[2/fields.approval-rule/3 any_approver, regular, report_approver] [2/fields.approval-rule/5 approvals_required] 300 worked cases', () => {
  expect(lines.length).toBe(300);
  for (const line of lines) {
    const [facts = '', expected = ''] = line.split(' => ');
    expect(`${facts} => ${worked(facts)}`).toBe(`${facts} => ${expected}`);
  }
});
