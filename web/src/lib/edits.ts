/** Commits that pages make: changes of files on a branch, or on a new one. */
import { ApiError, client, type Schemas, unwrap } from './api.ts';

export type FileAction = NonNullable<Schemas['PostProjectsByIdRepositoryCommitsBody']['actions']>[number];

/** Where a commit goes. */
export interface Target {
  readonly branch: string;
  /** Where a new branch begins: a branch, or the commit that was seen. Neither for one that is there, or the first. */
  readonly startBranch?: string | undefined;
  readonly startSha?: string | undefined;
}

export function commitFiles(id: string, target: Target, message: string, actions: FileAction[]) {
  const { branch, startBranch, startSha } = target;
  return unwrap(
    client.POST('/projects/{id}/repository/commits', {
      params: { path: { id } },
      body: {
        branch,
        commit_message: message,
        actions,
        ...(startSha ? { start_sha: startSha } : startBranch ? { start_branch: startBranch } : {}),
      },
    }),
  );
}

/** Somebody else changed the file meanwhile. */
export const isOutdated = (error: unknown): boolean => error instanceof ApiError && error.reason === 'file_changed';

/** Base64 of what a chosen file holds. */
export function contentsOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,?/, '')));
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read`)));
    reader.readAsDataURL(file);
  });
}

/** A folder and a name as one path. */
export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);
