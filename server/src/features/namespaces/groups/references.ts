/** Groups that texts mention: `@group`, `@group/subgroup`. */
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { groupsMentioned } from './groups.queries.ts';

export const groupReferences = (db: Db): ReferenceKind => ({
  kind: 'group',
  within: 'instance',
  async find(values, { caller }) {
    const found = await groupsMentioned(db, values, caller);
    const byPath = new Map(found.map((group) => [group.full_path.toLowerCase(), group]));
    return new Map(
      values.flatMap((value) => {
        const group = byPath.get(value.toLowerCase());
        return group ? [[value, { path: `/groups/${group.full_path}`, title: group.name }] as const] : [];
      }),
    );
  },
});
