/** What can be added to a folder: files and directories. */
import { Button } from '@mantine/core';
import { IconChevronDown, IconGitFork } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { LinkButton } from '../../ui/links.ts';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
import { useProject } from '../projects/useProject.ts';
import type { Place } from './refs.ts';
import { useEditing } from './useBranch.ts';

const addEntries = onDemand(() => import('./AddEntries.tsx'));
const UploadDialog = lazy(async () => ({ default: (await import('./FileDialogs.tsx')).UploadDialog }));
const NewDirectoryDialog = lazy(async () => ({ default: (await import('./FileDialogs.tsx')).NewDirectoryDialog }));

export function AddMenu({ place }: { place: Place }) {
  const { parts, segment, project } = useProject();
  const editing = useEditing(place.ref);
  const [open, setOpen] = useState<'upload' | 'directory' | null>(null);
  const { data } = useInfiniteQuery({
    ...parts.tree(place.ref, place.path),
    enabled: open === 'upload' && !project.empty_repo,
  });
  const entries = data?.pages.flatMap(({ items }) => items) ?? [];
  if (editing === 'none') return null;
  if (editing === 'fork')
    return (
      <LinkButton to="/p/$path/forks/new" params={{ path: segment }} leftSection={<IconGitFork size={14} />}>
        Fork to change files
      </LinkButton>
    );
  const dialog = { place, editing, close: () => setOpen(null) };
  return (
    <>
      <MenuOnDemand
        of={addEntries}
        props={{ place, choose: setOpen }}
        target={
          <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} />}>
            Add
          </Button>
        }
      />
      <Suspense fallback={null}>
        {open === 'upload' ? (
          <UploadDialog {...dialog} taken={new Set(entries.map((entry) => entry.path))} />
        ) : open === 'directory' ? (
          <NewDirectoryDialog {...dialog} />
        ) : null}
      </Suspense>
    </>
  );
}
