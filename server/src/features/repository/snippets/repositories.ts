/** The repository of a snippet: what follows from writes, and its size. */
import { randomBytes } from 'node:crypto';
import * as git from '@millrace/git';
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Snippet } from '../../../kernel/db/rows.ts';
import { recordFact, snippetFacts } from '../../../kernel/events/index.ts';
import { addJob, defineTask, unlessGone } from '../../../kernel/queue/index.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { Settle } from '../writes/write-path.ts';
import { settledAsApplied } from '../writes/writes.queries.ts';
import { filesAt, mostFiles } from './access.ts';
import { bumpSnippet, findSnippetRow, recordSnippetSize } from './snippets.queries.ts';

/** After a write: others that follow at once are measured with it. */
const patience = 2_000;
const measureTask = { name: 'repository.measure_snippet', maxAttempts: 3 };

export const snippetPath = (): string => {
  const hash = randomBytes(32).toString('hex');
  return `@hashed/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}.snippet.git`;
};

export const tellSnippet = (
  tx: Db,
  what: keyof typeof snippetFacts,
  snippet: Pick<Snippet, 'id' | 'project_id' | 'visibility'>,
  actorId: number | null,
): Promise<void> =>
  recordFact(
    tx,
    snippetFacts[what],
    { snippet_id: snippet.id, visibility: snippet.visibility },
    { project_id: snippet.project_id, actor_id: actorId },
  );

export function snippetRepositories({ db, open }: { readonly db: Db; readonly open: OpenRepository }) {
  const measureSoon = async (tx: Db, id: number): Promise<void> => {
    await addJob(
      tx,
      measureTask,
      { snippet_id: id },
      { jobKey: `${measureTask.name}:${id}`, jobKeyMode: 'preserve_run_at', runAt: new Date(Date.now() + patience) },
    );
  };

  const settled: Settle = async (tx, { id }, actorId, _moved, _details, intents) => {
    if (!(await settledAsApplied(tx, intents))) return null;
    const snippet = await findSnippetRow(tx, id);
    if (!snippet) throw new Error('the snippet is gone');
    const ref = git.branchRef(snippet.default_branch ?? 'main');
    const head = ref && (await git.readRef(open(snippet), ref));
    const files = head ? (await filesAt(open(snippet), head)).slice(0, mostFiles) : [];
    const { refs_generation: generation } = await bumpSnippet(tx, id, files);
    await tellSnippet(tx, generation === 1 ? 'created' : 'updated', snippet, actorId);
    await measureSoon(tx, id);
    return { generation, headMoved: false };
  };

  const measure = defineTask(
    measureTask.name,
    Type.Object({ snippet_id: Type.Integer() }),
    async ({ snippet_id: id }) => {
      const snippet = await findSnippetRow(db, id);
      if (!snippet || snippet.refs_generation === 0) return;
      await unlessGone(
        () => findSnippetRow(db, id),
        async () => {
          await git.tend(open(snippet));
          const size = await git.diskSize(open(snippet));
          await transaction(db, (tx) => recordSnippetSize(tx, id, size));
        },
      );
    },
    { maxAttempts: measureTask.maxAttempts, timeout: 600_000 },
  );
  return { settled, measureSoon, tasks: [measure] };
}
