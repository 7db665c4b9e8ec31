/** The row above files: ref, path as links, and where to go from here. */
import { useNavigate } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { LinkButton } from '../../ui/links.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './files.module.css';
import { RefPicker } from './RefPicker.tsx';
import type { Place } from './refs.ts';

const joined = (ref: string, path: string) => (path === '' ? ref : `${ref}/${path}`);

export function PathBar({ place, children }: { place: Place; children?: ReactNode }) {
  const { project, segment } = useProject();
  const navigate = useNavigate();
  const names = place.path === '' ? [] : place.path.split('/');
  return (
    <div className={classes.bar}>
      <RefPicker
        value={place.ref}
        choose={(ref) => void navigate({ to: '/p/$path/tree/$', params: { path: segment, _splat: joined(ref, place.path) } })}
      />
      <nav aria-label="Path" className={classes.path}>
        {names.length > 0 ? (
          <Link to="/p/$path/tree/$" params={{ path: segment, _splat: place.ref }}>
            {project.path}
          </Link>
        ) : null}
        {names.map((name, index) => (
          <Fragment key={names.slice(0, index + 1).join('/')}>
            <span aria-hidden> / </span>
            {index === names.length - 1 ? (
              <strong>{name}</strong>
            ) : (
              <Link to="/p/$path/tree/$" params={{ path: segment, _splat: joined(place.ref, names.slice(0, index + 1).join('/')) }}>
                {name}
              </Link>
            )}
          </Fragment>
        ))}
      </nav>
      <div className={classes.actions}>
        {children}
        <LinkButton to="/p/$path/commits/$" params={{ path: segment, _splat: joined(place.ref, place.path) }}>
          History
        </LinkButton>
        {place.path === '' ? (
          <LinkButton to="/p/$path/branches" params={{ path: segment }}>
            Branches
          </LinkButton>
        ) : null}
      </div>
    </div>
  );
}
