/** Locks are of files and folders: those of Git LFS on every branch, others on the default branch. */
import type { Migration } from './index.ts';

const locks = `
alter table lfs_locks rename to path_locks;
alter index lfs_locks_pkey rename to path_locks_pkey;
alter index lfs_locks_project_id_path_key rename to path_locks_project_id_path_key;
alter index lfs_locks_listed rename to path_locks_listed;
alter index lfs_locks_user rename to path_locks_user;
alter sequence lfs_locks_id_seq rename to path_locks_id_seq;
alter table path_locks rename constraint lfs_locks_project_id_fkey to path_locks_project_id_fkey;
alter table path_locks rename constraint lfs_locks_user_id_fkey to path_locks_user_id_fkey;
alter table path_locks rename constraint lfs_locks_path_check to path_locks_path_check;
-- Until now all were of Git LFS.
alter table path_locks add column lfs boolean not null default true;
alter table path_locks alter column lfs drop default;
`;

export const pathLocksMigration: Migration = { name: '0054-path-locks', statements: [locks] };
