/** The one frame: mark, search, create, profile. Nothing in it moves from page to page. */
import { ActionIcon, Avatar, Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import mark from '../../../public/favicon.svg?inline';
import type { SessionState } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { keepTyped } from '../../lib/typed-ahead.ts';
import { useListKeys } from '../../ui/ListKeys.ts';
import { MarkdownOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { DialogOnDemand, MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import classes from './Frame.module.css';
import { MaintenanceBanner } from './MaintenanceBanner.tsx';
import { PlaceFrame } from './PlaceFrame.tsx';
import { WorkLink } from './WorkLink.tsx';

function Mark({ logo }: { logo: string | null }) {
  if (logo !== null)
    return (
      <Link to="/" className={classes.mark} aria-label="Start page">
        <img src={logo} alt="" className={classes.logo} />
      </Link>
    );
  return (
    <Link to="/" className={classes.mark} aria-label="Millrace, start page">
      <img src={mark} alt="" width={24} height={24} />
      <span>Millrace</span>
    </Link>
  );
}

/** A line above or below every page. */
function SystemMessage({ end, appearance }: { end: 'header' | 'footer'; appearance: SessionState['appearance'] }) {
  const html = appearance?.[`${end}_html`];
  if (!appearance || !html) return null;
  const { background, color } = appearance;
  return (
    <section
      aria-label={end === 'header' ? 'Header message' : 'Footer message'}
      className={classes.message}
      data-end={end}
      style={{ background, color }}
    >
      <MarkdownOnDemand html={html} />
    </section>
  );
}

const BroadcastMessages = lazy(async () => ({
  default: (await import('./BroadcastMessages.tsx')).BroadcastMessages,
}));
const ImpersonationBanner = lazy(() => import('./ImpersonationBanner.tsx'));
const createMenu = onDemand(() => import('./CreateMenu.tsx'));
const profileMenu = onDemand(() => import('./ProfileMenu.tsx'));
const palette = onDemand(async () => ({ default: (await import('./Palette.tsx')).Palette }));
const shortcutList = onDemand(async () => ({ default: (await import('./Shortcuts.tsx')).Shortcuts }));

function Account({ shortcuts }: { shortcuts: () => void }) {
  const { data } = useQuery(sessionQuery);
  const user = data?.user;
  if (!user) {
    return (
      <Button component={Link} to="/users/sign_in" size="xs" variant="default">
        Sign in
      </Button>
    );
  }
  return (
    <MenuOnDemand
      of={profileMenu}
      props={{ user, shortcuts }}
      target={
        <button type="button" className={classes.profile} aria-label={`Account of ${user.name}`}>
          <Avatar src={user.avatar_url} name={user.name} size={28} color="race" variant="filled" alt="" />
        </button>
      }
    />
  );
}

/** The frame around every page. */
export function Frame(): ReactNode {
  const { data } = useQuery(sessionQuery);
  const [searching, setSearching] = useState(false);
  const [help, setHelp] = useState(false);
  useListKeys();
  useHotkeys([['?', () => setHelp(true)]]);
  // From a field as well, unless the key means something in it, as in a Markdown editor.
  const openSearch = () => {
    if (!searching) keepTyped();
    setSearching(true);
  };
  const search = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    openSearch();
  };
  useHotkeys([['mod+K', search, { preventDefault: false }]], [], true);
  return (
    <>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <SystemMessage end="header" appearance={data?.appearance ?? null} />
      <header className={classes.bar}>
        <Mark logo={data?.appearance?.logo ?? null} />
        <div className={classes.grow} />
        {data?.user ? (
          <button type="button" className={classes.search} onClick={openSearch} aria-label="Search or go to">
            <IconSearch size={16} aria-hidden />
            <span className={classes.grow}>Search or go to</span>
            <Kbd size="xs">Ctrl K</Kbd>
          </button>
        ) : null}
        {data?.user ? <WorkLink userId={data.user.id} /> : null}
        {data?.user ? (
          <MenuOnDemand
            of={createMenu}
            props={{}}
            target={
              <ActionIcon variant="default" size={30} aria-label="Create">
                <IconPlus size={16} />
              </ActionIcon>
            }
          />
        ) : null}
        <Account shortcuts={() => setHelp(true)} />
      </header>
      <MaintenanceBanner />
      {data?.announcements ? (
        <Suspense fallback={null}>
          <BroadcastMessages />
        </Suspense>
      ) : null}
      {data?.impersonator ? (
        <Suspense fallback={null}>
          <ImpersonationBanner />
        </Suspense>
      ) : null}
      <ConnectionBanner />
      <div id="content">
        <PlaceFrame>
          <Outlet />
        </PlaceFrame>
      </div>
      <SystemMessage end="footer" appearance={data?.appearance ?? null} />
      <DialogOnDemand of={palette} props={{ opened: searching, close: () => setSearching(false) }} />
      <DialogOnDemand of={shortcutList} props={{ opened: help, close: () => setHelp(false) }} />
    </>
  );
}
