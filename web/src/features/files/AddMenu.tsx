/** What can be added to a folder: files and directories. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconFilePlus, IconFolderPlus, IconGitFork, IconUpload } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { inFolder } from '../../lib/edits.ts';
import { LinkButton } from '../../ui/links.ts';
import { useProject } from '../projects/useProject.ts';
import { NewDirectoryDialog, UploadDialog } from './FileDialogs.tsx';
import type { Place } from './refs.ts';
import { useEditing } from './useBranch.ts';

export function AddMenu({ place }: { place: Place }) {
  const { parts, segment, project } = useProject();
  const navigate = useNavigate();
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
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} />}>
            Add
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconFilePlus size={16} />}
            onClick={() =>
              void navigate({
                to: '/p/$path/new/$',
                params: { path: segment, _splat: place.path === '' ? place.ref : inFolder(place.ref, place.path) },
              })
            }
          >
            New file
          </Menu.Item>
          <Menu.Item leftSection={<IconUpload size={16} />} onClick={() => setOpen('upload')}>
            Upload files
          </Menu.Item>
          <Menu.Item leftSection={<IconFolderPlus size={16} />} onClick={() => setOpen('directory')}>
            New directory
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === 'upload' ? (
        <UploadDialog {...dialog} taken={new Set(entries.map((entry) => entry.path))} />
      ) : open === 'directory' ? (
        <NewDirectoryDialog {...dialog} />
      ) : null}
    </>
  );
}
