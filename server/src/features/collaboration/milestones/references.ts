/** Milestones that texts name by title or number: `%v1.0`, `%"Release candidate"`, `%3`. */
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { milestonePath } from './milestones.entity.ts';
import { milestonesWritten } from './milestones.queries.ts';

export const milestoneReferences = (db: Db): ReferenceKind => ({
  kind: 'milestone',
  within: 'either',
  async find(values, { caller, place }) {
    const sees =
      place.kind === 'project'
        ? canOnProject(caller, 'read_milestone', place)
        : canOnGroup(caller, 'read_group_milestone', place);
    if (!sees) return new Map();
    const found = await milestonesWritten(db, place, values, caller);
    return new Map(
      [...found].map(([value, row]) => {
        const name = row.title.includes('"') ? row.iid : `"${row.title}"`;
        return [value, { path: milestonePath(row), title: row.title, lasting: `/${row.place_path}%${name}` }];
      }),
    );
  },
});
