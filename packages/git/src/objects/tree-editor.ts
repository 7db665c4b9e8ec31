/** Applies file actions onto a tree, reading and writing only the directories that they touch. */
import { GitError } from '../errors.ts';
import { rawObject } from '../process/cat-file.ts';
import { EMPTY_TREE, type FileMode, type Sha } from '../types.ts';
import { eachTreeEntry } from './parse.ts';
import { writablePath } from './paths.ts';
import type { Quarantine } from './quarantine.ts';
import { splitPath } from './tree.ts';
import { type NewTreeEntry, writeBlob, writeTree } from './write.ts';

export type TreeAction =
  | { action: 'create'; path: string; content: Uint8Array; executable?: boolean }
  | { action: 'update'; path: string; content: Uint8Array }
  | { action: 'delete'; path: string }
  /** Content omitted: the file moves as it is. */
  | { action: 'move'; path: string; previousPath: string; content?: Uint8Array }
  | { action: 'chmod'; path: string; executable: boolean }
  /** Any entry by id, replacing what is there: submodules, symbolic links, files of other trees. */
  | { action: 'put'; path: string; id: Sha; mode: FileMode }
  /** An empty directory with a `.gitkeep` file. */
  | { action: 'mkdir'; path: string };

export type TreeProblem = 'path' | 'exists' | 'missing' | 'directory' | 'type';

/** An action that cannot be applied: which one, and why. */
export class TreeActionError extends GitError {
  readonly problem: TreeProblem;
  readonly path: string;

  constructor(problem: TreeProblem, path: string) {
    const reasons: Record<TreeProblem, string> = {
      path: 'the path is not acceptable',
      exists: 'a file with this name already exists',
      missing: "a file with this name doesn't exist",
      directory: 'a directory with this name already exists',
      type: 'this is no regular file',
    };
    super('invalid', reasons[problem]);
    this.problem = problem;
    this.path = path;
  }
}

/** A directory in memory. Names are Latin-1 renderings of their bytes, so that no byte is lost. */
interface Directory {
  id: Sha | null;
  entries: Map<string, Node> | null;
}
type Node = { mode: FileMode; id: Sha } | { mode: '040000'; directory: Directory };

function isDirectory(node: Node | undefined): node is { mode: '040000'; directory: Directory } {
  return node !== undefined && 'directory' in node;
}

const MAX_TREE_BYTES = 32 * 1024 * 1024;

async function entriesOf(quarantine: Quarantine, directory: Directory): Promise<Map<string, Node>> {
  if (directory.entries) return directory.entries;
  const entries = new Map<string, Node>();
  if (directory.id && directory.id !== EMPTY_TREE) {
    const object = await rawObject(quarantine.repo, directory.id, MAX_TREE_BYTES);
    if (object?.type !== 'tree') throw new GitError('corrupt', `tree ${directory.id} is missing`);
    eachTreeEntry(object.data, (mode, name, id) => {
      const node: Node = mode === '040000' ? { mode, directory: { id, entries: null } } : { mode, id };
      entries.set(name.toString('latin1'), node);
    });
  }
  directory.entries = entries;
  return entries;
}

/** Names are looked up as they are: an ugly one that is there already can still be changed or removed. */
function parse(path: string): string[] {
  const parts = splitPath(path);
  if (!parts?.length) throw new TreeActionError('path', path);
  return parts.map((part) => Buffer.from(part).toString('latin1'));
}

/** What is new in the tree keeps the rules for all platforms. */
function requireWritable(path: string): void {
  if (!writablePath(path)) throw new TreeActionError('path', path);
}

export interface TreeEditor {
  apply(action: TreeAction): Promise<void>;
  /** Writes the changed trees and gives the id of the root. */
  write(): Promise<Sha>;
}

/** Edits the tree `base` (null or EMPTY_TREE: from nothing). Actions see the effect of those before them. */
export function createTreeEditor(quarantine: Quarantine, base: Sha | null): TreeEditor {
  const root: Directory = { id: base ?? EMPTY_TREE, entries: null };

  /** The directory that holds the last part of a path. With `make`, missing ones are made; null when absent. */
  async function parentOf(path: string, parts: string[], make: boolean): Promise<Directory[] | null> {
    const chain = [root];
    for (const part of parts.slice(0, -1)) {
      const entries = await entriesOf(quarantine, chain.at(-1) as Directory);
      let node = entries.get(part);
      if (node && !isDirectory(node)) {
        if (make) throw new TreeActionError('exists', path);
        return null;
      }
      if (!node) {
        if (!make) return null;
        node = { mode: '040000', directory: { id: null, entries: new Map() } };
        entries.set(part, node);
      }
      chain.push(node.directory);
    }
    return chain;
  }

  function touch(chain: Directory[]): void {
    for (const directory of chain) directory.id = null;
  }

  async function find(path: string): Promise<Node | undefined> {
    const parts = parse(path);
    const chain = await parentOf(path, parts, false);
    return chain ? (await entriesOf(quarantine, chain.at(-1) as Directory)).get(parts.at(-1) as string) : undefined;
  }

  async function existing(path: string): Promise<{ mode: FileMode; id: Sha }> {
    const node = await find(path);
    if (!node || isDirectory(node)) throw new TreeActionError('missing', path);
    return node;
  }

  async function put(path: string, mode: FileMode, id: Sha, replace: boolean): Promise<void> {
    const parts = parse(path);
    // Looked at before directories are made, so that a refused action leaves nothing behind.
    const present = await find(path);
    if (isDirectory(present)) throw new TreeActionError('directory', path);
    if (present && !replace) throw new TreeActionError('exists', path);
    const chain = (await parentOf(path, parts, true)) as Directory[];
    const entries = await entriesOf(quarantine, chain.at(-1) as Directory);
    entries.set(parts.at(-1) as string, { mode, id });
    touch(chain);
  }

  async function remove(path: string): Promise<void> {
    const parts = parse(path);
    const chain = (await parentOf(path, parts, false)) as Directory[];
    const entries = await entriesOf(quarantine, chain.at(-1) as Directory);
    entries.delete(parts.at(-1) as string);
    touch(chain);
    // git has no empty directories.
    for (let depth = chain.length - 1; depth > 0; depth -= 1) {
      if (chain[depth]?.entries?.size !== 0) break;
      (await entriesOf(quarantine, chain[depth - 1] as Directory)).delete(parts[depth - 1] as string);
    }
  }

  async function write(directory: Directory): Promise<Sha> {
    if (directory.id) return directory.id;
    const list = [...(await entriesOf(quarantine, directory))].map(
      async ([name, node]): Promise<NewTreeEntry> => ({
        mode: node.mode,
        name: Buffer.from(name, 'latin1'),
        id: isDirectory(node) ? await write(node.directory) : node.id,
      }),
    );
    directory.id = await writeTree(quarantine, await Promise.all(list));
    return directory.id;
  }

  return {
    async apply(action) {
      const adds = action.action === 'create' || action.action === 'move' || action.action === 'put';
      if (adds || action.action === 'mkdir') requireWritable(action.path);
      switch (action.action) {
        case 'create':
          // The refusal comes before the blob is written.
          if (await find(action.path)) await put(action.path, '100644', EMPTY_TREE, false);
          return put(
            action.path,
            action.executable ? '100755' : '100644',
            await writeBlob(quarantine, action.content),
            false,
          );
        case 'update': {
          const { mode } = await existing(action.path);
          if (mode === '160000') throw new TreeActionError('type', action.path);
          return put(action.path, mode, await writeBlob(quarantine, action.content), true);
        }
        case 'delete':
          await existing(action.path);
          return remove(action.path);
        case 'move': {
          const from = await existing(action.previousPath);
          const target = await find(action.path);
          if (target) throw new TreeActionError(isDirectory(target) ? 'directory' : 'exists', action.path);
          const id = action.content ? await writeBlob(quarantine, action.content) : from.id;
          await remove(action.previousPath);
          return put(action.path, from.mode, id, false);
        }
        case 'chmod': {
          const { mode, id } = await existing(action.path);
          if (mode !== '100644' && mode !== '100755') throw new TreeActionError('type', action.path);
          return put(action.path, action.executable ? '100755' : '100644', id, true);
        }
        case 'put':
          return put(action.path, action.mode, action.id, true);
        case 'mkdir': {
          const present = await find(action.path);
          if (present) throw new TreeActionError(isDirectory(present) ? 'directory' : 'exists', action.path);
          return put(`${action.path}/.gitkeep`, '100644', await writeBlob(quarantine, new Uint8Array()), false);
        }
      }
    },
    write: () => write(root),
  };
}
