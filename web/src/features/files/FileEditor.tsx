/** The form of a file that is edited or new: its path, its text, other files of the same commit, and the commit. */
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { actionsOf, type DraftFile, messageOf } from '../../lib/drafts.ts';
import { isOutdated } from '../../lib/edits.ts';
import { isMarkdown } from '../../lib/markdown/files.ts';
import { CodeEditor } from '../../ui/code/CodeEditor.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { PreviewOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { useProject } from '../projects/useProject.ts';
import { CommitFields } from './CommitFields.tsx';
import { withEndsOf } from './content.ts';
import { DraftList } from './DraftList.tsx';
import classes from './files.module.css';
import { OutdatedFile } from './OutdatedFile.tsx';
import type { Editing } from './useBranch.ts';
import { useCommit } from './useCommit.ts';
import type { Drafting } from './useDraft.ts';

interface Props {
  readonly gitRef: string;
  readonly editing: Editing;
  readonly drafting: Drafting;
  /** Under what the file is kept. */
  readonly draftKey: string;
  /** The file as it is; empty for a new one. */
  readonly original: DraftFile;
  /** The commit that is seen. */
  readonly base: string | null;
  /** The message that the address of the page proposes. */
  readonly message?: string | undefined;
}

/** As editors have it: the ends of lines come back when it is kept. */
const lines = (content: string) => content.replaceAll('\r\n', '\n');

export function FileEditor({ gitRef, editing, drafting, draftKey, original, base, message }: Props) {
  const { path, segment } = useProject();
  const { draft } = drafting;
  const file = draft.files[draftKey] ?? original;
  const [view, setView] = useState('Edit');
  const [apart, setApart] = useState(false);
  const usual = messageOf(Object.keys(draft.files).length === 0 ? { ...draft, files: { [draftKey]: file } } : draft);
  const shownFile = file.path.startsWith('/') ? file.path.slice(1) : file.path;
  const committing = useCommit({
    ref: gitRef,
    editing,
    usual,
    message,
    base: apart ? draft.base : null,
    actions: () => actionsOf(draft),
    committed: drafting.forget,
    shows: { kind: 'blob', path: shownFile },
  });
  const { sending } = committing;
  const change = (values: Partial<DraftFile>) => {
    const next = { ...file, ...values };
    const same = next.path === original.path && next.content === original.content;
    drafting.change(draftKey, same ? null : next, base);
  };
  const changed = Object.keys(draft.files).length > 0;
  const named = Object.values(draft.files).every((each) => each.path !== '' && !each.path.endsWith('/'));
  const document = isMarkdown(file.path);
  const shown = view === 'Preview' && !document ? 'Edit' : view;
  const outdated = isOutdated(sending.error);
  return (
    <form {...sending.form} aria-label="Edit">
      {outdated ? (
        <OutdatedFile
          drafting={drafting}
          gitRef={gitRef}
          apart={() => {
            setApart(true);
            committing.set({ onNew: true });
          }}
        />
      ) : (
        <FormError error={sending.error} />
      )}
      <Stack gap="md">
        <Group gap="sm" align="end">
          <TextInput
            label="File"
            required
            value={file.path}
            onChange={(event) => change({ path: event.currentTarget.value })}
            error={sending.reason('file_path')}
            className={classes.pathField}
            autoFocus={original.previous === null}
            autoComplete="off"
            spellCheck={false}
          />
          <SegmentedControl
            data={['Edit', 'Changes', ...(document ? ['Preview'] : [])]}
            value={shown}
            onChange={setView}
            aria-label="View"
          />
        </Group>
        {shown === 'Preview' ? (
          <div className={`${classes.box} ${classes.readmeBody}`}>
            <PreviewOnDemand
              text={file.content}
              base={{ project: path, ref: gitRef, path: file.path }}
              of={{ kind: 'project', path }}
            />
          </div>
        ) : (
          <>
            <CodeEditor
              // The view of changes is another editor, not another text of the same one.
              key={shown}
              label={`${shown === 'Edit' ? 'Contents' : 'Changes'} of ${file.path || 'the new file'}`}
              path={file.path}
              value={lines(file.content)}
              change={(content) => change({ content: withEndsOf(original.content, content) })}
              rows={22}
              autoFocus={original.previous !== null}
              {...(shown === 'Changes' ? { comparedWith: lines(original.content) } : {})}
            />
            <Text size="sm" c="dimmed">
              Tab indents; Escape, then Tab leaves the editor. Ctrl F searches, Ctrl Enter commits.
            </Text>
          </>
        )}
        <DraftList drafting={drafting} current={draftKey} gitRef={gitRef} />
        <CommitFields of={committing} gitRef={gitRef} editing={editing} usual={usual} />
        <Group gap="sm">
          <Button type="submit" loading={sending.pending} disabled={!changed || !named}>
            Commit changes
          </Button>
          <LinkButton to="/p/$path/tree/$" params={{ path: segment, _splat: gitRef }} size="sm">
            Cancel
          </LinkButton>
          {changed ? (
            <Button variant="subtle" color="gray" onClick={drafting.forget}>
              Discard draft
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}
