/** All files of a ref, found by a few letters of their paths. */
import { TextInput, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { counted } from '../../lib/counted.ts';
import { bestPaths, markedPath } from '../../lib/fuzzy.ts';
import { allPaths } from '../../lib/repository.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { useTypedAhead } from '../../ui/useTypedAhead.ts';
import { PendingPart } from '../frame/PendingPage.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './files.module.css';
import { PathBar } from './PathBar.tsx';
import { usePlace } from './refs.ts';

const shown = 100;
const none: readonly string[] = [];

function partsOf(file: string, typed: string) {
  let from = 0;
  return markedPath(file, typed).map(({ text, hit }) => {
    const key = from;
    from += text.length;
    return hit ? <mark key={key}>{text}</mark> : <span key={key}>{text}</span>;
  });
}

export default function FindFilePage() {
  const { _splat = '' } = useParams({ strict: false });
  const { edit } = useSearch({ from: '/p/$path/find_file/$' });
  const { project, path, segment } = useProject();
  const place = usePlace(_splat);
  // The field does not wait for the list: whoever comes here types at once.
  const { data: paths = none, isPending } = useQuery({ ...allPaths(path, place.ref), throwOnError: true });
  const [typed, setTyped] = useState('');
  useTypedAhead(setTyped);
  const found = useMemo(() => bestPaths(paths, typed, shown), [paths, typed]);
  const navigate = useNavigate();
  const paramsOf = (file: string) => ({ path: segment, _splat: `${place.ref}/${file}` });
  const [at, setAt] = useState(0);
  const chosen = found[at];
  useEffect(() => {
    document.getElementById(`found-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    setAt((before) => Math.max(0, Math.min(found.length - 1, before + step)));
  };
  return (
    <Page title={`Find a file · ${project.name_with_namespace}`} heading="Find a file">
      <PathBar place={{ ref: place.ref, path: '' }} finding />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen === undefined) return;
          void (edit
            ? navigate({ to: '/p/$path/edit/$', params: paramsOf(chosen) })
            : navigate({ to: '/p/$path/blob/$', params: paramsOf(chosen) }));
        }}
      >
        <TextInput
          label="Part of the path"
          description={
            isPending
              ? 'Loading the list of files.'
              : `${counted(paths.length, 'file', 'files')}. Select a match with the arrow keys and press Enter to open it.`
          }
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={move}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          mb="md"
          data-filter
        />
      </form>
      {isPending ? (
        <PendingPart />
      ) : found.length === 0 ? (
        <EmptyState title={`No results for "${typed}"`}>Try fewer letters.</EmptyState>
      ) : (
        <ul className={`${classes.box} ${classes.entries}`} aria-label="Files">
          {found.map((file, index) => (
            <li
              key={file}
              id={`found-${index}`}
              className={`${classes.entry} ${classes.whole}`}
              data-chosen={index === at || undefined}
            >
              <Link to={edit ? '/p/$path/edit/$' : '/p/$path/blob/$'} params={paramsOf(file)} data-entry>
                {partsOf(file, typed)}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <VisuallyHidden role="status">{typed === '' ? '' : (chosen ?? '')}</VisuallyHidden>
    </Page>
  );
}
