/** What a push rule says to what a push brings: names, messages, people, files. */
import * as git from '@millrace/git';
import { RE2JS } from 're2js';
import type { Db } from '../../../kernel/db/index.ts';
import type { PushRule } from '../../../kernel/db/rows.ts';
import { knownSha } from '../reading/git-reader.ts';
import { type Push, type PushCheck, type Refusal, refuseAll } from '../writes/push-check.ts';
import { addressesOf, confirmedAddresses, ruleInForce } from './push-rules.queries.ts';
import { secretFile } from './secret-files.ts';

export interface PushRuleCheckDependencies {
  readonly db: Db;
  /** Commits of one push that are looked at; 0 for any. */
  readonly commitLimit: () => Promise<number>;
  /** What a person's commits carry instead of an address. */
  readonly privateAddress: (user: { readonly id: number; readonly username: string }) => Promise<string>;
}

const zero = /^0+$/;
const content = (reason: string): Refusal => ({ reason, kind: 'content' });
/** Commits read at once. */
const chunk = 200;
/** More than any history has. */
const boundless = 1_000_000_000;
const bytesPerMegabyte = 1024 ** 2;

/** Whether a text fits a pattern of a rule. Rules are checked when they are saved: one that cannot be read fits nothing. */
function fits(source: string, text: string, flags = 0): boolean {
  try {
    return RE2JS.compile(source, flags).matcher(text).find();
  } catch {
    return false;
  }
}

const shortName = (ref: string, prefix: string) => (ref.startsWith(prefix) ? ref.slice(prefix.length) : null);

/** Why a single ref may not move. */
function refReason(rule: PushRule, push: Push, { ref, after }: Push['changes'][number]): string | null {
  const deletes = zero.test(after);
  // Tags are removed in the pages and by the API as before: the rule is about `git push`.
  if (rule.deny_delete_tag && deletes && push.kind === 'push' && ref.startsWith('refs/tags/'))
    return 'You cannot delete a tag';
  const branch = shortName(ref, 'refs/heads/');
  const pattern = rule.branch_name_regex;
  if (!pattern || deletes || branch === null || branch === push.subject.project.default_branch) return null;
  return fits(pattern, branch) ? null : `Branch name does not follow the pattern '${pattern}'`;
}

interface People {
  /** Of anybody. */
  readonly known: ReadonlySet<string>;
  /** Of whoever pushes. */
  readonly own: ReadonlySet<string>;
}

const dco = /^Signed-off-by: .+ <[^<>]+>\s*$/m;

function peopleReason(rule: PushRule, push: Push, { author, committer }: git.Commit, people: People): string | null {
  const pattern = rule.author_email_regex;
  if (pattern && !fits(pattern, committer.email))
    return `Committer's email '${committer.email}' does not follow the pattern '${pattern}'`;
  if (pattern && !fits(pattern, author.email))
    return `Author's email '${author.email}' does not follow the pattern '${pattern}'`;
  if (rule.commit_committer_check && !people.own.has(committer.email.toLowerCase()))
    return `You cannot push commits for '${committer.email}'. You can only push commits if the committer email is one of your own verified emails.`;
  if (rule.commit_committer_name_check && committer.name !== push.caller.user?.name)
    return 'Your git username is inconsistent with your Millrace account name';
  if (rule.member_check && !people.known.has(author.email.toLowerCase()))
    return `Author '${author.email}' is not a member of team`;
  if (rule.member_check && !people.known.has(committer.email.toLowerCase()))
    return `Committer '${committer.email}' is not a member of team`;
  return null;
}

/** Why a commit is refused. What the service itself commits for a person is neither signed nor signed off. */
function commitReason(rule: PushRule, push: Push, commit: git.Commit, people: People): string | null {
  const { commit_message_regex: wanted, commit_message_negative_regex: unwanted } = rule;
  if (wanted && !fits(wanted, commit.message, RE2JS.MULTILINE))
    return `Commit message does not follow the pattern '${wanted}'`;
  if (unwanted && fits(unwanted, commit.message, RE2JS.MULTILINE))
    return `Commit message contains the forbidden pattern '${unwanted}'`;
  const found = peopleReason(rule, push, commit, people);
  if (found !== null || push.kind !== 'push') return found;
  if (rule.reject_non_dco_commits && !dco.test(commit.message)) return 'Commit message must contain a DCO signoff';
  if (rule.reject_unsigned_commits && commit.signature === null) return 'Commit must be signed with a GPG key';
  return null;
}

function fileReason(rule: PushRule, path: string): string | null {
  const pattern = rule.file_name_regex;
  const fitting = (rule.prevent_secrets ? secretFile(path) : null) ?? (pattern && fits(pattern, path) ? pattern : null);
  return fitting === null ? null : `File name ${path} was prohibited by the pattern "${fitting}".`;
}

const looksAtCommits = (rule: PushRule, push: Push) =>
  Boolean(rule.commit_message_regex || rule.commit_message_negative_regex || rule.author_email_regex) ||
  rule.commit_committer_check ||
  rule.commit_committer_name_check ||
  rule.member_check ||
  (push.kind === 'push' && (rule.reject_non_dco_commits || rule.reject_unsigned_commits));

/** The check of the rule that counts for a project. */
export function pushRuleCheck(deps: PushRuleCheckDependencies): PushCheck {
  const { db } = deps;

  async function peopleOf(rule: PushRule, push: Push, commits: readonly git.Commit[]): Promise<People> {
    const user = push.caller.user;
    const own = rule.commit_committer_check && user ? await addressesOf(db, user.id) : new Set<string>();
    const addresses = commits.flatMap(({ author, committer }) => [author.email, committer.email]);
    const known = rule.member_check ? await confirmedAddresses(db, [...new Set(addresses)]) : new Set<string>();
    if (!user) return { own, known };
    const hidden = (await deps.privateAddress(user)).toLowerCase();
    return { own: new Set([...own, hidden]), known: new Set([...known, hidden]) };
  }

  /** The first new commit that breaks the rule, the oldest first. */
  async function commitsReason(rule: PushRule, push: Push, tips: readonly git.Sha[]): Promise<string | null> {
    const { repo } = push.quarantine;
    const limit = (await deps.commitLimit()) || boundless;
    const ids = await git.newCommits(repo, tips, { limit: limit + 1, reverse: true });
    if (ids.length > limit)
      return `The push has more new commits than push_rules_commit_limit (${limit}): push fewer at once.`;
    for (let at = 0; at < ids.length; at += chunk) {
      const commits = await git.readCommits(repo, ids.slice(at, at + chunk));
      const people = await peopleOf(rule, push, commits);
      for (const commit of commits) {
        const reason = commitReason(rule, push, commit, people);
        if (reason !== null) return reason;
      }
    }
    return null;
  }

  /** The first thing in what the push brings that breaks the rule. */
  async function contentReason(rule: PushRule, push: Push): Promise<string | null> {
    const { repo } = push.quarantine;
    const tips = push.changes.flatMap(({ after }) => (zero.test(after) ? [] : [knownSha(after)]));
    const reason = looksAtCommits(rule, push) ? await commitsReason(rule, push, tips) : null;
    if (reason !== null) return reason;
    if (rule.prevent_secrets || rule.file_name_regex)
      for await (const { path } of git.introducedPaths(repo, tips)) {
        const found = fileReason(rule, path);
        if (found !== null) return found;
      }
    if (rule.max_file_size > 0) {
      const path = await git.introducedLargeFile(repo, tips, rule.max_file_size * bytesPerMegabyte);
      if (path !== null)
        return `File "${path}" is larger than the allowed size of ${rule.max_file_size} MiB. Use Git LFS to manage this file.`;
    }
    return null;
  }

  return async (push) => {
    const { project, namespace } = push.subject;
    const rule = await ruleInForce(db, project.id, namespace.traversal_ids);
    if (!rule) return new Map();
    const refused = new Map(
      push.changes.flatMap((change) => {
        const reason = refReason(rule, push, change);
        return reason === null ? [] : [[change.ref, content(reason)] as const];
      }),
    );
    if (refused.size > 0) return refused;
    const reason = await contentReason(rule, push);
    return reason === null ? refused : refuseAll(push, content(reason));
  };
}
