/** Snippets of projects that texts name: `$1`, `group/project$1`. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { projectPath } from '../commits/commits.json.ts';
import { seesSnippet } from './access.ts';
import { snippetsNamed } from './snippets.queries.ts';

export const snippetReferences = (db: Db): ReferenceKind => ({
  kind: 'snippet',
  within: 'project',
  async find(values, { caller, place }) {
    if (!canOnProject(caller, 'read_snippet', place)) return new Map();
    const found = await snippetsNamed(db, place.project.id, values.map(Number));
    const path = `/${projectPath(place)}/-/snippets`;
    return new Map(
      found
        .filter((snippet) => seesSnippet(caller, { snippet, place }))
        .map(({ id, title }) => [String(id), { path: `${path}/${id}`, title }] as const),
    );
  },
});
