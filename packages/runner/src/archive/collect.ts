/** Which files of a workspace an artifact or a cache takes. Nothing outside of the workspace, also not through links. */
import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { compilePattern, type PathPattern } from './glob.ts';

export type CollectedEntry = {
  path: string;
  kind: 'file' | 'directory' | 'link';
  mode: number;
  mtime: Date;
  size: number;
};

export type Selection = { paths: string[]; exclude: string[]; untracked: string[] };

/**
 * Entries for a selection in path order, each once. `warn` hears about patterns that match nothing and about what is
 * refused. The workspace must not change meanwhile: the caller has ended the job's processes.
 */
export async function collect(
  workspace: string,
  selection: Selection,
  warn: (message: string) => void,
): Promise<CollectedEntry[]> {
  const root = await realpath(workspace);
  const found = new Map<string, CollectedEntry>();
  const excluded = selection.exclude.flatMap((pattern) => compilePattern(inside(root, pattern) ?? pattern));
  const isExcluded = (path: string) => excluded.some((pattern) => pattern.matches(path));

  async function add(path: string, recursive: boolean): Promise<void> {
    if (found.has(path) || path === '') return;
    const entry = await describe(root, path, warn);
    if (!entry) return;
    if (!isExcluded(path)) found.set(path, entry);
    if (entry.kind === 'directory' && recursive)
      for (const name of await readdir(join(root, path))) await add(`${path}/${name}`, true);
  }

  async function search(directory: string, pattern: PathPattern): Promise<void> {
    for (const item of await readdir(join(root, directory), { withFileTypes: true }).catch(() => [])) {
      const path = directory === '' ? item.name : `${directory}/${item.name}`;
      // git's own files are never part of what a wildcard finds.
      if (path === '.git') continue;
      if (pattern.matches(path)) await add(path, true);
      else if (item.isDirectory()) await search(path, pattern);
    }
  }

  for (const given of selection.paths) {
    const path = inside(root, given);
    const before = found.size;
    if (path === undefined) warn(`${given}: is outside of the project directory and is left out`);
    else if (path === '') for (const name of await readdir(root)) await (name === '.git' ? undefined : add(name, true));
    else {
      for (const pattern of compilePattern(path)) {
        const base = await safeBase(root, pattern.base);
        if (base === undefined) continue;
        if (pattern.base !== '' && pattern.matches(pattern.base)) await add(pattern.base, true);
        if (base === 'directory' && !pattern.literal) await search(pattern.base, pattern);
      }
    }
    if (path !== undefined && found.size === before) warn(`${given}: no matching files`);
  }
  for (const path of selection.untracked) {
    const safe = inside(root, path);
    if (safe && (await safeBase(root, dirname(safe) === '.' ? '' : dirname(safe))) === 'directory')
      await add(safe, false);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The path relative to the workspace, or undefined when it leads out of it. */
function inside(root: string, given: string): string | undefined {
  if (given.includes('\0')) return undefined;
  const path = relative(root, resolve(root, given));
  return path === '..' || path.startsWith(`..${sep}`) || path.startsWith('/') ? undefined : path;
}

// No component on the way may be a link: then the search would walk elsewhere.
async function safeBase(root: string, base: string): Promise<'directory' | 'file' | undefined> {
  let current = root;
  let kind: 'directory' | 'file' = 'directory';
  const parts = base.split('/').filter(Boolean);
  for (const [index, part] of parts.entries()) {
    current = join(current, part);
    const found = await lstat(current).catch(() => undefined);
    if (!found || (found.isSymbolicLink() && index < parts.length - 1)) return undefined;
    kind = found.isDirectory() ? 'directory' : 'file';
  }
  return kind;
}

async function describe(
  root: string,
  path: string,
  warn: (message: string) => void,
): Promise<CollectedEntry | undefined> {
  const found = await lstat(join(root, path)).catch(() => undefined);
  if (!found) return undefined;
  const common = { path, mode: found.mode & 0o777, mtime: found.mtime, size: found.size };
  if (found.isDirectory()) return { ...common, kind: 'directory' };
  if (found.isFile()) return { ...common, kind: 'file' };
  if (!found.isSymbolicLink()) {
    warn(`${path}: is neither a file nor a directory and is left out`);
    return undefined;
  }
  if (!(await staysInside(root, path))) {
    warn(`${path}: is a link out of the project directory and is left out`);
    return undefined;
  }
  return { ...common, kind: 'link' };
}

async function staysInside(root: string, path: string): Promise<boolean> {
  const target = await readlink(join(root, path));
  if (target.startsWith('/')) return false;
  if (inside(root, join(dirname(path), target)) === undefined) return false;
  // The written target may pass through further links.
  const end = await realpath(join(root, path)).catch(() => undefined);
  return end === undefined || end === root || end.startsWith(`${root}${sep}`);
}
