/** Whether files of a ref can be changed here, and how. */
import { useQuery } from '@tanstack/react-query';
import { branchNamed } from '../../lib/repository.ts';
import { sessionQuery } from '../../lib/session.ts';
import { level, useProject } from '../projects/useProject.ts';

/** `commit`: on this branch or a new one; `branch`: only on a new one; `fork`: in a fork of one's own. */
export type Editing = 'commit' | 'branch' | 'fork' | 'none';

/** What may be done with the files of a ref; `none` until it is known. */
export function useEditing(ref: string): Editing {
  const view = useProject();
  const { data: session } = useQuery(sessionQuery);
  const { project, path } = view;
  const first = project.empty_repo;
  const { data: branch } = useQuery({ ...branchNamed(path, ref), enabled: Boolean(session?.user) && !first });
  if (!session?.user || project.archived) return 'none';
  if (first) return view.level >= level.developer ? 'commit' : 'none';
  // Tags and commits stay as they are.
  if (!branch) return 'none';
  if (branch.can_push) return 'commit';
  if (view.level >= level.developer) return 'branch';
  return project.forking_access_level === 'disabled' ? 'none' : 'fork';
}
