/** What else there is of a repository at a ref: other views of it, and its archives. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { rangeText } from '../../lib/history.ts';
import { archiveAddress } from '../../lib/urls.ts';
import { useProject } from '../projects/useProject.ts';

const formats = ['zip', 'tar.gz', 'tar.bz2', 'tar'];

export function MoreMenu({ gitRef }: { gitRef: string }) {
  const { project, path, segment } = useProject();
  const params = { path: segment };
  const range = rangeText(project.default_branch ?? gitRef, gitRef, false);
  return (
    <Menu position="bottom-end" width={220} withinPortal>
      <Menu.Target>
        <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} />}>
          Repository
        </Button>
      </Menu.Target>
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
