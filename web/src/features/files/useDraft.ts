/** What is typed on the pages that edit files of one ref. */
import { useState } from 'react';
import { type DraftFile, keepDraft, noDraft, readDraft } from '../../lib/drafts.ts';
import { useProject } from '../projects/useProject.ts';

/** A file that the address of the page fills in. */
export interface Given {
  readonly key: string;
  readonly file: DraftFile;
}

export function useDraft(ref: string, given?: Given | null) {
  const { path } = useProject();
  const [draft, setDraft] = useState(() => {
    const kept = readDraft(path, ref);
    // The same file is taken up where it was left.
    if (!given || kept.files[given.key]?.path === given.file.path) return kept;
    return { ...kept, files: { ...kept.files, [given.key]: given.file } };
  });
  return {
    draft,
    /** Keeps a file under its key, or forgets it. */
    change(key: string, file: DraftFile | null, base: string | null) {
      setDraft((before) => {
        const files = { ...before.files };
        if (file) files[key] = file;
        else delete files[key];
        const next = { base: before.base ?? base, files };
        keepDraft(path, ref, next);
        return next;
      });
    },
    forget() {
      setDraft(noDraft);
      keepDraft(path, ref, noDraft);
    },
  };
}
export type Drafting = ReturnType<typeof useDraft>;
