/** All files of a ref, found by a few letters of their paths. */
import { TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { bestPaths } from '../../lib/fuzzy.ts';
import { allPaths } from '../../lib/repository.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './files.module.css';
import { PathBar } from './PathBar.tsx';
import { usePlace } from './refs.ts';

const shown = 100;

export default function FindFilePage() {
  const { _splat = '' } = useParams({ strict: false });
  const { edit } = useSearch({ from: '/p/$path/find_file/$' });
  const { project, path, segment } = useProject();
  const place = usePlace(_splat);
  const { data: paths } = useSuspenseQuery(allPaths(path, place.ref));
  const [typed, setTyped] = useState('');
  const found = useMemo(() => bestPaths(paths, typed, shown), [paths, typed]);
  const navigate = useNavigate();
  const paramsOf = (file: string) => ({ path: segment, _splat: `${place.ref}/${file}` });
  const [first] = found;
  return (
    <Page title={`Find a file · ${project.name_with_namespace}`} heading="Find a file">
      <PathBar place={{ ref: place.ref, path: '' }} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (first === undefined) return;
          void (edit
            ? navigate({ to: '/p/$path/edit/$', params: paramsOf(first) })
            : navigate({ to: '/p/$path/blob/$', params: paramsOf(first) }));
        }}
      >
        <TextInput
          label="Part of the path"
          description={`${paths.length.toLocaleString('en')} files; Enter opens the first`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          mb="md"
          data-filter
        />
      </form>
      {found.length === 0 ? (
        <EmptyState title="No file has this in its path">Try fewer letters.</EmptyState>
      ) : (
        <ul className={`${classes.box} ${classes.entries}`} aria-label="Files">
          {found.map((file) => (
            <li key={file} className={`${classes.entry} ${classes.whole}`}>
              <Link to={edit ? '/p/$path/edit/$' : '/p/$path/blob/$'} params={paramsOf(file)} data-entry>
                {file}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}
