/**
 * Directories: what each slot's job gets, who may enter, and what stays closed between jobs. What takes a system call or two
 * is done at once: handing it to a thread and waiting for it costs ten times as much, for each of forty in a short job.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  readdirSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
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
  for (const directory of [workDir, join(workDir, 'builds'), builds, project]) openDirectory(directory, 0o711);
  openDirectory(join(workDir, 'spool'), 0o700);
  openDirectory(join(workDir, 'cache'), 0o700);
  const workspace = join(project, workspaceName(job.job_info.project_name));
  if (!options.reuse) await rm(workspace, { recursive: true, force: true });
  await remove(own);
  await remove(spool);
  mkdirSync(spool, { mode: 0o700 });
  const home = join(own, 'home');
  const temporary = join(own, 'tmp');
  for (const directory of [workspace, own, home, temporary, join(own, 'variables')]) give(directory, account);
  const variableFile = (name: string) => join(own, 'variables', name);
  return { workspace, private: own, mark: markOf(workDir), home, temporary, variableFile, spool, caches, builds };
}

function openDirectory(path: string, mode: number): void {
  mkdirSync(path, { recursive: true, mode });
  chmodSync(path, mode);
}

function give(path: string, account: Account | undefined): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (account) chownSync(path, account.uid, account.gid);
}

/** Entries of a directory that are removed at once. */
const MOST_AT_ONCE = 64;

/** Removes a directory. One that a job filled takes its time, beside what others do. */
async function remove(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false }) && !removedAtOnce(path, { left: MOST_AT_ONCE }))
    await rm(path, { recursive: true, force: true });
}

/** Nobody else may change what is there: a directory that becomes a link in between would be followed. */
function removedAtOnce(path: string, budget: { left: number }): boolean {
  try {
    const entries = [];
    const directory = opendirSync(path);
    try {
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
        if (budget.left-- <= 0) return false;
        entries.push(entry);
      }
    } finally {
      directory.closeSync();
    }
    for (const entry of entries) {
      const inner = join(path, entry.name);
      if (!entry.isDirectory()) unlinkSync(inner);
      else if (!removedAtOnce(inner, budget)) return false;
    }
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
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
export function writeForJob(path: string, content: string, account: Account | undefined, mode = 0o600): void {
  writeFileSync(path, content, { mode, flag: 'wx' });
  if (account) chownSync(path, account.uid, account.gid);
}

/** Removes what belonged to the job and closes its project. Call it after the job's processes have ended. */
export async function closeWorkspace(workspace: Workspace): Promise<void> {
  await remove(workspace.spool);
  await remove(workspace.private);
  const project = join(workspace.workspace, '..');
  chmodSync(project, 0o700);
  const now = new Date();
  utimesSync(project, now, now);
  await prune(workspace.builds);
}

async function prune(builds: string): Promise<void> {
  const names = readdirSync(builds).filter((name) => name.startsWith('project-'));
  if (names.length <= KEPT_PROJECTS) return;
  const aged = names.map((name) => ({ path: join(builds, name), used: lstatSync(join(builds, name)).mtimeMs }));
  aged.sort((a, b) => b.used - a.used);
  for (const { path } of aged.slice(KEPT_PROJECTS)) await rm(path, { recursive: true, force: true });
}
