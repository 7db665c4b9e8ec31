/** What protects branches and tags of a repository at the hosted provider: rules of single branches, and rulesets. */
import { Level } from '../../../kernel/authz/levels.ts';
import { matchesPattern } from '../../repository/index.ts';
import { type Row, record, text } from '../project-archives/json.ts';
import { ProviderError } from './client.ts';
import type { ProviderRepository, Requirements } from './provider.ts';

interface BranchRule {
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly code_owner_approval_required: boolean;
  readonly levels: readonly { readonly kind: 'push' | 'merge'; readonly level: number }[];
}

const branchRule = (name: string, to: { reviewed: boolean; owners: boolean; forced: boolean }): BranchRule => ({
  name,
  allow_force_push: to.forced,
  code_owner_approval_required: to.owners,
  // Who may push there is named by people: nobody where changes have to be reviewed, maintainers elsewhere.
  levels: [
    { kind: 'push', level: to.reviewed ? Level.none : Level.maintainer },
    { kind: 'merge', level: Level.maintainer },
  ],
});

/** Of two rules of one name what both allow. Nobody is the strictest of those who may push. */
const strictest = (one: BranchRule, other: BranchRule): BranchRule => {
  const pushedBy = (rule: BranchRule) => rule.levels.find(({ kind }) => kind === 'push')?.level;
  return branchRule(one.name, {
    reviewed: pushedBy(one) === Level.none || pushedBy(other) === Level.none,
    owners: one.code_owner_approval_required || other.code_owner_approval_required,
    forced: one.allow_force_push && other.allow_force_push,
  });
};

/** A name with wildcards as it is here; null for a pattern that has no equal. */
function patternOf(include: string, kind: 'heads' | 'tags', defaultBranch: string | null): string | null {
  if (include === '~ALL') return '*';
  if (include === '~DEFAULT_BRANCH') return kind === 'heads' ? defaultBranch : null;
  const prefix = `refs/${kind}/`;
  // Sets of characters and single ones are plain characters here.
  if (!include.startsWith(prefix) || /[?[\]\\{}]/.test(include)) return null;
  // A wildcard here stands for slashes as well.
  return include.slice(prefix.length).replaceAll(/\*\*\/\*|\*\*/g, '*') || null;
}

interface Found {
  readonly branches: readonly Row[];
  readonly tags: readonly Row[];
  readonly requirements: Requirements;
}

export interface ProtectionLists {
  pages(path: string): AsyncIterable<readonly Row[]>;
  object(path: string): Promise<Row>;
}

/** Null for a token that may not read it, and where it does not exist. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ProviderError && (error.kind === 'unauthorized' || error.kind === 'missing')) return null;
    throw error;
  }
}

const on = (value: unknown): boolean => record(value).enabled === true;

/** All that is protected, and what the default branch asks of every change. */
export async function hostedProtections(
  { pages, object }: ProtectionLists,
  { defaultBranch }: Pick<ProviderRepository, 'defaultBranch'>,
): Promise<Found> {
  const branches = new Map<string, BranchRule>();
  const tags = new Set<string>();
  let [resolvedDiscussions, signedCommits] = [false, false];
  const add = (rule: BranchRule) => {
    const known = branches.get(rule.name);
    branches.set(rule.name, known ? strictest(known, rule) : rule);
  };
  /** Whether a rule covers the default branch. */
  const isDefault = (pattern: string) => defaultBranch !== null && matchesPattern(pattern, defaultBranch);

  async function single(name: string): Promise<void> {
    const protection = await orNull(object(`/branches/${encodeURIComponent(name)}/protection`));
    const reviews = protection?.required_pull_request_reviews;
    const reviewed = typeof reviews === 'object' && reviews !== null;
    // Where the token may not read how, nothing more is allowed than by default.
    const forced = name !== defaultBranch && on(protection?.allow_force_pushes);
    add(branchRule(name, { reviewed, owners: record(reviews).require_code_owner_reviews === true, forced }));
    if (name !== defaultBranch) return;
    resolvedDiscussions ||= on(protection?.required_conversation_resolution);
    signedCommits ||= on(protection?.required_signatures);
  }

  function ruleset(row: Row): void {
    const rules = new Map<unknown, Row>();
    for (const rule of Array.isArray(row.rules) ? row.rules : []) {
      const { type, parameters } = record(rule);
      rules.set(type, record(parameters));
    }
    const kind = row.target === 'tag' ? 'tags' : 'heads';
    const names = record(record(row.conditions).ref_name);
    const included = (Array.isArray(names.include) ? names.include : []).map((each) => text(each) ?? '');
    const excluded = (Array.isArray(names.exclude) ? names.exclude : []).map((each) => text(each) ?? '');
    const request = rules.get('pull_request');
    const forced = !rules.has('non_fast_forward');
    const protects = ['pull_request', 'non_fast_forward', 'deletion', 'update', 'creation'].some((type) =>
      rules.has(type),
    );
    const without = excluded.map((each) => patternOf(each, kind, defaultBranch)).filter((each) => each !== null);
    for (const include of included) {
      const name = patternOf(include, kind, defaultBranch);
      if (name === null || without.includes(name)) continue;
      if (kind === 'tags') {
        if (protects) tags.add(name);
        continue;
      }
      if (protects) {
        const owners = request?.require_code_owner_review === true;
        add(branchRule(name, { reviewed: request !== undefined, owners, forced: forced && !isDefault(name) }));
      }
      if (!isDefault(name) || without.some(isDefault)) continue;
      resolvedDiscussions ||= request?.required_review_thread_resolution === true;
      signedCommits ||= rules.has('required_signatures');
    }
  }

  for await (const page of pages('/branches?protected=true'))
    for (const { name } of page) if (typeof name === 'string') await single(name);
  try {
    for await (const page of pages('/rulesets?includes_parents=true'))
      for (const { id, enforcement, target } of page) {
        // Those that are evaluated only, or about pushes of files, refuse nothing of a branch.
        if (enforcement !== 'active' || (target !== 'branch' && target !== 'tag') || typeof id !== 'number') continue;
        const whole = await orNull(object(`/rulesets/${id}?includes_parents=true`));
        if (whole) ruleset(whole);
      }
  } catch (error) {
    // Installations of before rulesets do not know them.
    if (!(error instanceof ProviderError) || (error.kind !== 'missing' && error.kind !== 'unauthorized')) throw error;
  }
  return {
    branches: [...branches.values()].map((rule) => ({ ...rule })),
    tags: [...tags].map((name) => ({ name, levels: [Level.maintainer] })),
    requirements: { resolvedDiscussions, signedCommits },
  };
}
