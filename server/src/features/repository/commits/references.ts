/** Commits that texts name by their hash, in full or abbreviated, and what is between two: `0123abcd`, `group/project@0123abcd...4567cdef`. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { ReferenceKind, ReferenceTarget } from '../../../kernel/markdown/index.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import { projectPath } from './commits.json.ts';

/** Commits of one project that are looked up for one text. */
const maximumLookups = 50;

const present = <T>(entries: readonly (readonly [string, T] | null)[]) =>
  new Map(entries.filter((each) => each !== null));

export function commitReferences(reader: Pick<RepositoryReader, 'resolve' | 'commit'>): ReferenceKind[] {
  type Project = Parameters<typeof reader.resolve>[0];
  /** A branch may be called like a hash: texts name commits. */
  async function resolved(project: Project, value: string): Promise<string | null> {
    const sha = await reader.resolve(project, value);
    return sha?.startsWith(value) ? sha : null;
  }
  return [
    {
      kind: 'commit',
      within: 'project',
      async find(values, { caller, place }) {
        if (!canOnProject(caller, 'read_code', place)) return new Map();
        const path = projectPath(place);
        const targets = values.slice(0, maximumLookups).map(async (value) => {
          const sha = await resolved(place.project, value);
          if (sha === null) return null;
          const { title } = await reader.commit(place.project, sha);
          return [
            value,
            { path: `/${path}/-/commit/${sha}`, title, lasting: `@${sha}` } satisfies ReferenceTarget,
          ] as const;
        });
        return present(await Promise.all(targets));
      },
    },
    {
      kind: 'commit_range',
      within: 'project',
      async find(values, { caller, place }) {
        if (!canOnProject(caller, 'read_code', place)) return new Map();
        const path = projectPath(place);
        const targets = values.slice(0, maximumLookups / 2).map(async (value) => {
          const [from = '', dots = '', to = ''] = value.split(/(\.{2,3})/);
          const ends = await Promise.all([from, to].map((end) => resolved(place.project, end)));
          if (ends.includes(null)) return null;
          const title = `Commits ${from.slice(0, 8)} through ${to.slice(0, 8)}`;
          return [value, { path: `/${path}/-/compare/${ends.join(dots)}`, title } satisfies ReferenceTarget] as const;
        });
        return present(await Promise.all(targets));
      },
    },
  ];
}
