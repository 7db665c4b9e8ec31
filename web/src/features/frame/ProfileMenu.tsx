/** The menu of one's own account. */
import { Kbd, Menu, useMantineColorScheme } from '@mantine/core';
import {
  IconApi,
  IconDeviceDesktop,
  IconHelp,
  IconKeyboard,
  IconLock,
  IconLockOpen,
  IconLogout,
  IconMoon,
  IconSettings,
  IconShieldLock,
  IconSun,
  IconTool,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { leaveAdminMode, signOut } from '../../lib/api.ts';
import { sessionQuery, switchSession } from '../../lib/session.ts';
import { toSegment } from '../../lib/urls.ts';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';

interface Props {
  readonly user: { readonly name: string; readonly username: string };
  readonly target: MenuButton;
  /** Shows the keyboard shortcuts. */
  shortcuts(): void;
}

export default function ProfileMenu({ user, target, shortcuts }: Props) {
  const { data } = useQuery(sessionQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  // A new page: nothing of whoever was here stays in its memory, nor anything that was still on its way to them.
  const leave = async () => window.location.assign(await signOut());
  return (
    <Menu position="bottom-end" width={240} opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.name} @{user.username}
        </Menu.Label>
        <Menu.Item
          leftSection={<IconUser size={16} />}
          renderRoot={(props) => <Link {...props} to="/o/$path" params={{ path: toSegment(user.username) }} />}
        >
          Your profile
        </Menu.Item>
        <Menu.Item component={Link} to="/-/user_settings/profile" leftSection={<IconSettings size={16} />}>
          Settings
        </Menu.Item>
        <Menu.Item component={Link} to="/-/profile/two_factor_auth" leftSection={<IconShieldLock size={16} />}>
          Two-factor authentication
        </Menu.Item>
        {data?.admin ? (
          <Menu.Item component={Link} to="/admin" leftSection={<IconTool size={16} />}>
            Administration
          </Menu.Item>
        ) : null}
        {data?.admin_mode === true ? (
          <Menu.Item leftSection={<IconLock size={16} />} onClick={() => void leaveAdminMode().then(switchSession)}>
            Leave admin mode
          </Menu.Item>
        ) : null}
        {data?.admin_mode === false ? (
          <Menu.Item component={Link} to="/admin/session/new" leftSection={<IconLockOpen size={16} />}>
            Enter admin mode
          </Menu.Item>
        ) : null}
        <Menu.Divider />
        <Menu.Item component={Link} to="/help" leftSection={<IconHelp size={16} />}>
          Help
        </Menu.Item>
        <Menu.Item component={Link} to="/api/docs" leftSection={<IconApi size={16} />}>
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} />} rightSection={<Kbd size="xs">?</Kbd>} onClick={shortcuts}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <Menu.Item
          leftSection={<IconDeviceDesktop size={16} />}
          disabled={colorScheme === 'auto'}
          onClick={() => setColorScheme('auto')}
        >
          System theme
        </Menu.Item>
        <Menu.Item
          leftSection={<IconSun size={16} />}
          disabled={colorScheme === 'light'}
          onClick={() => setColorScheme('light')}
        >
          Light
        </Menu.Item>
        <Menu.Item
          leftSection={<IconMoon size={16} />}
          disabled={colorScheme === 'dark'}
          onClick={() => setColorScheme('dark')}
        >
          Dark
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
