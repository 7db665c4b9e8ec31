/** What can be created from everywhere. */
import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';

export default function CreateMenu({ target }: { target: MenuButton }) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Menu position="bottom-end" width={200} opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/projects/new">
          New project
        </Menu.Item>
        <Menu.Item component={Link} to="/groups/new">
          New group
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
