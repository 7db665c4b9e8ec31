/** Edits that are not committed yet: kept by the browser until the tab is closed, so that nothing typed is lost. */

/** One file as it was typed. */
export interface DraftFile {
  /** Where it is; null for a new file. */
  readonly previous: string | null;
  /** Where it will be. */
  readonly path: string;
  readonly content: string;
  /** The commit that changed it last when the edit began. */
  readonly lastCommit: string | null;
}

export interface Draft {
  /** The commit that was seen when the first edit began: where a new branch may begin. */
  readonly base: string | null;
  /** By the path that was opened; `''` for a new file. */
  readonly files: Readonly<Record<string, DraftFile>>;
}

export const noDraft: Draft = { base: null, files: {} };

/** The actions that make a commit of a draft. Pure. */
export function actionsOf(draft: Draft) {
  return Object.values(draft.files).map(({ previous, path, content, lastCommit }) => ({
    action: previous === null ? ('create' as const) : previous === path ? ('update' as const) : ('move' as const),
    file_path: path,
    content,
    ...(previous !== null && previous !== path ? { previous_path: previous } : {}),
    ...(lastCommit === null ? {} : { last_commit_id: lastCommit }),
  }));
}

/** What the commit is called while nobody says otherwise. */
export function messageOf(draft: Draft): string {
  const files = Object.values(draft.files);
  const [only] = files;
  if (files.length !== 1 || !only) return `Change ${files.length} files`;
  if (only.previous === null) return `Add ${only.path || 'a file'}`;
  return only.previous === only.path ? `Update ${only.path}` : `Move ${only.previous} to ${only.path}`;
}

const keyOf = (project: string, ref: string) => `millrace-draft:${project}:${ref}`;

export function readDraft(project: string, ref: string): Draft {
  try {
    return (JSON.parse(sessionStorage.getItem(keyOf(project, ref)) ?? 'null') as Draft | null) ?? noDraft;
  } catch {
    return noDraft;
  }
}

/** Kept as far as the browser has room. */
export function keepDraft(project: string, ref: string, draft: Draft): void {
  try {
    if (Object.keys(draft.files).length === 0) sessionStorage.removeItem(keyOf(project, ref));
    else sessionStorage.setItem(keyOf(project, ref), JSON.stringify(draft));
  } catch {
    // The page itself still has what was typed.
  }
}
