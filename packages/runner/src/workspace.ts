/** Directories: what each slot's job gets, who may enter, and what stays closed between jobs. */
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account, JobDirectories } from './executors/types.ts';
import type { JobPayload } from './protocol.ts';

export type Workspace = JobDirectories & {
  home: string;
  temporary: string;
  /** Path of the file for a file-type variable. */
  variableFile(name: string): string;
  /** Ours alone: archives on their way, caches. */
  spool: string;
  caches: string;
  builds: string;
};

export type WorkspaceOptions = {
  workDir: string;
  slot: string;
  account: Account | undefined;
  job: JobPayload;
  reuse: boolean;
};

/** Projects whose workspaces a slot keeps for the next fetch. */
const KEPT_PROJECTS = 20;

/**
 * Makes and opens the directories for one job. The project's own directory is closed (0700, ours) while no job of it
 * runs: the next job of the slot has the same uid and must not see another project's files.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { workDir, slot, account, job } = options;
  const builds = join(workDir, 'builds', slot);
  const project = join(builds, `project-${job.job_info.project_id}`);
  const own = join(builds, `job-${job.id}`);
  const spool = join(workDir, 'spool', `job-${job.id}`);
  const caches = join(workDir, 'cache', `project-${job.job_info.project_id}`);
  for (const directory of [workDir, join(workDir, 'builds'), builds, project]) await openDirectory(directory, 0o711);
  await openDirectory(join(workDir, 'spool'), 0o700);
  await openDirectory(join(workDir, 'cache'), 0o700);
  const workspace = join(project, workspaceName(job.job_info.project_name));
  if (!options.reuse) await rm(workspace, { recursive: true, force: true });
  await rm(own, { recursive: true, force: true });
  await rm(spool, { recursive: true, force: true });
  await mkdir(spool, { mode: 0o700 });
  const home = join(own, 'home');
  const temporary = join(own, 'tmp');
  for (const directory of [workspace, own, home, temporary, join(own, 'variables')]) await give(directory, account);
  const variableFile = (name: string) => join(own, 'variables', name);
  return { workspace, private: own, mark: markOf(workDir), home, temporary, variableFile, spool, caches, builds };
}

async function openDirectory(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  await chmod(path, mode);
}

async function give(path: string, account: Account | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (account) await chown(path, account.uid, account.gid);
}

// The last part of the path that scripts see; a project may be named anything.
function workspaceName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 100);
  return /^[.-]|^$/.test(safe) ? `project${safe.replaceAll('.', '-')}` : safe;
}

/** What marks the processes of all jobs below `workDir`. */
export function markOf(workDir: string): string {
  return createHash('sha256').update(workDir).digest('hex').slice(0, 16);
}

/** Removes what jobs of a killed runner left in a slot. Their processes must have ended. */
export async function clearSlot(workDir: string, slot: string): Promise<void> {
  const builds = join(workDir, 'builds', slot);
  for (const name of await readdir(builds).catch(() => [])) {
    if (name.startsWith('job-')) await rm(join(builds, name), { recursive: true, force: true });
    else await chmod(join(builds, name), 0o700);
  }
}

/** Writes a file that the job's uid owns. */
export async function writeForJob(
  path: string,
  content: string,
  account: Account | undefined,
  mode = 0o600,
): Promise<void> {
  await writeFile(path, content, { mode, flag: 'wx' });
  if (account) await chown(path, account.uid, account.gid);
}

/** Removes what belonged to the job and closes its project. Call it after the job's processes have ended. */
export async function closeWorkspace(workspace: Workspace): Promise<void> {
  await rm(workspace.spool, { recursive: true, force: true });
  await rm(workspace.private, { recursive: true, force: true });
  const project = join(workspace.workspace, '..');
  await chmod(project, 0o700);
  const now = new Date();
  const handle = await open(project, 'r');
  await handle.utimes(now, now).finally(() => handle.close());
  await prune(workspace.builds);
}

async function prune(builds: string): Promise<void> {
  const names = (await readdir(builds)).filter((name) => name.startsWith('project-'));
  if (names.length <= KEPT_PROJECTS) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ path: join(builds, name), used: (await lstat(join(builds, name))).mtimeMs })),
  );
  aged.sort((a, b) => b.used - a.used);
  for (const { path } of aged.slice(KEPT_PROJECTS)) await rm(path, { recursive: true, force: true });
}
