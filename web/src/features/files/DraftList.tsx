/** Files that go into the same commit, and how more of them get there. */
import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { LinkButton } from '../../ui/links.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './files.module.css';
import type { Drafting } from './useDraft.ts';

interface Props {
  readonly drafting: Drafting;
  /** The key of the file that is open. */
  readonly current: string;
  readonly gitRef: string;
}

/** Keys of new files are their numbers behind a space, which no path begins with here. */
export const newKey = (number: number): string => ` ${number}`;

export function DraftList({ drafting, current, gitRef }: Props) {
  const { segment, project } = useProject();
  const others = Object.entries(drafting.draft.files).filter(([key]) => key !== current);
  const taken = Object.keys(drafting.draft.files).filter((key) => key.startsWith(' '));
  const next = Math.max(0, ...taken.map(Number)) + 1;
  return (
    <section aria-label="Other files">
      {others.length > 0 ? (
        <>
          <h2 className={classes.also}>Also in this commit</h2>
          <DataList label="Other files of the commit">
            {others.map(([key, file]) => (
              <DataRow
                key={key}
                title={
                  file.previous === null ? (
                    <Link to="/p/$path/new/$" params={{ path: segment, _splat: gitRef }} search={{ n: Number(key) }}>
                      {file.path || 'Unnamed file'}
                    </Link>
                  ) : (
                    <Link to="/p/$path/edit/$" params={{ path: segment, _splat: `${gitRef}/${key}` }}>
                      {file.path}
                    </Link>
                  )
                }
                after={
                  <Button size="xs" variant="default" onClick={() => drafting.change(key, null, null)}>
                    Remove
                  </Button>
                }
              />
            ))}
          </DataList>
        </>
      ) : null}
      <Group gap="sm" mt="xs">
        {project.empty_repo ? null : (
          <LinkButton to="/p/$path/find_file/$" params={{ path: segment, _splat: gitRef }} search={{ edit: true }}>
            Edit another file
          </LinkButton>
        )}
        <LinkButton to="/p/$path/new/$" params={{ path: segment, _splat: gitRef }} search={{ n: next }}>
          New file
        </LinkButton>
      </Group>
    </section>
  );
}
