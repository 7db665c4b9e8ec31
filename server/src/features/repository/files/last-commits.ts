/** Who changed the entries of directories last: found in history, kept where that took long, and found again after pushes. */
import * as git from '@millrace/git';
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { type FactConsumer, onMany, pushed } from '../../../kernel/events/index.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { RepositoryRow } from '../face.ts';
import { headOf, knownSha, type OpenRepository, translated } from '../reading/git-reader.ts';
import { forgetKept, keep, keptCommits, keptOf } from './last-commits.queries.ts';

/** An answer that takes longer than this, in milliseconds, is kept for the next one who asks. */
const slow = 60;
/** After a push: others that follow at once are looked at with it. */
const patience = 1_000;
/** Longest walk of the background for one directory, in milliseconds. */
const longestWalk = 600_000;
/** Directories of a project that are kept, and the entries of each. */
const mostDirectories = 300;
const mostEntries = 50_000;
/** Directories with at least so many entries are found before anybody asks, among so many files. */
const largeDirectory = 200;
const mostFiles = 200_000;

const task = { name: 'repository.last_commits', maxAttempts: 3 };

export function lastCommitsOfDirectories(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly project: (db: Db, id: number) => Promise<Project | null>;
}) {
  const { db, open } = deps;

  async function earlierOf(projectId: number, path: string): Promise<git.KnownEntries | undefined> {
    const kept = await keptOf(db, projectId, path);
    const commit = kept?.commit == null ? null : git.parseSha(kept.commit);
    if (!kept || !commit) return undefined;
    return { commit, entries: new Map(Object.entries(kept.entries).map(([name, id]) => [name, knownSha(id)])) };
  }

  const kept = (projectId: number, path: string, commit: string | null, entries: ReadonlyMap<string, string>) =>
    entries.size > mostEntries
      ? undefined
      : keep(db, projectId, { path, commit, entries: Object.fromEntries(entries) }, mostDirectories);

  const due = (handle: Db, id: number, after = 0) =>
    addJob(
      handle,
      task,
      { project_id: id },
      { jobKey: `${task.name}:${id}`, jobKeyMode: 'preserve_run_at', runAt: new Date(Date.now() + after) },
    );

  /** Commit by name of the entry; those that were not found in time are missing, and are looked for in the background. */
  async function of(
    project: RepositoryRow,
    commit: string,
    path: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const repo = git.withSignal(open(project), signal);
    const sha = knownSha(commit);
    const cached = git.knownLastCommits(repo, sha, path);
    if (cached) return cached;
    const begin = Date.now();
    const earlier = await earlierOf(project.id, path);
    const { entries, complete } = await translated(
      git.lastCommitsOf(repo, sha, path, earlier === undefined ? {} : { earlier }),
    );
    // Of other branches nothing is kept: they come and go, and their history is mostly that of the default branch.
    if (Date.now() - begin > slow && (await headOf(open, project)) === sha) {
      await kept(project.id, path, complete ? sha : null, complete ? entries : new Map());
      if (!complete) await due(db, project.id);
    }
    return entries;
  }

  /** The top and what is large, in a repository that is looked at for the first time. */
  async function largeDirectories(repo: git.Repo, head: git.Sha): Promise<string[]> {
    const counts = new Map<string, number>();
    let files = 0;
    for await (const { path } of git.walkTree(repo, head)) {
      const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      counts.set(directory, (counts.get(directory) ?? 0) + 1);
      files += 1;
      if (files > mostFiles) break;
    }
    const large = [...counts].filter(([path, count]) => path !== '' && count >= largeDirectory);
    return ['', ...large.sort(([, a], [, b]) => b - a).map(([path]) => path)].slice(0, mostDirectories);
  }

  /** Finds again what is kept, for the default branch as it is now. */
  async function refresh(id: number): Promise<void> {
    const project = await deps.project(db, id);
    if (!project || project.refs_generation === 0) return;
    const head = await headOf(open, project);
    if (head === null) return;
    const repo = open(project);
    const known = await keptCommits(db, id);
    const first = known.has('') ? [] : await largeDirectories(repo, head);
    for (const path of new Set([...first, ...known.keys()])) {
      const now = await git.lookupPath(repo, head, path);
      if (now?.type !== 'tree') {
        await forgetKept(db, id, path);
        continue;
      }
      // Most pushes leave most directories as they are: from an older answer on is a short way for who asks.
      const commit = git.parseSha(known.get(path) ?? '');
      if (commit !== null && (await git.lookupPath(repo, commit, path))?.id === now.id) continue;
      const earlier = await earlierOf(id, path);
      const options = { timeoutMs: longestWalk, ...(earlier === undefined ? {} : { earlier }) };
      const { entries, complete } = await git.lastCommitsOf(repo, head, path, options);
      if (complete) await kept(id, path, head, entries);
    }
  }

  const tasks: Task[] = [
    defineTask(task.name, Type.Object({ project_id: Type.Integer() }), ({ project_id }) => refresh(project_id), {
      maxAttempts: task.maxAttempts,
      timeout: 3_600_000,
    }),
  ];
  const consumers: FactConsumer[] = [
    {
      name: task.name,
      handlers: [
        // Those that wait together are of one project.
        onMany(pushed, async ([push]) => {
          if (push && push.project_id !== null) await due(db, push.project_id, patience);
        }),
      ],
    },
  ];
  return { of, tasks, consumers };
}
export type LastCommitsOfDirectories = ReturnType<typeof lastCommitsOfDirectories>;
