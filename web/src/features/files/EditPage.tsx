/** Editing a file of a branch. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import { editableText } from './content.ts';
import { FileEditor } from './FileEditor.tsx';
import { FilePanels, PanelToggle, usePanels } from './FilePanels.tsx';
import classes from './file-panels.module.css';
import { type Place, usePlace } from './refs.ts';
import { useEditing } from './useBranch.ts';
import { useDraft } from './useDraft.ts';

function Editor({ place }: { place: Place }) {
  const { parts, segment, project } = useProject();
  const { data: file } = useSuspenseQuery(parts.file(place.ref, place.path));
  const editing = useEditing(place.ref);
  const drafting = useDraft(place.ref);
  const { panels, set } = usePanels();
  const content = editableText(file.content);
  const back = { path: segment, _splat: `${place.ref}/${place.path}` };
  if (content === null)
    return (
      <EmptyState title="This file cannot be edited here">
        <LinkButton to="/p/$path/blob/$" params={back}>
          Back to the file
        </LinkButton>
      </EmptyState>
    );
  if (editing === 'none' || editing === 'fork')
    return (
      <EmptyState title="You cannot commit here">
        {editing === 'fork' ? (
          <LinkButton to="/p/$path/forks/new" params={{ path: segment }}>
            Fork {project.name}
          </LinkButton>
        ) : (
          'You need push access to a branch of a project that is not archived.'
        )}
      </EmptyState>
    );
  return (
    <>
      <PanelToggle label="File tree" shown={panels.tree} toggle={() => set({ tree: !panels.tree })} />
      <FilePanels
        panels={{ tree: panels.tree, symbols: false }}
        place={place}
        source={null}
        wanted={null}
        links={{ opens: 'edit', changed: new Set(Object.keys(drafting.draft.files)) }}
      >
        <div className={classes.editor}>
          <FileEditor
            key={place.path}
            gitRef={place.ref}
            editing={editing}
            drafting={drafting}
            draftKey={place.path}
            base={file.commit_id}
            original={{ previous: place.path, path: place.path, content, lastCommit: file.last_commit_id }}
          />
        </div>
      </FilePanels>
    </>
  );
}

export default function EditPage() {
  const { _splat = '' } = useParams({ strict: false });
  const { project } = useProject();
  const place = usePlace(_splat);
  const name = place.path.split('/').at(-1) ?? '';
  return (
    <Page title={`Edit ${name} · ${project.name_with_namespace}`} heading={`Edit ${name}`} wide>
      <Editor key={place.ref} place={place} />
    </Page>
  );
}
