/** A branch, tag or commit in code type. */
import { IconGitBranch, IconGitCommit, IconTag } from '@tabler/icons-react';
import classes from './ui.module.css';

const icons = { branch: IconGitBranch, tag: IconTag, commit: IconGitCommit };

export function RefBadge({ name, kind = 'branch' }: { name: string; kind?: keyof typeof icons }) {
  const Icon = icons[kind];
  return (
    <span className={classes.ref}>
      <Icon size={14} aria-hidden />
      <span className={classes.refName}>{name}</span>
    </span>
  );
}
