/** Facets of what is found in files: of which projects, languages and directories it is. */
import type { Static } from 'typebox';
import { Count, Entity, Fields, Flag, Id, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import type { FoundChunk } from './code.queries.ts';

const files = Count({ description: 'Files with a result' });

export const CodeFacets = Entity('CodeFacets', {
  files: Count({ description: 'Files that are found, among the first 1,000 results' }),
  complete: Flag({ description: 'Whether nothing was left out' }),
  projects: ListOf(
    Fields({
      project_id: Nullable(Id({ description: 'Null for the wiki of a group' })),
      group_id: Nullable(Id({ description: 'Of the wiki of a group, else null' })),
      project_path: Text({ description: 'Full path of the project or group' }),
      files,
    }),
  ),
  languages: ListOf(Fields({ name: Text(), files })),
  directories: ListOf(Fields({ path: Text({ description: 'At the top of the repository, with its slash' }), files })),
});
export type CodeFacets = Static<typeof CodeFacets>;

/** Values that are told of each, those with most files first. */
const mostValues = 20;

type Counted<T> = readonly (T & { files: number })[];

function counted<T extends object>(
  found: Iterable<FoundChunk>,
  key: (file: FoundChunk) => string | null,
  of: (file: FoundChunk) => T,
) {
  const counts = new Map<string, T & { files: number }>();
  for (const file of found) {
    const name = key(file);
    if (name === null) continue;
    const known = counts.get(name);
    if (known) known.files += 1;
    else counts.set(name, { ...of(file), files: 1 });
  }
  const sorted: Counted<T> = [...counts]
    .sort(([a, x], [b, y]) => y.files - x.files || (a < b ? -1 : 1))
    .map(([, value]) => value);
  return sorted.slice(0, mostValues);
}

const directoryOf = ({ path }: FoundChunk) => (path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : null);

/** Counts the files of results, each once. */
export function facetsOf(results: readonly FoundChunk[], complete: boolean): CodeFacets {
  const found = new Map(results.map((each) => [`${each.index_id}:${each.path}`, each]));
  const each = [...found.values()];
  return {
    files: each.length,
    complete,
    projects: counted(
      each,
      ({ project_path }) => project_path,
      ({ project_id, group_id, project_path }) => ({ project_id, group_id, project_path }),
    ),
    languages: counted(
      each,
      ({ language }) => language,
      ({ language }) => ({ name: language ?? '' }),
    ),
    directories: counted(each, directoryOf, (file) => ({ path: directoryOf(file) ?? '' })),
  };
}
