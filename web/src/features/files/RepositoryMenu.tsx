/** The entries of MoreMenu. */
import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { rangeText } from '../../lib/history.ts';
import { archiveAddress } from '../../lib/urls.ts';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';
import { useProject } from '../projects/useProject.ts';

const formats = ['zip', 'tar.gz', 'tar.bz2', 'tar'];

export default function RepositoryMenu({ gitRef, target }: { gitRef: string; target: MenuButton }) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  const { project, path, segment } = useProject();
  const params = { path: segment };
  const range = rangeText(project.default_branch ?? gitRef, gitRef, false);
  return (
    <Menu position="bottom-end" width={220} withinPortal opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item renderRoot={(props) => <Link {...props} to="/p/$path/branches" params={params} />}>
          Branches
        </Menu.Item>
        <Menu.Item renderRoot={(props) => <Link {...props} to="/p/$path/tags" params={params} />}>Tags</Menu.Item>
        <Menu.Item
          renderRoot={(props) => <Link {...props} to="/p/$path/releases/$" params={{ ...params, _splat: '' }} />}
        >
          Releases
        </Menu.Item>
        <Menu.Item
          renderRoot={(props) => <Link {...props} to="/p/$path/compare/$" params={{ ...params, _splat: range }} />}
        >
          Compare
        </Menu.Item>
        <Menu.Item
          renderRoot={(props) => <Link {...props} to="/p/$path/network/$" params={{ ...params, _splat: gitRef }} />}
        >
          Graph
        </Menu.Item>
        <Menu.Item renderRoot={(props) => <Link {...props} to="/p/$path/path_locks" params={params} />}>
          Locks
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Download source code</Menu.Label>
        {formats.map((format) => (
          <Menu.Item key={format} component="a" href={archiveAddress(path, gitRef, format)} download>
            {format}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
