/** The archives of the files of a tag. */
import { Menu } from '@mantine/core';
import { useState } from 'react';
import { archiveAddress } from '../../lib/urls.ts';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';

const formats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const;

export default function DownloadMenu({ target, path, tag }: { target: MenuButton; path: string; tag: string }) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {formats.map((format) => (
          <Menu.Item key={format} component="a" href={archiveAddress(path, `refs/tags/${tag}`, format)} download>
            {format}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
