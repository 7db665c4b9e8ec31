/** What can be done with one file: look at it otherwise, copy it, change it. */
import { ActionIcon, Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconDots } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { LinkButton } from '../../ui/links.ts';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
import { useProject } from '../projects/useProject.ts';
import type { Place } from './refs.ts';
import { useEditing } from './useBranch.ts';

const fileMenu = onDemand(() => import('./FileMenu.tsx'));
const ReplaceDialog = lazy(async () => ({ default: (await import('./FileDialogs.tsx')).ReplaceDialog }));
const DeleteDialog = lazy(async () => ({ default: (await import('./FileDialogs.tsx')).DeleteDialog }));

interface Props {
  readonly place: Place;
  /** Address of the bytes. */
  readonly raw: string;
  /** What is copied; null where it is no text. */
  readonly text: string | null;
  /** Whether an editor can change it. */
  readonly editable: boolean;
  readonly lastCommit: string;
}

export function FileActions({ place, raw, text, editable, lastCommit }: Props) {
  const { segment } = useProject();
  const navigate = useNavigate();
  const editing = useEditing(place.ref);
  const [open, setOpen] = useState<'replace' | 'delete' | null>(null);
  const params = { path: segment, _splat: `${place.ref}/${place.path}` };
  const commits = editing === 'commit' || editing === 'branch';
  useHotkeys([['e', () => commits && editable && void navigate({ to: '/p/$path/edit/$', params })]]);
  const dialog = { place, editing, lastCommit, close: () => setOpen(null) };
  return (
    <>
      {text === null ? null : (
        <LinkButton to="/p/$path/blame/$" params={params}>
          Blame
        </LinkButton>
      )}
      <Button component="a" size="xs" variant="default" href={raw}>
        Raw
      </Button>
      <Button
        component="a"
        size="xs"
        variant="default"
        href={`${raw}?inline=false`}
        download={place.path.split('/').at(-1)}
      >
        Download
      </Button>
      {text === null ? null : <CopyButton value={text} label="Copy the contents" />}
      {commits && editable ? (
        <LinkButton to="/p/$path/edit/$" params={params}>
          Edit
        </LinkButton>
      ) : null}
      {editing === 'fork' ? (
        <LinkButton to="/p/$path/forks/new" params={{ path: segment }}>
          Fork to edit
        </LinkButton>
      ) : null}
      {commits ? (
        <MenuOnDemand
          of={fileMenu}
          props={{ choose: setOpen }}
          target={
            <ActionIcon variant="default" size={30} aria-label="More">
              <IconDots size={16} />
            </ActionIcon>
          }
        />
      ) : null}
      <Suspense fallback={null}>
        {open === 'replace' ? <ReplaceDialog {...dialog} /> : open === 'delete' ? <DeleteDialog {...dialog} /> : null}
      </Suspense>
    </>
  );
}
