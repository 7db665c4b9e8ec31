/** Changed files with their diffs, in one column or two; the bodies are built when they come near the window. */
import { Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import * as accounts from '../../lib/accounts.ts';
import type { Schemas } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { DiffFile } from './DiffFile.tsx';
import classes from './diff.module.css';
import { countChanges } from './hunks.ts';
import type { FileReview, LineComments } from './line-comments.ts';
import { type DiffLook, useDiffLook } from './view-mode.ts';

interface DiffViewProps {
  files: readonly Schemas['FileDiff'][];
  /** The commit whose files the new side shows. */
  gitRef: string;
  /** What is said at lines, where that can be. */
  comments?: LineComments;
  /** Whether characters that nobody sees are shown and told. */
  warn: boolean;
  /** Viewed marks, and the whole text of files, where the page has them. */
  review?: FileReview;
  isViewed?: (file: Schemas['FileDiff']) => boolean;
}

/** Whether the person wants to see one file at a time. Loaders fetch it before. */
function useOneByOne(files: number): boolean {
  const { data: session } = useQuery(sessionQuery);
  const several = files > 1;
  const { data } = useQuery({ ...accounts.preferences(), enabled: several && Boolean(session?.user) });
  return several && (data?.view_diffs_file_by_file ?? false);
}

interface FilePickerProps {
  files: readonly Schemas['FileDiff'][];
  at: number;
  go: (index: number) => void;
}

function FilePicker({ files, at, go }: FilePickerProps) {
  return (
    <nav aria-label="Files" className={classes.picker}>
      <Button variant="default" size="xs" disabled={at === 0} onClick={() => go(at - 1)}>
        Previous
      </Button>
      <NativeSelect
        size="xs"
        aria-label="File"
        data={files.map((file, index) => ({
          value: String(index),
          label: `${index + 1}/${files.length} ${file.new_path}`,
        }))}
        value={String(at)}
        onChange={(event) => go(Number(event.currentTarget.value))}
      />
      <Button variant="default" size="xs" disabled={at === files.length - 1} onClick={() => go(at + 1)}>
        Next
      </Button>
    </nav>
  );
}

const unchanged = { added: 0, removed: 0 };

export function DiffView({ files, gitRef, comments, warn, review, isViewed }: DiffViewProps) {
  const [look, setLook] = useDiffLook();
  // The choice shows at once, the lines follow between events.
  const drawn = useDeferredValue(look);
  const oneByOne = useOneByOne(files.length);
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, files.length - 1);
  const small = useMediaQuery('(max-width: 800px)', false, { getInitialValueInEffect: false });
  const counts = useMemo(() => files.map((file) => countChanges(file.diff)), [files]);
  const sum = (side: 'added' | 'removed') => counts.reduce((total, count) => total + count[side], 0);
  return (
    <section aria-label="Changes">
      <div className={classes.summary}>
        <span>
          {files.length === 1 ? '1 file' : `${files.length} files`} changed,{' '}
          <span className={classes.plus}>+{sum('added')}</span> <span className={classes.minus}>−{sum('removed')}</span>
        </span>
        {small ? null : (
          <SegmentedControl
            size="xs"
            data={['Unified', 'Split']}
            value={look}
            onChange={(value) => setLook(value as DiffLook)}
            aria-label="Diff layout"
          />
        )}
      </div>
      {oneByOne ? <FilePicker files={files} at={at} go={setChosen} /> : null}
      {files.map((file, index) =>
        oneByOne && index !== at ? null : (
          <DiffFile
            key={`${file.old_path}:${file.new_path}`}
            file={file}
            count={counts[index] ?? unchanged}
            look={small ? 'Unified' : drawn}
            gitRef={gitRef}
            near={oneByOne || index < 3}
            comments={comments}
            warn={warn}
            review={review}
            viewed={isViewed?.(file) ?? false}
          />
        ),
      )}
    </section>
  );
}
