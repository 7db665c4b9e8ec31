/** Commits that texts name by their hash, in full or abbreviated: `0123abcd`, `group/project@0123abcd`. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { ReferenceKind, ReferenceTarget } from '../../../kernel/markdown/index.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import { projectPath } from './commits.json.ts';

/** Commits of one project that are looked up for one text. */
const maximumLookups = 50;

export const commitReferences = (reader: Pick<RepositoryReader, 'resolve' | 'commit'>): ReferenceKind => ({
  kind: 'commit',
  inProject: true,
  async find(values, { caller, project: subject }) {
    if (!subject || !canOnProject(caller, 'read_code', subject)) return new Map();
    const { project } = subject;
    const path = projectPath(subject);
    const targets = await Promise.all(
      values.slice(0, maximumLookups).map(async (value): Promise<readonly [string, ReferenceTarget] | null> => {
        const sha = await reader.resolve(project, value);
        // A branch may be called like a hash: the text names a commit.
        if (!sha?.startsWith(value)) return null;
        return [value, { path: `/${path}/-/commit/${sha}`, title: (await reader.commit(project, sha)).title }];
      }),
    );
    return new Map(targets.filter((target) => target !== null));
  },
});
