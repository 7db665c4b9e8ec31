/** What is in one directory of an archive, or below it: directories first, each part in the order of its names. */
import type { Static } from 'typebox';
import { Count, Entity, Nullable, Text } from '../../../kernel/http/entity.ts';
import type { ZipName } from './store.ts';

export const ArtifactEntry = Entity('ArtifactEntry', {
  name: Text(),
  path: Text({ description: 'Path inside the archive; that of a directory ends with a slash' }),
  type: Text({ description: '`file` or `directory`' }),
  size: Nullable(Count({ description: 'Bytes of a file, unpacked' })),
  mode: Nullable(Text({ description: 'Permissions of a file' })),
});
type EntryJson = Static<typeof ArtifactEntry>;

const nameOfPath = (path: string) => path.replace(/\/$/, '').split('/').at(-1) ?? path;

const directory = (path: string): EntryJson => ({
  name: nameOfPath(path),
  path,
  type: 'directory',
  size: null,
  mode: null,
});

const file = ({ path, size, mode }: ZipName): EntryJson => ({ name: nameOfPath(path), path, type: 'file', size, mode });

const byPath = (a: EntryJson, b: EntryJson) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** Entries of the directory `path` (empty for the root); null when the archive has none of this name. */
export function treeOf(names: readonly ZipName[], path: string, recursive: boolean): EntryJson[] | null {
  const prefix = path === '' ? '' : `${path.replace(/\/+$/, '')}/`;
  const below = names.filter((name) => name.path.startsWith(prefix));
  if (below.length === 0 && prefix !== '') return null;
  const directories = new Set<string>();
  const files: EntryJson[] = [];
  for (const name of below) {
    const parts = name.path.slice(prefix.length).split('/').slice(0, -1);
    const levels = recursive ? parts.length : Math.min(parts.length, 1);
    for (let depth = 1; depth <= levels; depth++) directories.add(`${prefix}${parts.slice(0, depth).join('/')}/`);
    if (recursive || parts.length === 0) files.push(file(name));
  }
  const all = [...directories].map(directory);
  return recursive ? [...all, ...files].sort(byPath) : [...all.sort(byPath), ...files.sort(byPath)];
}
