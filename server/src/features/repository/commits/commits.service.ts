/** Making commits from actions on files, and the changes of one commit. */
import * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { badRequest, invalidParameters, plainError, reasonedError, unauthorized } from '../../../kernel/http/errors.ts';
import type { FileChange, RepositoryRow } from '../face.ts';
import { knownSha, type OpenRepository } from '../reading/git-reader.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import type { WritePath } from '../writes/write-path.ts';
import { committerOf } from './committer.ts';
import type { DiffLimits } from './diff-limits.ts';

export interface FileAction {
  readonly action: 'create' | 'delete' | 'move' | 'update' | 'chmod';
  readonly file_path: string;
  readonly previous_path?: string;
  readonly content?: string;
  readonly encoding?: 'text' | 'base64';
  readonly last_commit_id?: string;
  readonly execute_filemode?: boolean;
}

export interface NewCommitOptions {
  readonly branch: string;
  readonly message: string;
  readonly actions: readonly FileAction[];
  readonly startBranch?: string | undefined;
  readonly startSha?: string | undefined;
  /** The project of the start point; the project itself unless given. Whether the caller may read it was checked. */
  readonly startProject?: ProjectSubject | undefined;
  readonly authorName?: string | undefined;
  readonly authorEmail?: string | undefined;
  /** Puts the branch on a new commit over the start point, whatever it was. */
  readonly force?: boolean;
  /** Set where nobody but the product chose the message. */
  readonly ownMessage?: boolean;
  /** Status where the caller may not write the branch; 403 unless given. */
  readonly refusedAs?: 400;
}

export interface CommitService {
  /** Returns the new commit's id. */
  create(subject: ProjectSubject, caller: Caller, options: NewCommitOptions): Promise<string>;
  diffOfCommit(project: RepositoryRow, sha: string): Promise<{ files: FileChange[]; overflow: boolean }>;
}

function content(action: FileAction): Buffer {
  if (action.encoding !== 'base64') return Buffer.from(action.content ?? '', 'utf8');
  const text = action.content ?? '';
  if (!/^[A-Za-z0-9+/_=\s-]*$/.test(text)) throw badRequest(`content of ${action.file_path} is not valid base64`);
  return Buffer.from(text, 'base64');
}

/** What actions have to bring: a new text or mode is always given, if only as an empty one, so none is lost by what was left out. */
function requireParts(actions: readonly FileAction[]): void {
  const missing = actions.flatMap(({ action, content: text, previous_path, execute_filemode }, at) => {
    if (action === 'chmod')
      return execute_filemode === undefined ? [`actions[${at}][execute_filemode] is missing`] : [];
    if (action === 'move') return previous_path === undefined ? [`actions[${at}][previous_path] is missing`] : [];
    return (action === 'create' || action === 'update') && text === undefined
      ? [`actions[${at}][content] is missing`]
      : [];
  });
  if (missing.length > 0) throw invalidParameters(missing);
}

function treeAction(action: FileAction): git.TreeAction {
  const path = action.file_path;
  switch (action.action) {
    case 'create':
      return {
        action: 'create',
        path,
        content: content(action),
        ...(action.execute_filemode ? { executable: true } : {}),
      };
    case 'update':
      return { action: 'update', path, content: content(action) };
    case 'delete':
      return { action: 'delete', path };
    case 'move':
      return {
        action: 'move',
        path,
        previousPath: action.previous_path ?? '',
        ...(action.content === undefined ? {} : { content: content(action) }),
      };
    case 'chmod':
      return { action: 'chmod', path, executable: action.execute_filemode ?? false };
  }
}

const wording: Readonly<Record<git.TreeProblem, (path: string) => string>> = {
  path: () => 'Path cannot include directory traversal or special names',
  exists: () => 'A file with this name already exists',
  missing: () => "A file with this name doesn't exist",
  directory: () => 'A directory with this name already exists',
  type: (path) => `${path} is no regular file`,
};

/** A diff's files in the API's shape. */
export function fileChanges(parsed: git.ParsedDiff): { files: FileChange[]; overflow: boolean } {
  return {
    overflow: parsed.overflow,
    files: parsed.files.map((file) => ({
      old_path: file.oldPath,
      new_path: file.newPath,
      a_mode: file.aMode,
      b_mode: file.bMode,
      diff: file.patch,
      collapsed: file.collapsed,
      too_large: file.tooLarge,
      new_file: file.newFile,
      renamed_file: file.renamedFile,
      deleted_file: file.deletedFile,
      generated_file: false,
    })),
  };
}

export function commitService(deps: {
  open: OpenRepository;
  reader: RepositoryReader;
  writes: WritePath;
  diffLimits: DiffLimits;
}): CommitService {
  const { reader } = deps;

  /** Refuses when the file changed since the client looked at it. */
  async function checkLastCommit(project: RepositoryRow, start: string, action: FileAction): Promise<void> {
    if (action.last_commit_id === undefined || action.action === 'create' || action.action === 'chmod') return;
    const path = action.action === 'move' ? (action.previous_path ?? action.file_path) : action.file_path;
    const last = await reader.lastCommitOf(project, start, path);
    if (last !== null && last !== action.last_commit_id) {
      const message = 'You are attempting to update a file that has changed since you started editing it.';
      throw reasonedError(400, message, 'file_changed');
    }
  }

  async function startOf(
    options: NewCommitOptions,
    project: RepositoryRow,
    tip: string | null,
  ): Promise<string | null> {
    if (options.startSha !== undefined) {
      const sha = await reader.resolve(project, options.startSha);
      if (sha === null) throw plainError(400, `Cannot find start_sha '${options.startSha}'`);
      return sha;
    }
    const branch = options.startBranch ?? (options.startProject ? options.branch : undefined);
    if (branch === undefined) return tip;
    const sha = await reader.resolve(project, `refs/heads/${branch}`);
    if (sha === null) throw plainError(400, `Invalid reference name: ${branch}`);
    return sha;
  }

  return {
    async create(subject, caller, options) {
      const user = caller.user;
      if (!user) throw unauthorized();
      requireParts(options.actions);
      if (git.branchNameProblem(options.branch) !== null) throw plainError(400, 'Branch name is invalid');
      const ref = `refs/heads/${options.branch}`;
      const { startProject } = options;
      const explicitStart = [options.startBranch, options.startSha, startProject].some((start) => start !== undefined);
      const from = startProject?.project ?? subject.project;
      let made = '';
      await deps.writes.write({
        subject,
        caller,
        kind: 'api',
        ownMessage: options.ownMessage,
        refusedAs: options.refusedAs,
        async build(bench) {
          const base = bench.quarantine.base;
          const tip = await git.readRef(base, ref as git.RefName);
          if (
            tip !== null &&
            explicitStart &&
            !options.force &&
            (startProject || options.startBranch !== options.branch)
          ) {
            throw plainError(
              400,
              `A branch called '${options.branch}' already exists. Switch to that branch in order to make changes`,
            );
          }
          const start = await startOf(options, from, tip);
          if (startProject && start !== null)
            await git.carryCommit(bench.quarantine, deps.open(startProject.project), knownSha(start));
          if (start === null && (await reader.branches(subject.project)).length > 0) {
            throw plainError(400, 'You can only create or edit files when you are on a branch');
          }
          for (const action of options.actions) if (start !== null) await checkLastCommit(from, start, action);
          const editor = git.createTreeEditor(
            bench.quarantine,
            start === null ? null : await git.treeOf(bench.quarantine.repo, knownSha(start)),
          );
          try {
            for (const action of options.actions) await editor.apply(treeAction(action));
          } catch (error) {
            if (error instanceof git.TreeActionError) throw plainError(400, wording[error.problem](error.path));
            throw error;
          }
          const committer = committerOf(user);
          made = await git.createCommit(bench.quarantine, {
            tree: await editor.write(),
            parents: start === null ? [] : [knownSha(start)],
            author: {
              name: options.authorName || committer.name,
              email: options.authorEmail || committer.email,
              seconds: committer.seconds,
            },
            committer,
            message: options.message,
          });
          return [{ ref, before: tip ?? git.ZERO_SHA, after: made }];
        },
      });
      return made;
    },
    async diffOfCommit(project, sha) {
      const limits = await deps.diffLimits();
      return fileChanges(await git.commitDiff(deps.open(project), knownSha(sha), { limits }));
    },
  };
}
