/** The commits of a merge: a squashed one, a merge commit, both or none of them, as the project's merge method says. */
import type { CallerUser } from '../../../kernel/authz/subjects.ts';
import { squashes } from '../../namespaces/index.ts';
import { type RepositoryAccess, stackBase, type Workbench } from '../../repository/index.ts';
import type { LiveHeads } from '../merge-checks/merge-check.ts';
import type { LoadedCandidate } from '../merge-checks/merge-checks.service.ts';
import {
  commitMessage,
  defaultMergeTemplate,
  defaultSquashTemplate,
  type MessageFacts,
} from '../merge-requests/messages.ts';

export interface MergeOptions {
  readonly mergeCommitMessage?: string | undefined;
  readonly squashCommitMessage?: string | undefined;
  readonly squash?: boolean | undefined;
  readonly shouldRemoveSourceBranch?: boolean | undefined;
  /** Head that the caller looked at. */
  readonly sha?: string | undefined;
}

export interface MergeCommits {
  /** Where the target branch points afterwards. */
  readonly commit: string;
  readonly merge: string | null;
  readonly squash: string | null;
}

interface MergeInput {
  readonly candidate: LoadedCandidate;
  readonly merger: CallerUser;
  readonly tips: LiveHeads;
  /** Of the merged files. */
  readonly tree: string;
  /** Commits that the merge brings. */
  readonly ahead: number;
  /** The commits of the head made anew on top of the target; the head itself without it. */
  readonly tip?: string;
}

/** Messages of commits that templates and squashed commits are made from, the newest ones. */
const mostCommits = 100;
const namesCommits = /%\{(all_commits|first_)/;

export async function mergeCommits(
  { repository, externalUrl }: { readonly repository: RepositoryAccess; readonly externalUrl: string },
  bench: Workbench,
  { candidate, merger, tips, tip: rebased, tree, ahead }: MergeInput,
  options: MergeOptions,
): Promise<MergeCommits> {
  const { subject, row, rules } = candidate;
  const { target, head } = tips;
  const committer = { name: merger.name, email: merger.commit_email ?? merger.email };
  const squash = squashes(rules.squash_option, options.squash ?? row.squash);
  const own = (await stackBase(repository, subject.project, row, tips)) ?? target;
  const commits =
    squash || namesCommits.test(rules.merge_commit_template ?? '')
      ? await repository.commitsBetween(subject, own, head, { skip: 0, limit: mostCommits })
      : [];
  const oldest = commits.at(-1);
  const path = `${subject.namespace.full_path}/${subject.project.path}`;
  const about: MessageFacts = {
    sourceBranch: row.source_branch,
    targetBranch: row.target_branch,
    title: row.title,
    description: row.description ?? '',
    reference: `${path}!${row.iid}`,
    url: `${externalUrl}/${path}/-/merge_requests/${row.iid}`,
    author: { name: candidate.authorName ?? merger.name, email: oldest?.author_email ?? committer.email },
    mergedBy: committer,
    commitMessages: commits.map((commit) => commit.message).reverse(),
  };

  let tip = rebased ?? head;
  let squashed: string | null = null;
  if (squash && ahead > 1) {
    const message =
      options.squashCommitMessage ?? commitMessage(rules.squash_commit_template ?? defaultSquashTemplate, about);
    const author = oldest ? { name: oldest.author_name, email: oldest.author_email } : committer;
    squashed = await bench.commit({ tree, parents: [target], message, author, committer });
    tip = squashed;
  }
  if (rules.merge_method === 'ff') return { commit: tip, merge: null, squash: squashed };
  const message =
    options.mergeCommitMessage ?? commitMessage(rules.merge_commit_template ?? defaultMergeTemplate, about);
  const merge = await bench.commit({ tree, parents: [target, tip], message, author: committer, committer });
  return { commit: merge, merge, squash: squashed };
}
