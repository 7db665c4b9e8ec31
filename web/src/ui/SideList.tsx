/** The list of pages beside a page; a line above it where there is no room, which shows the current one. */
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './side-list.module.css';

/** Keeps the link of the page that is shown in sight where the links are a line that scrolls. */
export function useCurrentInSight<T extends HTMLElement>() {
  const list = useRef<T>(null);
  const place = useLocation({ select: ({ href }) => href });
  useEffect(() => {
    const current = place && list.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (!list.current || !current || list.current.scrollWidth <= list.current.clientWidth) return;
    list.current.scrollLeft = current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
  }, [place]);
  return list;
}

export function SideList({ label, children }: { label: string; children: ReactNode }) {
  const list = useCurrentInSight<HTMLElement>();
  return (
    <nav aria-label={label} className={classes.list} ref={list}>
      {children}
    </nav>
  );
}
