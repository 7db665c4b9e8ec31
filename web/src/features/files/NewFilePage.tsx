/** A new file in a folder of a branch; in an empty repository it is the first one. */
import { useParams, useSearch } from '@tanstack/react-router';
import { inFolder } from '../../lib/edits.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import { newKey } from './DraftList.tsx';
import { FileEditor } from './FileEditor.tsx';
import { type Place, usePlace } from './refs.ts';
import { useEditing } from './useBranch.ts';
import { useDraft } from './useDraft.ts';

function Editor({ place, number }: { place: Place; number: number }) {
  const { file_name: name, content = '', commit_message: message } = useSearch({ from: '/p/$path/new/$' });
  const editing = useEditing(place.ref);
  const key = newKey(number);
  const folder = place.path === '' ? '' : inFolder(place.path, '');
  const empty = { previous: null, path: folder, content: '', lastCommit: null };
  const given =
    name === undefined && content === '' ? null : { key, file: { ...empty, path: folder + (name ?? ''), content } };
  const drafting = useDraft(place.ref, given);
  if (editing === 'none' || editing === 'fork')
    return <EmptyState title="You cannot commit here">You need push access to the branch to add files.</EmptyState>;
  return (
    <FileEditor
      key={number}
      gitRef={place.ref}
      editing={editing}
      drafting={drafting}
      draftKey={key}
      base={null}
      original={empty}
      message={message}
    />
  );
}

export default function NewFilePage() {
  const { _splat = '' } = useParams({ strict: false });
  const { n = 1 } = useSearch({ from: '/p/$path/new/$' });
  const { project } = useProject();
  const place = usePlace(_splat);
  return (
    <Page title={`New file · ${project.name_with_namespace}`} heading="New file" wide>
      <Editor key={place.ref} place={place} number={n} />
    </Page>
  );
}
