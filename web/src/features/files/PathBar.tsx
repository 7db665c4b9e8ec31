/** The row above files: ref, path as links, and where to go from here. */
import { useHotkeys } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { LinkButton } from '../../ui/links.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './files.module.css';
import { MoreMenu } from './MoreMenu.tsx';
import { RefPicker } from './RefPicker.tsx';
import type { Place } from './refs.ts';

const joined = (ref: string, path: string) => (path === '' ? ref : `${ref}/${path}`);

interface PathBarProps {
  place: Place;
  /** What is shown of the path: its files or its history. */
  shows?: 'files' | 'history';
  /** Files are being looked for already. */
  finding?: boolean;
  children?: ReactNode;
}

export function PathBar({ place, shows = 'files', finding = false, children }: PathBarProps) {
  const { project, segment } = useProject();
  const navigate = useNavigate();
  const find = { path: segment, _splat: place.ref };
  useHotkeys([['t', () => void navigate({ to: '/p/$path/find_file/$', params: find })]]);
  const names = place.path === '' ? [] : place.path.split('/');
  return (
    <div className={classes.bar}>
      <RefPicker
        value={place.ref}
        choose={(ref) => {
          const params = { path: segment, _splat: joined(ref, place.path) };
          void (shows === 'files'
            ? navigate({ to: '/p/$path/tree/$', params })
            : navigate({ to: '/p/$path/commits/$', params }));
        }}
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
              <Link
                to="/p/$path/tree/$"
                params={{ path: segment, _splat: joined(place.ref, names.slice(0, index + 1).join('/')) }}
              >
                {name}
              </Link>
            )}
          </Fragment>
        ))}
      </nav>
      {place.path === '' ? null : <CopyButton value={place.path} label="Copy the path" />}
      <div className={classes.actions}>
        {children}
        {finding ? null : (
          <LinkButton to="/p/$path/find_file/$" params={find}>
            Find file
          </LinkButton>
        )}
        {shows === 'files' ? (
          <LinkButton to="/p/$path/commits/$" params={{ path: segment, _splat: joined(place.ref, place.path) }}>
            History
          </LinkButton>
        ) : (
          <LinkButton to="/p/$path/tree/$" params={{ path: segment, _splat: joined(place.ref, place.path) }}>
            Files
          </LinkButton>
        )}
        {place.path === '' ? <MoreMenu gitRef={place.ref} /> : null}
      </div>
    </div>
  );
}
