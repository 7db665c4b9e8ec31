/** What is done with a file less often. */
import { Menu } from '@mantine/core';
import { IconReplace, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';

interface Props {
  readonly target: MenuButton;
  choose(dialog: 'replace' | 'delete'): void;
}

export default function FileMenu({ target, choose }: Props) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Menu position="bottom-end" withinPortal opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconReplace size={16} />} onClick={() => choose('replace')}>
          Replace
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={16} />} color="red" onClick={() => choose('delete')}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
