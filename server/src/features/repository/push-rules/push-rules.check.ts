/** What a push rule says to what a push brings: names, messages, people, files. */
import * as git from '@millrace/git';
import { RE2JS } from 're2js';
import type { Db } from '../../../kernel/db/index.ts';
import { knownSha } from '../reading/git-reader.ts';
import { type Push, type PushCheck, type Refusal, refuseAll } from '../writes/push-check.ts';
import type { ConditionsOfProject } from '../writes/push-conditions.queries.ts';
import type { PushConditions } from '../writes/push-conditions.ts';
import { addressesOf, confirmedAddresses } from './push-rules.queries.ts';
import { secretFile } from './secret-files.ts';

type RuleInForce = NonNullable<ConditionsOfProject['rule']>;

export interface PushRuleCheckDependencies {
  readonly db: Db;
  readonly conditions: PushConditions;
  /** Commits of one push that are looked at; 0 for no limit. */
  readonly commitLimit: () => Promise<number>;
  /** What a person's commits carry instead of an address. */
  readonly privateAddress: (user: { readonly id: number; readonly username: string }) => Promise<string>;
  /** What commits of the product get. */
  readonly stamp: git.CommitStamp | null;
}

const content = (reason: string): Refusal => ({ reason, kind: 'content' });
/** Commits read at once. */
const chunk = 200;
/** More than any history has. */
const boundless = 1_000_000_000;
const bytesPerMegabyte = 1024 ** 2;

type Fits = (text: string) => boolean;

/** Whether texts fit a pattern of a rule. Rules are checked when they are saved: one that cannot be read fits nothing. */
function fitting(source: string, flags = 0): Fits {
  try {
    const pattern = RE2JS.compile(source, flags);
    return (text) => pattern.matcher(text).find();
  } catch {
    return () => false;
  }
}

/** A rule with its patterns read, once for a push. */
interface ReadRule {
  readonly rule: RuleInForce;
  readonly message: Fits | null;
  readonly unwantedMessage: Fits | null;
  readonly email: Fits | null;
  readonly fileName: Fits | null;
}

function readRule(rule: RuleInForce): ReadRule {
  const read = (source: string | null, flags?: number) => (source ? fitting(source, flags) : null);
  return {
    rule,
    message: read(rule.commit_message_regex, RE2JS.MULTILINE),
    unwantedMessage: read(rule.commit_message_negative_regex, RE2JS.MULTILINE),
    email: read(rule.author_email_regex),
    fileName: read(rule.file_name_regex),
  };
}

const shortName = (ref: string, prefix: string) => (ref.startsWith(prefix) ? ref.slice(prefix.length) : null);

/** Why a single ref may not move. */
function refReason(rule: RuleInForce, push: Push, { ref, after }: Push['changes'][number]): string | null {
  const deletes = after === git.ZERO_SHA;
  // Tags are removed in the pages and by the API as before: the rule is about `git push`.
  if (rule.deny_delete_tag && deletes && push.kind === 'push' && ref.startsWith('refs/tags/'))
    return 'You cannot delete a tag';
  const branch = shortName(ref, 'refs/heads/');
  const pattern = rule.branch_name_regex;
  if (!pattern || deletes || branch === null || branch === push.subject.project.default_branch) return null;
  return fitting(pattern)(branch) ? null : `Branch name does not follow the pattern '${pattern}'`;
}

interface People {
  /** Of anybody. */
  readonly known: ReadonlySet<string>;
  /** Of whoever pushes. */
  readonly own: ReadonlySet<string>;
}

const dco = /^Signed-off-by: .+ <[^<>]+>\s*$/m;

/** The committer; who made it on the pages or by the API where the instance signed in its own name. */
function committerBehind(
  { kind, caller }: Push,
  committer: Pick<git.Ident, 'name' | 'email'>,
  stamp: git.CommitStamp | null,
): Pick<git.Ident, 'name' | 'email'> {
  const ours = kind !== 'push' && stamp !== null && committer.email === stamp.email && committer.name === stamp.name;
  const { user } = caller;
  return ours && user ? { name: user.name, email: user.commit_email ?? user.email } : committer;
}

function peopleReason(
  { rule, email }: ReadRule,
  push: Push,
  { author, committer: named }: git.Commit,
  people: People,
  stamp: git.CommitStamp | null,
): string | null {
  const committer = committerBehind(push, named, stamp);
  const pattern = rule.author_email_regex;
  if (email && !email(committer.email))
    return `Committer's email '${committer.email}' does not follow the pattern '${pattern}'`;
  if (email && !email(author.email)) return `Author's email '${author.email}' does not follow the pattern '${pattern}'`;
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
function commitReason(
  read: ReadRule,
  push: Push,
  commit: git.Commit,
  people: People,
  stamp: git.CommitStamp | null,
): string | null {
  const { rule, message, unwantedMessage } = read;
  if (!push.ownMessage && message && !message(commit.message))
    return `Commit message does not follow the pattern '${rule.commit_message_regex}'`;
  if (!push.ownMessage && unwantedMessage?.(commit.message))
    return `Commit message contains the forbidden pattern '${rule.commit_message_negative_regex}'`;
  const found = peopleReason(read, push, commit, people, stamp);
  if (found !== null || push.kind !== 'push') return found;
  if (rule.reject_non_dco_commits && !dco.test(commit.message)) return 'Commit message must contain a DCO signoff';
  if (rule.reject_unsigned_commits && commit.signature === null) return 'Commit must be signed with a GPG key';
  return null;
}

function fileReason({ rule, fileName }: ReadRule, path: string): string | null {
  const found = (rule.prevent_secrets ? secretFile(path) : null) ?? (fileName?.(path) ? rule.file_name_regex : null);
  return found === null ? null : `File name ${path} was prohibited by the pattern "${found}".`;
}

const looksAtCommits = (rule: RuleInForce, push: Push) =>
  Boolean(rule.commit_message_regex || rule.commit_message_negative_regex || rule.author_email_regex) ||
  rule.commit_committer_check ||
  rule.commit_committer_name_check ||
  rule.member_check ||
  (push.kind === 'push' && (rule.reject_non_dco_commits || rule.reject_unsigned_commits));

/** The check of the rule that counts for a project. */
export function pushRuleCheck(deps: PushRuleCheckDependencies): PushCheck {
  const { db } = deps;

  /** Who the people of a push's commits are; each address is asked for once, and most pushes have few. */
  async function peopleOf(rule: RuleInForce, push: Push) {
    const user = push.caller.user;
    const hidden = user ? [(await deps.privateAddress(user)).toLowerCase()] : [];
    const own = new Set(rule.commit_committer_check && user ? await addressesOf(db, user.id) : []);
    const known = new Set<string>();
    for (const address of hidden) {
      own.add(address);
      known.add(address);
    }
    const asked = new Set<string>();
    return async (commits: readonly git.Commit[]): Promise<People> => {
      const addresses = rule.member_check
        ? commits.flatMap(({ author, committer }) => [author.email, committerBehind(push, committer, deps.stamp).email])
        : [];
      const wanted = [...new Set(addresses.map((address) => address.toLowerCase()))].filter((each) => !asked.has(each));
      for (const address of wanted) asked.add(address);
      if (wanted.length > 0) for (const address of await confirmedAddresses(db, wanted)) known.add(address);
      return { own, known };
    };
  }

  /** The first new commit that breaks the rule, the oldest first. */
  async function commitsReason(read: ReadRule, push: Push, tips: readonly git.Sha[]): Promise<string | null> {
    const { repo } = push.quarantine;
    const limit = (await deps.commitLimit()) || boundless;
    const ids = await git.newCommits(repo, tips, { limit: limit + 1, reverse: true });
    if (ids.length > limit)
      return `The push has more new commits than push_rules_commit_limit (${limit}): push fewer at once.`;
    const peopleBehind = await peopleOf(read.rule, push);
    for (let at = 0; at < ids.length; at += chunk) {
      const commits = await git.readCommits(repo, ids.slice(at, at + chunk));
      const people = await peopleBehind(commits);
      for (const commit of commits) {
        const reason = commitReason(read, push, commit, people, deps.stamp);
        if (reason !== null) return reason;
      }
    }
    return null;
  }

  /** The first thing in what the push brings that breaks the rule. */
  async function contentReason(rule: RuleInForce, push: Push): Promise<string | null> {
    const { repo } = push.quarantine;
    const read = readRule(rule);
    const tips = push.changes.flatMap(({ after }) => (after === git.ZERO_SHA ? [] : [knownSha(after)]));
    const reason = looksAtCommits(rule, push) ? await commitsReason(read, push, tips) : null;
    if (reason !== null) return reason;
    if (rule.prevent_secrets || rule.file_name_regex)
      for await (const { path } of git.introducedPaths(repo, tips)) {
        const found = fileReason(read, path);
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
    const { rule } = await deps.conditions(push);
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
