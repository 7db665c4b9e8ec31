/**
 * Keeps the index of code: after each push, what changed on the default branch. Contents are stored first, a batch at a
 * time, and the paths that have them at the end with one transaction: an index is of one commit, and a run that was
 * killed goes on where it was.
 */
import * as git from '@millrace/git';
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { type FactConsumer, on, projectDeleted, projectFacts, pushed } from '../../../kernel/events/index.ts';
import { addJob, addJobs, type CronItem, defineTask, type Task, unlessGone } from '../../../kernel/queue/index.ts';
import type { RepositoryRow } from '../face.ts';
import { languageNamed } from '../measuring/languages.ts';
import { headOf, type OpenRepository } from '../reading/git-reader.ts';
import * as queries from './code-index.queries.ts';
import { chunksOf, largestFile, searchedText } from './content.ts';

type Kind = queries.IndexKind;

/** Files of one repository that are indexed; those behind them, in the order of paths, are not. */
const mostFiles = 200_000;
/** Contents that are read and stored together. */
const batchFiles = 200;
const batchBytes = 4 * 1024 * 1024;
/** After so long other repositories come first, in milliseconds. */
const sliceMilliseconds = 5_000;
/** Repositories that are indexed at the same time; those of one network one after the other. */
const lanes = 3;
/** Indexes that are begun in one minute besides those that pushes ask for. */
const mostStale = 300;
const sweepBatch = 500;

const indexTask = { name: 'code_index.update', maxAttempts: 5 };
const rebuildTask = { name: 'code_index.rebuild', maxAttempts: 3 };
const sweepTask = { name: 'code_index.sweep', maxAttempts: 3 };

interface Changes {
  readonly written: readonly { readonly path: string; readonly oid: git.Sha }[];
  readonly removed: readonly string[];
}

export function codeIndexing(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly project: (db: Db, id: number) => Promise<Project | null>;
  readonly wiki: (projectId: number) => Promise<RepositoryRow | null>;
}) {
  const { db, open } = deps;

  /** Work of one lane is done one after the other, in whatever process: two never index the same. */
  const queueOf = (network: number) => `code_index:${Math.abs(network) % lanes}`;

  async function due(handle: Db, projectId: number, kind: Kind, slice = false): Promise<void> {
    const index = await queries.openIndex(handle, projectId, kind);
    if (!index) return;
    await addJob(
      handle,
      indexTask,
      { project_id: projectId, kind },
      // What takes more than one slice comes after what a push asks for.
      { jobKey: `${indexTask.name}:${kind}:${projectId}`, queueName: queueOf(index.network), priority: slice ? 5 : 0 },
    );
  }

  async function repositoryOf(projectId: number, kind: Kind): Promise<RepositoryRow | null> {
    return kind === 'code' ? await deps.project(db, projectId) : await deps.wiki(projectId);
  }

  /** Regular files of a commit, by path. */
  async function filesOf(repo: git.Repo, commit: git.Sha, signal: AbortSignal): Promise<Map<string, git.Sha>> {
    const files = new Map<string, git.Sha>();
    for await (const { type, mode, path, id } of git.walkTree(git.withSignal(repo, signal), commit)) {
      if (type === 'blob' && mode.startsWith('100')) files.set(path, id);
      if (files.size >= mostFiles) break;
    }
    return files;
  }

  /** What is to be written so that the index is of `head`. */
  async function changesTo(
    index: queries.CodeIndex,
    repo: git.Repo,
    head: git.Sha | null,
    signal: AbortSignal,
  ): Promise<Changes> {
    const from = index.commit === null ? null : git.parseSha(index.commit);
    if (head !== null && from !== null && (await git.readCommit(repo, from))) {
      const written: { path: string; oid: git.Sha }[] = [];
      const removed: string[] = [];
      for await (const { path, id } of git.changedBlobs(git.withSignal(repo, signal), from, head))
        if (id === null) removed.push(path);
        else if (written.length < mostFiles) written.push({ path, oid: id });
      return { written, removed };
    }
    const known = await queries.indexedPaths(db, index.id);
    const files = head === null ? new Map<string, git.Sha>() : await filesOf(repo, head, signal);
    return {
      written: [...files].flatMap(([path, oid]) => (known.get(path) === oid ? [] : { path, oid })),
      removed: [...known.keys()].filter((path) => !files.has(path)),
    };
  }

  /** What is stored of a file: nothing of one that is not searched. */
  async function contentOf(repo: git.Repo, oid: git.Sha): Promise<queries.NewContent> {
    try {
      const object = await git.readObject(repo, oid, { maxBytes: largestFile });
      const text = object?.type === 'blob' ? searchedText(object.data) : null;
      if (object && text !== null) return { oid, bytes: object.size, chunks: chunksOf(text) };
    } catch (error) {
      if (!git.isGitError(error, 'limit')) throw error;
    }
    return { oid, bytes: 0, chunks: [] };
  }

  /** Stores contents that the network does not have; false when the time was over before the end. */
  async function storeContents(
    index: queries.CodeIndex,
    repo: git.Repo,
    written: Changes['written'],
    signal: AbortSignal,
  ): Promise<boolean> {
    const until = Date.now() + sliceMilliseconds;
    const oids = [...new Set(written.map(({ oid }) => oid))];
    for (let at = 0; at < oids.length; at += batchFiles) {
      signal.throwIfAborted();
      const batch = oids.slice(at, at + batchFiles);
      const known = await queries.knownContents(db, index.network, batch);
      let contents: queries.NewContent[] = [];
      let bytes = 0;
      for (const oid of batch) {
        if (known.has(oid)) continue;
        const content = await contentOf(repo, oid);
        contents.push(content);
        bytes += content.bytes;
        if (bytes < batchBytes) continue;
        await queries.addContents(db, index.network, contents);
        [contents, bytes] = [[], 0];
      }
      await queries.addContents(db, index.network, contents);
      const done = Math.min(oids.length, at + batchFiles);
      if (oids.length > batchFiles) await queries.recordProgress(db, index.id, { done, total: oids.length });
      if (done < oids.length && Date.now() > until) return false;
    }
    return true;
  }

  async function update(projectId: number, kind: Kind, signal: AbortSignal): Promise<void> {
    const row = await repositoryOf(projectId, kind);
    const index = row ? await queries.openIndex(db, projectId, kind) : null;
    if (!row || !index) return;
    const repo = open(row);
    const head = row.refs_generation === 0 ? null : await headOf(open, row);
    const of = { commit: head, branch: row.default_branch, generation: row.refs_generation };
    if (head === index.commit) return await queries.recordIndexed(db, index.id, of);
    await queries.recordProgress(db, index.id, { state: 'running' });
    const { written, removed } = await changesTo(index, repo, head, signal);
    if (!(await storeContents(index, repo, written, signal))) return await due(db, projectId, kind, true);
    const named = written.map(({ path, oid }) => ({ path, oid, language: languageNamed(path) }));
    await transaction(db, async (tx) => {
      await queries.writePaths(tx, index, named, removed);
      await queries.recordIndexed(tx, index.id, of);
    });
  }

  async function updateOrSay(projectId: number, kind: Kind, signal: AbortSignal): Promise<void> {
    const there = () => repositoryOf(projectId, kind);
    await unlessGone(there, async () => {
      try {
        await update(projectId, kind, signal);
      } catch (error) {
        const index = await queries.openIndex(db, projectId, kind);
        const message = error instanceof Error ? error.message : String(error);
        if (index) await queries.recordProgress(db, index.id, { state: 'failed', error: message.slice(0, 1_000) });
        throw error;
      }
    });
  }

  /** Reads everything again, one after the other; until its turn comes each is searched as it is. */
  async function rebuild(handle: Db, indexes: readonly queries.CodeIndex[]): Promise<void> {
    await addJobs(
      handle,
      rebuildTask,
      indexes.map(({ project_id, kind, network }) => ({
        payload: { project_id, kind },
        jobKey: `${rebuildTask.name}:${kind}:${project_id}`,
        queueName: queueOf(network),
        priority: 5,
      })),
    );
  }

  const kindOf = Type.Union([Type.Literal('code'), Type.Literal('wiki')]);
  const ofRepository = Type.Object({ project_id: Type.Integer(), kind: kindOf });
  const follow = defineTask('code_index.follow', Type.Object({}), async () => {
    for (const { project_id, kind } of await queries.staleIndexes(db, mostStale)) await due(db, project_id, kind, true);
  });
  const sweepSoon = () => addJob(db, sweepTask, {}, { jobKey: sweepTask.name });
  const tasks: Task[] = [
    defineTask(
      indexTask.name,
      ofRepository,
      ({ project_id, kind }, { signal }) => updateOrSay(project_id, kind, signal),
      { maxAttempts: indexTask.maxAttempts, timeout: 3_600_000 },
    ),
    defineTask(
      rebuildTask.name,
      ofRepository,
      async ({ project_id, kind }) => {
        const index = (await queries.indexesOf(db, project_id)).find((each) => each.kind === kind);
        if (!index) return;
        await transaction(db, async (tx) => {
          await queries.emptyIndex(tx, index);
          await due(tx, project_id, kind, true);
        });
      },
      { maxAttempts: rebuildTask.maxAttempts, timeout: 600_000 },
    ),
    defineTask(
      sweepTask.name,
      Type.Object({ network: Type.Optional(Type.Integer()) }),
      async ({ network }, { signal }) => {
        if (network === undefined) {
          const networks = (await queries.networksWithOrphans(db)).map((each) => ({
            payload: { network: each },
            jobKey: `${sweepTask.name}:${each}`,
            queueName: queueOf(each),
            priority: 5,
          }));
          await addJobs(db, sweepTask, networks);
          return;
        }
        while ((await queries.removeOrphans(db, network, sweepBatch)) === sweepBatch) signal.throwIfAborted();
      },
      { maxAttempts: sweepTask.maxAttempts, timeout: 3_600_000 },
    ),
    follow,
  ];
  const consumers: FactConsumer[] = [
    {
      name: 'code_index',
      handlers: [
        // What another branch is at changes nothing that is searched: the sweep of every minute notes that it was seen.
        on(pushed, async ({ project_id, payload }, delivery) => {
          const found = project_id === null ? null : await delivery.project(project_id);
          const { id, default_branch: branch } = found?.project ?? {};
          if (id !== undefined && payload.ref === `refs/heads/${branch}`) await due(db, id, 'code');
        }),
        on(projectFacts.updated, async ({ payload }) => await due(db, payload.project_id, 'code')),
        on(projectDeleted, sweepSoon),
      ],
    },
  ];
  const cron: CronItem[] = [
    { schedule: '* * * * *', task: follow.name },
    { schedule: '41 * * * *', task: sweepTask.name },
  ];
  return { tasks, consumers, cron, due, rebuild };
}
export type CodeIndexing = ReturnType<typeof codeIndexing>;
