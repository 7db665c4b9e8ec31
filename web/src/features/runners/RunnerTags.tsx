/** Which jobs a runner takes: its tags, and whether it takes untagged jobs and those of unprotected refs. */
import { Badge } from '@mantine/core';
import classes from './runners.module.css';

interface Taken {
  readonly tag_list: readonly string[];
  readonly run_untagged: boolean;
  readonly access_level: string;
}

export function RunnerTags({ of }: { of: Taken }) {
  const limits = [
    ...(of.tag_list.length === 0 || of.run_untagged ? [] : ['Tagged jobs only']),
    ...(of.access_level === 'ref_protected' ? ['Protected refs only'] : []),
  ];
  return (
    <>
      {of.tag_list.length === 0 ? null : (
        <ul className={classes.tags} aria-label="Tags">
          {of.tag_list.map((tag) => (
            <li key={tag}>
              <Badge size="sm" variant="light" color="gray" className={classes.tag}>
                {tag}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {limits.map((limit) => (
        <span key={limit}>{limit}</span>
      ))}
    </>
  );
}
