/**
 * Keeps the index of code: after each push, what changed on the default branch. Contents are stored first, a batch at a
 * time, and the paths that have them at the end with one transaction: an index is of one commit, and a run that was
 * killed goes on where it was.
 */
import * as git from '@millrace/git';
import Type, { type Static } from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { type FactConsumer, on, onMany, projectDeleted, projectFacts, pushed } from '../../../kernel/events/index.ts';
import { addJob, addJobs, type CronItem, defineTask, type Task, unlessGone } from '../../../kernel/queue/index.ts';
import type { RepositoryRow } from '../face.ts';
import { languageNamed } from '../measuring/languages.ts';
import { headOf, type OpenRepository } from '../reading/git-reader.ts';
import * as queries from './code-index.queries.ts';
import { followHistory } from './commits.ts';
import { chunksOf, largestFile, searchedText } from './content.ts';

type Owner = queries.IndexOwner;
const codeOf = (id: number): Owner => ({ project_id: id, namespace_id: null, kind: 'code' });
/** For keys of jobs: one index at a time. */
const nameOf = ({ project_id, namespace_id, kind }: Owner) => `${kind}:${project_id ?? `group:${namespace_id}`}`;
const payloadOf = ({ project_id, namespace_id, kind }: Owner) =>
  project_id === null ? { namespace_id, kind } : { project_id, kind };

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
  readonly wiki: (owner: Owner) => Promise<RepositoryRow | null>;
}) {
  const { db, open } = deps;

  /** Work of one lane is done one after the other, in whatever process: two never index the same. */
  const queueOf = (network: number) => `code_index:${Math.abs(network) % lanes}`;

  async function due(handle: Db, owner: Owner, slice = false): Promise<void> {
    const index = await queries.openIndex(handle, owner);
    if (!index) return;
    await addJob(
      handle,
      indexTask,
      payloadOf(owner),
      // What takes more than one slice comes after what a push asks for.
      { jobKey: `${indexTask.name}:${nameOf(owner)}`, queueName: queueOf(index.network), priority: slice ? 5 : 0 },
    );
  }

  /**
   * The repository, whether its history is searched over many projects, and the project that it is a fork of. Null when it
   * has gone.
   */
  async function sourceOf(
    owner: Owner,
  ): Promise<{ row: RepositoryRow; hasHistory: boolean; forkOf: number | null } | null> {
    const project =
      owner.kind === 'code' && owner.project_id !== null ? await deps.project(db, owner.project_id) : null;
    if (project) return { row: project, hasHistory: true, forkOf: project.forked_from_project_id };
    const row = owner.kind === 'code' ? null : await deps.wiki(owner);
    return row && { row, hasHistory: false, forkOf: null };
  }

  /** The head of what a fork was made from, where the fork has it: the history of that is found there. */
  async function headOfSource(repo: git.Repo, forkOf: number | null): Promise<git.Sha | null> {
    const source = forkOf === null ? null : await deps.project(db, forkOf);
    const head = source && source.refs_generation > 0 ? await headOf(open, source) : null;
    return head !== null && (await git.readCommit(repo, head)) ? head : null;
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
    until: number,
  ): Promise<boolean> {
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

  async function update(owner: Owner, signal: AbortSignal): Promise<void> {
    const source = await sourceOf(owner);
    const index = source && (await queries.openIndex(db, owner));
    if (!source || !index) return;
    const { row, hasHistory, forkOf } = source;
    const repo = open(row);
    const head = row.refs_generation === 0 ? null : await headOf(open, row);
    const history = hasHistory ? head : index.history;
    const beyond = hasHistory && history !== index.history ? await headOfSource(repo, forkOf) : null;
    const of = {
      ...{ commit: head, branch: row.default_branch, generation: row.refs_generation, history },
      beyond: forkOf === null ? null : (beyond ?? index.beyond),
    };
    // What a fork left out of its history is its own when it is no fork any more.
    const stored = forkOf === null && index.beyond !== null ? { ...index, history: null } : index;
    if (head === index.commit && history === stored.history) return await queries.recordIndexed(db, index.id, of);
    const until = Date.now() + sliceMilliseconds;
    await queries.recordProgress(db, index.id, { state: 'running' });
    const { written, removed } = await changesTo(index, repo, head, signal);
    if (!(await storeContents(index, repo, written, signal, until))) return await due(db, owner, true);
    if (history !== stored.history && !(await followHistory(db, stored, { repo, head, beyond, signal, until })))
      return await due(db, owner, true);
    const named = written.map(({ path, oid }) => ({ path, oid, language: languageNamed(path) }));
    await transaction(db, async (tx) => {
      await queries.writePaths(tx, index, named, removed);
      await queries.recordIndexed(tx, index.id, of);
    });
  }

  async function updateOrSay(owner: Owner, signal: AbortSignal): Promise<void> {
    await unlessGone(
      () => sourceOf(owner),
      async () => {
        try {
          await update(owner, signal);
        } catch (error) {
          const index = await queries.openIndex(db, owner);
          const message = error instanceof Error ? error.message : String(error);
          if (index) await queries.recordProgress(db, index.id, { state: 'failed', error: message.slice(0, 1_000) });
          throw error;
        }
      },
    );
  }

  /** Reads everything again, one after the other; until its turn comes each is searched as it is. */
  async function rebuild(handle: Db, indexes: readonly queries.CodeIndex[]): Promise<void> {
    await addJobs(
      handle,
      rebuildTask,
      indexes.map((index) => ({
        payload: payloadOf(index),
        jobKey: `${rebuildTask.name}:${nameOf(index)}`,
        queueName: queueOf(index.network),
        priority: 5,
      })),
    );
  }

  const kindOf = Type.Union([Type.Literal('code'), Type.Literal('wiki')]);
  const ofRepository = Type.Union([
    Type.Object({ project_id: Type.Integer(), kind: kindOf }),
    Type.Object({ namespace_id: Type.Integer(), kind: Type.Literal('wiki') }),
  ]);
  const ownerOf = (payload: Static<typeof ofRepository>): Owner =>
    'project_id' in payload ? { ...payload, namespace_id: null } : { ...payload, project_id: null };
  const follow = defineTask('code_index.follow', Type.Object({}), async () => {
    for (const owner of await queries.staleIndexes(db, mostStale)) await due(db, owner, true);
  });
  const sweepSoon = () => addJob(db, sweepTask, {}, { jobKey: sweepTask.name });
  const tasks: Task[] = [
    defineTask(indexTask.name, ofRepository, (payload, { signal }) => updateOrSay(ownerOf(payload), signal), {
      maxAttempts: indexTask.maxAttempts,
      timeout: 3_600_000,
    }),
    defineTask(
      rebuildTask.name,
      ofRepository,
      async (payload) => {
        const owner = ownerOf(payload);
        const index = await queries.findIndex(db, owner);
        if (!index) return;
        await transaction(db, async (tx) => {
          await queries.emptyIndex(tx, index);
          await due(tx, owner, true);
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
          while (await queries.addGrams(db, sweepBatch)) signal.throwIfAborted();
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
        // Pushes that wait together are of one project.
        onMany(pushed, async (pushes, delivery) => {
          const projectId = pushes[0]?.project_id ?? null;
          const found = projectId === null ? null : await delivery.project(projectId);
          const { id, default_branch: branch } = found?.project ?? {};
          const searched = pushes.some(({ payload }) => payload.ref === `refs/heads/${branch}`);
          if (id !== undefined && searched) await due(db, codeOf(id));
        }),
        on(
          [projectFacts.updated, projectFacts.transferred],
          async ({ payload }) => await due(db, codeOf(payload.project_id)),
        ),
        on(projectDeleted, sweepSoon),
      ],
    },
  ];
  const cron: CronItem[] = [
    { schedule: '* * * * *', task: follow.name },
    { schedule: '41 * * * *', task: sweepTask.name },
  ];
  return {
    tasks,
    consumers,
    cron,
    rebuild,
    /** The code of a project may have changed. */
    codeDue: (handle: Db, projectId: number) => due(handle, codeOf(projectId)),
    /** The wiki of a project or group has changed. */
    wikiDue: (handle: Db, { project_id, namespace_id }: Omit<Owner, 'kind'>) =>
      due(handle, { project_id, namespace_id, kind: 'wiki' }),
  };
}
export type CodeIndexing = ReturnType<typeof codeIndexing>;
