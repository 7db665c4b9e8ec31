/** Changed files with their diffs, in one column or two; the bodies are built when they come near the window. */
import { SegmentedControl } from '@mantine/core';
import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { useMemo } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { DiffFile } from './DiffFile.tsx';
import classes from './diff.module.css';
import { countChanges } from './hunks.ts';

export type DiffLook = 'Unified' | 'Split';

interface DiffViewProps {
  files: readonly Schemas['FileDiff'][];
  /** The commit whose files the new side shows. */
  gitRef: string;
}

export function DiffView({ files, gitRef }: DiffViewProps) {
  const [look, setLook] = useLocalStorage<DiffLook>({ key: 'millrace-diff-look', defaultValue: 'Unified' });
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
            aria-label="Layout of diffs"
          />
        )}
      </div>
      {files.map((file, index) => (
        <DiffFile
          key={`${file.old_path}:${file.new_path}`}
          file={file}
          count={counts[index] ?? { added: 0, removed: 0 }}
          look={small ? 'Unified' : look}
          gitRef={gitRef}
          near={index < 3}
        />
      ))}
    </section>
  );
}
