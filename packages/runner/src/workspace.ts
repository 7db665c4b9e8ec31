/**
 * Directories: what each slot's job gets, who may enter, and what stays closed between jobs. What takes a system call or two
 * is done at once: handing it to a thread and waiting for it costs ten times as much, for each of forty in a short job.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  opendirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { chmod, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from './errors.ts';
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
  /** Ours alone: what ended jobs of the slot leave, until it is removed. */
  ended: string;
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
  const ended = endedOf(workDir, slot);
  openDirectory(join(workDir, 'ended'), 0o700);
  openDirectory(ended, 0o700);
  await removals.get(ended);
  await remove(own);
  await remove(spool);
  mkdirSync(spool, { mode: 0o700 });
  const home = join(own, 'home');
  const temporary = join(own, 'tmp');
  for (const directory of [workspace, own, home, temporary, join(own, 'variables')]) give(directory, account);
  const variableFile = (name: string) => join(own, 'variables', name);
  return {
    workspace,
    private: own,
    mark: markOf(workDir),
    home,
    temporary,
    variableFile,
    spool,
    caches,
    builds,
    ended,
  };
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

const endedOf = (workDir: string, slot: string) => join(workDir, 'ended', slot);

/** What is being removed, by the directory that holds it. */
const removals = new Map<string, Promise<void>>();

/** Resolves when nothing is left of jobs that have ended. */
export async function removedEnded(): Promise<void> {
  await Promise.all(removals.values());
}

/**
 * Takes directories of a job to where none comes, and has them removed while its slot goes on: the system takes longer over a
 * directory that goes than over all else here, and nothing else of the runner would happen meanwhile.
 */
async function putAway({ ended, private: own, spool }: Workspace): Promise<void> {
  try {
    renameSync(own, join(ended, 'private'));
    renameSync(spool, join(ended, 'spool'));
  } catch {
    // In another file system, perhaps.
    await remove(own);
    await remove(spool);
  }
  const removal = clear(ended)
    .catch(() => rm(ended, { recursive: true, force: true }))
    .catch((error: unknown) => process.emitWarning(`${ended} could not be removed: ${messageOf(error)}`))
    .finally(() => removals.delete(ended));
  removals.set(ended, removal);
}

/** Removes what is in a directory that nobody else may change. Of a directory that a job filled one thing at a time. */
async function clear(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true });
  const removed = async (entry: Dirent): Promise<void> => {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) return await unlink(path);
    await clear(path);
    await rmdir(path);
  };
  if (entries.length <= MOST_AT_ONCE) await Promise.all(entries.map(removed));
  else for (const entry of entries) await removed(entry);
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
  await rm(endedOf(workDir, slot), { recursive: true, force: true });
  for (const name of await readdir(builds).catch(() => [])) {
    if (name.startsWith('job-')) await rm(join(builds, name), { recursive: true, force: true });
    else await chmod(join(builds, name), 0o700);
  }
}

/** Where everybody of the host may write. */
const OPEN_TO_ALL = ['/tmp', '/var/tmp', '/dev/shm'];
const MOST_NAMED = 500;

/**
 * Removes what a job left since a moment where everybody may write: the next job of its slot, perhaps of another project, has
 * the same uid. As the job, so that nothing of others can go with it. Its processes must have ended.
 */
export async function removeLeft(account: Account | undefined, since = 0): Promise<void> {
  if (!account) return;
  const paths = OPEN_TO_ALL.flatMap((directory) => ownedIn(directory, account.uid, since));
  for (let at = 0; at < paths.length; at += MOST_NAMED) {
    // A link leads chmod to where it points, which may be everything.
    const script = 'for path in "$@"; do [ -L "$path" ] || chmod -R u+rwX "$path"; done; rm -rf "$@"';
    const named = paths.slice(at, at + MOST_NAMED);
    const child = spawn('/bin/sh', ['-c', script, 'sh', ...named], { stdio: 'ignore', env: {}, cwd: '/', ...account });
    await once(child, 'close');
  }
}

function ownedIn(directory: string, uid: number, since: number): string[] {
  try {
    // Nothing has come or gone.
    if (lstatSync(directory).mtimeMs < since) return [];
    const paths = readdirSync(directory).map((name) => join(directory, name));
    return paths.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.uid === uid);
  } catch {
    return [];
  }
}

/** Writes a file that the job's uid owns. */
export function writeForJob(path: string, content: string, account: Account | undefined, mode = 0o600): void {
  writeFileSync(path, content, { mode, flag: 'wx' });
  if (account) chownSync(path, account.uid, account.gid);
}

/** Removes what belonged to the job and closes its project. Call it after the job's processes have ended. */
export async function closeWorkspace(workspace: Workspace): Promise<void> {
  await putAway(workspace);
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
