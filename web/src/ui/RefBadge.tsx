/** A branch, tag, commit or merge request in code type. */
import { IconGitBranch, IconGitCommit, IconGitPullRequest, IconTag } from '@tabler/icons-react';
import classes from './ui.module.css';

const icons = { branch: IconGitBranch, tag: IconTag, commit: IconGitCommit, request: IconGitPullRequest };

/** Pipelines of merge requests run for refs that nobody has named. */
export const requestOf = (ref: string): string | undefined =>
  /^refs\/merge-requests\/(\d+)\/(?:head|merge|train)$/.exec(ref)?.[1];

export function RefBadge({ name, kind = 'branch' }: { name: string; kind?: keyof typeof icons }) {
  const iid = requestOf(name);
  const Icon = icons[iid ? 'request' : kind];
  return (
    <span className={classes.ref} title={iid ? name : undefined}>
      <Icon size={14} aria-hidden />
      <span className={classes.refName}>{iid ? `!${iid}` : name}</span>
    </span>
  );
}
