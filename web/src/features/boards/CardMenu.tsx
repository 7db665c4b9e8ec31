/** Where a card can be moved to without the mouse. */
import { Menu } from '@mantine/core';
import { useState } from 'react';
import type { ColumnName } from '../../lib/boards.ts';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';
import type { ColumnChoice } from './BoardCard.tsx';

interface Props {
  readonly target: MenuButton;
  readonly column: ColumnName;
  readonly columns: readonly ColumnChoice[];
  send(to: ColumnName): void;
}

export default function CardMenu({ target, column, columns, send }: Props) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Menu position="bottom-end" withinPortal opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {columns.map((each) => (
          <Menu.Item key={each.column} onClick={() => send(each.column)}>
            {each.column === column ? 'Move to top' : `Move to ${each.name}`}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
