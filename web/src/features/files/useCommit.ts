/** The end of every change of files: message, branch, and what comes afterwards. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { commitFiles, type FileAction } from '../../lib/edits.ts';
import { sessionQuery } from '../../lib/session.ts';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';
import type { Editing } from './useBranch.ts';

export interface CommitValues {
  /** Null while nobody typed one. */
  readonly message: string | null;
  readonly onNew: boolean;
  readonly branch: string;
  /** Opens a merge request of the new branch. */
  readonly request: boolean;
}

interface Plan {
  /** The ref that is shown. */
  readonly ref: string;
  readonly editing: Editing;
  /** The message while none was typed. */
  readonly usual: string;
  /** What the address of the page proposes instead. */
  readonly message?: string | undefined;
  actions(): FileAction[] | Promise<FileAction[]>;
  /** A new branch begins at this commit, not at the tip of the branch. */
  readonly base?: string | null | undefined;
  /** After the commit, before the page is left. */
  committed?(): void;
  /** When what is shown then has come. */
  done?(): void;
  /** What is shown then: a file, or the folder. */
  readonly shows: { readonly kind: 'blob' | 'tree'; readonly path: string };
}

export function useCommit(plan: Plan) {
  const { path, segment, project } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [suffix] = useState(() => Math.random().toString(36).slice(2, 7));
  const [values, setValues] = useState<CommitValues>({
    message: plan.message ?? null,
    onNew: plan.editing === 'branch',
    branch: `${session?.user?.username ?? 'my'}-patch-${suffix}`,
    request: true,
  });
  const sending = useForm(async () => {
    const onNew = values.onNew && !project.empty_repo;
    const branch = onNew ? values.branch : plan.ref;
    const start = onNew ? (plan.base ? { startSha: plan.base } : { startBranch: plan.ref }) : {};
    await commitFiles(path, { branch, ...start }, values.message || plan.usual, await plan.actions());
    plan.committed?.();
    await cache.invalidateQueries({ queryKey: ['project', path] });
    if (onNew && values.request)
      return await navigate({
        to: '/p/$path/merge_requests/new',
        params: { path: segment },
        search: { source: branch, target: plan.ref },
      });
    const { kind, path: shown } = plan.shows;
    const params = { path: segment, _splat: shown === '' ? branch : `${branch}/${shown}` };
    await (kind === 'blob' ? navigate({ to: '/p/$path/blob/$', params }) : navigate({ to: '/p/$path/tree/$', params }));
    plan.done?.();
  });
  return { sending, values, set: (change: Partial<CommitValues>) => setValues((before) => ({ ...before, ...change })) };
}
export type Committing = ReturnType<typeof useCommit>;
