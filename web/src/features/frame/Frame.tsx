/** The one frame: mark, search, create, profile. Nothing in it moves from page to page. */
import { ActionIcon, Avatar, Button, Kbd, Menu, useMantineColorScheme } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import {
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSearch,
  IconSettings,
  IconShieldLock,
  IconSun,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { leaveAdminMode, signOut } from '../../lib/api.ts';
import { sessionQuery, switchSession } from '../../lib/session.ts';
import { toSegment } from '../../lib/urls.ts';
import { useListKeys } from '../../ui/ListKeys.ts';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import classes from './Frame.module.css';
import { ImpersonationBanner } from './ImpersonationBanner.tsx';
import { MaintenanceBanner } from './MaintenanceBanner.tsx';
import { Palette } from './Palette.tsx';
import { WorkLink } from './WorkLink.tsx';

function Mark() {
  return (
    <Link to="/" className={classes.mark} aria-label="Millrace, start page">
      <img src="/favicon.svg" alt="" width={24} height={24} />
      <span>Millrace</span>
    </Link>
  );
}

function CreateMenu() {
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label="Create">
          <IconPlus size={16} />
        </ActionIcon>
      </Menu.Target>
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

function ProfileMenu() {
  const { data } = useQuery(sessionQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const user = data?.user;
  if (!user) {
    return (
      <Button component={Link} to="/users/sign_in" size="xs" variant="default">
        Sign in
      </Button>
    );
  }
  // A new page: nothing of whoever was here stays in its memory, nor anything that was still on its way to them.
  const leave = async () => window.location.assign(await signOut());
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <button type="button" className={classes.profile} aria-label={`Account of ${user.name}`}>
          <Avatar src={user.avatar_url} name={user.name} size={28} color="race" variant="filled" alt="" />
        </button>
      </Menu.Target>
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
        <Menu.Item component={Link} to="/api/docs">
          API reference
        </Menu.Item>
        <Menu.Item component={Link} to="/-/profile/two_factor_auth" leftSection={<IconShieldLock size={16} />}>
          Two-factor authentication
        </Menu.Item>
        {data.admin ? (
          <Menu.Item component={Link} to="/admin">
            Administration
          </Menu.Item>
        ) : null}
        {data.admin_mode === true ? (
          <Menu.Item onClick={() => void leaveAdminMode().then(switchSession)}>Leave admin mode</Menu.Item>
        ) : null}
        {data.admin_mode === false ? (
          <Menu.Item component={Link} to="/admin/session/new">
            Enter admin mode
          </Menu.Item>
        ) : null}
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <Menu.Item
          leftSection={<IconDeviceDesktop size={16} />}
          disabled={colorScheme === 'auto'}
          onClick={() => setColorScheme('auto')}
        >
          As the system
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

const Shortcuts = lazy(() => import('./Shortcuts.tsx').then((file) => ({ default: file.Shortcuts })));

/** The frame around every page. */
export function Frame(): ReactNode {
  const { data } = useQuery(sessionQuery);
  const [palette, setPalette] = useState(false);
  // Fetched when first asked for.
  const [help, setHelp] = useState<boolean | null>(null);
  useListKeys();
  useHotkeys([
    ['mod+K', () => setPalette(true)],
    ['?', () => setHelp(true)],
  ]);
  return (
    <>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <header className={classes.bar}>
        <Mark />
        <div className={classes.grow} />
        {data?.user ? (
          <button
            type="button"
            className={classes.search}
            onClick={() => setPalette(true)}
            aria-label="Search or go to"
          >
            <IconSearch size={16} aria-hidden />
            <span className={classes.grow}>Search or go to</span>
            <Kbd size="xs">Ctrl K</Kbd>
          </button>
        ) : null}
        {data?.user ? <WorkLink userId={data.user.id} /> : null}
        {data?.user ? <CreateMenu /> : null}
        <ProfileMenu />
      </header>
      <MaintenanceBanner />
      <ImpersonationBanner />
      <ConnectionBanner />
      <div id="content">
        <Outlet />
      </div>
      <Palette opened={palette} close={() => setPalette(false)} />
      {help === null ? null : (
        <Suspense fallback={null}>
          <Shortcuts opened={help} close={() => setHelp(false)} />
        </Suspense>
      )}
    </>
  );
}
