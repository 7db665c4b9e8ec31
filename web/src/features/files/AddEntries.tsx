/** The entries of AddMenu. */
import { Menu } from '@mantine/core';
import { IconFilePlus, IconFolderPlus, IconUpload } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { inFolder } from '../../lib/edits.ts';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';
import { useProject } from '../projects/useProject.ts';
import type { Place } from './refs.ts';

interface Props {
  readonly place: Place;
  readonly target: MenuButton;
  choose(dialog: 'upload' | 'directory'): void;
}

export default function AddEntries({ place, target, choose }: Props) {
  const { segment } = useProject();
  const navigate = useNavigate();
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Menu position="bottom-end" withinPortal opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
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
        <Menu.Item leftSection={<IconUpload size={16} />} onClick={() => choose('upload')}>
          Upload files
        </Menu.Item>
        <Menu.Item leftSection={<IconFolderPlus size={16} />} onClick={() => choose('directory')}>
          New directory
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
