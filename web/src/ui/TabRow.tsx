/** The pages of one thing as a row of links; where there is no room it scrolls, with the current one in sight. */
import type { ReactNode } from 'react';
import { useCurrentInSight } from './SideList.tsx';
import classes from './tab-row.module.css';

interface TabRowProps {
  readonly label: string;
  /** Where the row stands on its page. */
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** The server counts so far. */
const mostCounted = 1000;
/** How many are open, where any are. */
export const withCount = (label: string, count = 0): string =>
  count === 0 ? label : `${label} ${count < mostCounted ? count : `${mostCounted - 1}+`}`;

export function TabRow({ label, className, children }: TabRowProps) {
  const row = useCurrentInSight<HTMLElement>();
  return (
    <nav aria-label={label} className={`${classes.row} ${className ?? ''}`} ref={row}>
      {children}
    </nav>
  );
}
