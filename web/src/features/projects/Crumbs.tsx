/** Where something is: the groups above it, each a link, and itself at the end. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toSegment } from '../../lib/urls.ts';
import classes from './projects.module.css';

interface Props {
  /** Full path of the groups, and what they are called. */
  readonly path: string;
  readonly names: readonly string[];
  /** False where the path is a person's. */
  readonly linked?: boolean;
  /** What comes after the groups; without it the last group is what is shown. */
  readonly children?: ReactNode;
}

export function Crumbs({ path, names, linked = true, children }: Props) {
  const parts = path.split('/');
  return (
    <nav aria-label="Breadcrumb" className={classes.crumbs}>
      {parts.map((part, index) => {
        const to = parts.slice(0, index + 1).join('/');
        const last = index === parts.length - 1 && !children;
        const name = names[index] ?? part;
        return (
          <span key={to}>
            {linked ? (
              <Link to="/g/$path" params={{ path: toSegment(to) }} {...(last ? { className: classes.name ?? '' } : {})}>
                {name}
              </Link>
            ) : (
              name
            )}
            {last ? null : <span aria-hidden> / </span>}
          </span>
        );
      })}
      {children}
    </nav>
  );
}
