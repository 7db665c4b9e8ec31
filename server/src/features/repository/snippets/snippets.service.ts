/** Creating, changing and removing snippets: rows, and files as commits through the one write path. */
import * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Snippet } from '../../../kernel/db/rows.ts';
import { invalidParameters, nestedError, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { addJob } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { committerOf } from '../commits/committer.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { WritePath } from '../writes/write-path.ts';
import { mostFiles, type SnippetSubject } from './access.ts';
import { snippetPath, tellSnippet } from './repositories.ts';
import {
  deleteSnippets,
  deleteUnwritten,
  findSnippet,
  insertSnippet,
  moveSnippets,
  type SnippetPlace,
  updateSnippet,
} from './snippets.queries.ts';

export interface SnippetFileAction {
  readonly action: 'create' | 'update' | 'delete' | 'move';
  readonly file_path?: string | undefined;
  readonly previous_path?: string | undefined;
  readonly content?: string | undefined;
}

interface SnippetValues {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly visibility?: Snippet['visibility'] | undefined;
}

export interface NewSnippet extends SnippetValues {
  readonly title: string;
  readonly files: ReadonlyArray<{ readonly file_path: string; readonly content: string | Uint8Array }>;
  readonly importedFrom?: 'github';
  readonly userAgent?: string | null;
  readonly address?: string | null;
}

const wording: Readonly<Record<git.TreeProblem, string>> = {
  path: 'Path cannot include directory traversal or special names',
  exists: 'A file with this name already exists',
  missing: "A file with this name doesn't exist",
  directory: 'A directory with this name already exists',
  type: 'The path is no regular file',
};
const removeTask = { name: 'repository.remove' };

export function snippetService(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly shared: git.Git;
  readonly settings: Pick<Settings, 'read'>;
  readonly writes: WritePath<SnippetSubject>;
  readonly defaultStorage: string;
}) {
  const { db, open, settings, writes } = deps;

  const removeFiles = async (tx: Db, places: readonly SnippetPlace[]): Promise<void> => {
    for (const { repository_storage: storage, repository_path: path } of places)
      await addJob(tx, removeTask, { storage, path });
  };

  /** Removes rows and files; nobody is told. */
  const discard = (of: { readonly id: number } | { readonly projectId: number }): Promise<void> =>
    transaction(db, async (tx) => await removeFiles(tx, await deleteSnippets(tx, of)));

  function titled(title: string): string {
    const text = title.trim();
    if (text === '') throw invalidParameters(['title is empty']);
    if ([...text].length > 255) throw nestedError(400, 'Title is too long (maximum is 255 characters)');
    return text;
  }

  async function checkVisibility(visibility: Snippet['visibility'], caller: Caller): Promise<void> {
    const { restricted_visibility_levels: restricted } = await settings.read();
    if (restricted.includes(visibility) && !caller.admin)
      throw nestedError(400, `Visibility level ${visibility} has been restricted by your administrator`);
  }

  async function bytesOf(content: string | Uint8Array): Promise<Uint8Array> {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    const maximum = (await settings.read()).snippet_size_limit;
    if (bytes.length > maximum)
      throw nestedError(400, `Content is too long (${bytes.length} Bytes). The maximum size is ${maximum} Bytes.`);
    return bytes;
  }

  async function treeAction({ action, file_path, previous_path, content }: SnippetFileAction): Promise<git.TreeAction> {
    const path = file_path ?? previous_path ?? '';
    if (action === 'delete') return { action, path };
    const bytes = content === undefined ? null : await bytesOf(content);
    if (action === 'move')
      return { action, path, previousPath: previous_path ?? '', ...(bytes ? { content: bytes } : {}) };
    return { action, path, content: bytes ?? new Uint8Array() };
  }

  /** One commit on the snippet's branch. */
  async function commit(
    subject: SnippetSubject,
    caller: Caller,
    message: string,
    actions: readonly git.TreeAction[],
    within?: (tx: Db) => Promise<void>,
  ): Promise<void> {
    const { user } = caller;
    const ref = git.branchRef(subject.snippet.default_branch ?? 'main');
    if (!user) throw unauthorized();
    if (ref === null) throw nestedError(400, 'Branch name is invalid');
    await writes.write({
      subject,
      caller,
      kind: 'api',
      async build({ quarantine }) {
        const tip = await git.readRef(quarantine.base, ref);
        const editor = git.createTreeEditor(quarantine, tip && (await git.treeOf(quarantine.base, tip)));
        try {
          for (const action of actions) await editor.apply(action);
        } catch (error) {
          if (error instanceof git.TreeActionError)
            throw nestedError(
              400,
              `Repository Error ${tip === null ? 'creating' : 'updating'} the snippet - ${wording[error.problem]}: ${error.path}`,
            );
          throw error;
        }
        const committer = committerOf(user);
        const parents = tip === null ? [] : [tip];
        const tree = await editor.write();
        const after = await git.createCommit(quarantine, { tree, parents, author: committer, committer, message });
        return [{ ref, before: tip ?? git.ZERO_SHA, after }];
      },
      ...(within ? { within } : {}),
    });
  }

  async function create(place: ProjectSubject | null, caller: Caller, given: NewSnippet): Promise<Snippet> {
    const { user } = caller;
    if (!user) throw unauthorized();
    const title = titled(given.title);
    const { default_snippet_visibility, default_branch_name } = await settings.read();
    const visibility = given.visibility ?? default_snippet_visibility;
    await checkVisibility(visibility, caller);
    if (given.files.length === 0) throw nestedError(400, "Snippet files can't be blank");
    if (given.files.length > mostFiles) throw nestedError(400, `Snippet files cannot be more than ${mostFiles}`);
    const actions: git.TreeAction[] = [];
    for (const { file_path: path, content } of given.files)
      actions.push({ action: 'create', path, content: await bytesOf(content) });
    const snippet = await insertSnippet(db, {
      project_id: place?.project.id ?? null,
      author_id: user.id,
      title,
      description: given.description ?? null,
      visibility,
      imported_from: given.importedFrom ?? 'none',
      user_agent: given.userAgent?.slice(0, 1000) ?? null,
      ip_address: given.address ?? null,
      repository_storage: place?.project.repository_storage ?? deps.defaultStorage,
      repository_path: snippetPath(),
      default_branch: default_branch_name || 'main',
    });
    try {
      await git.initRepository(open(snippet).path, { defaultBranch: snippet.default_branch ?? 'main' });
      await commit({ snippet, place }, caller, 'Initial commit', actions);
    } catch (error) {
      await discard({ id: snippet.id });
      throw error;
    }
    const made = await findSnippet(db, snippet.id);
    if (!made) throw notFound('Snippet');
    return made;
  }

  async function update(
    subject: SnippetSubject,
    caller: Caller,
    given: SnippetValues & { readonly files?: readonly SnippetFileAction[] | undefined },
  ): Promise<Snippet> {
    const { snippet } = subject;
    if (given.visibility !== undefined && given.visibility !== snippet.visibility)
      await checkVisibility(given.visibility, caller);
    const values = {
      ...(given.title === undefined ? {} : { title: titled(given.title) }),
      ...(given.description === undefined ? {} : { description: given.description }),
      ...(given.visibility === undefined ? {} : { visibility: given.visibility }),
    };
    if (given.files && given.files.length > 0) {
      const actions: git.TreeAction[] = [];
      for (const file of given.files) actions.push(await treeAction(file));
      await commit(subject, caller, 'Update snippet', actions, (tx) => updateSnippet(tx, snippet.id, values));
    } else
      await transaction(db, async (tx) => {
        await updateSnippet(tx, snippet.id, values);
        await tellSnippet(tx, 'updated', { ...snippet, ...values }, caller.user?.id ?? null);
      });
    const changed = await findSnippet(db, snippet.id);
    if (!changed) throw notFound('Snippet');
    return changed;
  }

  const remove = (snippet: Snippet, caller: Caller): Promise<void> =>
    transaction(db, async (tx) => {
      const places = await deleteSnippets(tx, { id: snippet.id });
      if (places.length === 0) throw notFound('Snippet');
      await removeFiles(tx, places);
      await tellSnippet(tx, 'deleted', snippet, caller.user?.id ?? null);
    });

  return {
    create,
    update,
    remove,
    discard,
    /** Forgets those whose first commit never came. */
    sweep: () => transaction(db, async (tx) => await removeFiles(tx, await deleteUnwritten(tx))),
    /** What becomes of snippets whose author goes: those of projects stay, with the ghost as their author. */
    contributions: {
      async move(tx: Db, from: number, to: number): Promise<void> {
        await removeFiles(tx, await deleteSnippets(tx, { authorId: from, personal: true }));
        await moveSnippets(tx, from, to);
      },
      async remove(tx: Db, userId: number): Promise<void> {
        await removeFiles(tx, await deleteSnippets(tx, { authorId: userId, personal: false }));
      },
    },
  };
}
export type SnippetService = ReturnType<typeof snippetService>;
