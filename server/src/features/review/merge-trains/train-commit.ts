/** The commit of an entry: what the target branch will be after its merge, made by the project's merge method. */
import type { MergeTrainEntry } from '../../../kernel/db/rows.ts';
import { squashes } from '../../namespaces/index.ts';
import { stackBase } from '../../repository/index.ts';
import type { LoadedCandidate, MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import type { MergeRequestDependencies } from '../merge-requests/merge-requests.service.ts';
import { type MergeCommits, type MergeOptions, mergeCommits } from '../merging/merge-commits.ts';
import type { Problem } from './reasons.ts';

const trainRef = (iid: number) => `refs/merge-requests/${iid}/train`;

/** How the entry was asked to be merged. */
export const optionsOf = ({ options }: Pick<MergeTrainEntry, 'options'>) => options as MergeOptions;

/**
 * Merges the entry's head into `base`. Where the project wants a linear history the commits are made anew on top of it, which
 * spares people from rebasing by hand.
 */
export async function trainCommit(
  deps: Pick<MergeRequestDependencies, 'repository' | 'externalUrl'>,
  checks: Pick<MergeCheckService, 'divergence'>,
  candidate: LoadedCandidate,
  entry: Pick<MergeTrainEntry, 'source_sha' | 'options'>,
  base: string,
): Promise<MergeCommits | Problem> {
  const { repository } = deps;
  const { subject, row, rules, caller } = candidate;
  const merger = caller.user;
  if (!merger) return 'not_allowed';
  const head = entry.source_sha;
  const tips = { target: base, head };
  const { ahead } = await checks.divergence(candidate, tips);
  if (ahead === 0) return 'empty';
  const options = optionsOf(entry);
  const below = await stackBase(repository, subject.project, row, tips);
  const joins = rules.merge_method === 'merge' || squashes(rules.squash_option, options.squash ?? row.squash);
  const made = await repository.construct(subject.project, trainRef(row.iid), async (bench) => {
    if (joins) {
      const { tree } = await bench.merge(base, head, below);
      return tree === null ? null : await mergeCommits(deps, bench, { candidate, merger, tips, tree, ahead }, options);
    }
    const tip = await bench.rebase(
      head,
      base,
      { name: merger.name, email: merger.commit_email ?? merger.email },
      below,
    );
    // All that it brings is there already.
    if (tip === null || tip === base) return null;
    const { tree } = await bench.merge(base, tip);
    if (tree === null) return null;
    return await mergeCommits(deps, bench, { candidate, merger, tips, tip, tree, ahead }, options);
  });
  return made ?? 'conflict';
}
