/** What is typed on the pages that edit files of one ref. */
import { useState } from 'react';
import { type DraftFile, keepDraft, noDraft, readDraft } from '../../lib/drafts.ts';
import { useProject } from '../projects/useProject.ts';

export function useDraft(ref: string) {
  const { path } = useProject();
  const [draft, setDraft] = useState(() => readDraft(path, ref));
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
