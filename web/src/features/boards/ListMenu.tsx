/** What can be done with a list of a board. */
import { Menu } from '@mantine/core';
import { useState } from 'react';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';
import type { ListActions } from './BoardColumn.tsx';

export default function ListMenu({ target, actions }: { target: MenuButton; actions: ListActions }) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {actions.moveLeft ? <Menu.Item onClick={actions.moveLeft}>Move list left</Menu.Item> : null}
        {actions.moveRight ? <Menu.Item onClick={actions.moveRight}>Move list right</Menu.Item> : null}
        <Menu.Item onClick={actions.remove}>Remove list</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
