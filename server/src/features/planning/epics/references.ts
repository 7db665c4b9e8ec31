/** Epics that texts name: `&1`, `group&1`. */
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { epicTitles } from './epics.queries.ts';

export const epicReferences = (db: Db): ReferenceKind => ({
  kind: 'epic',
  within: 'group',
  async find(values, { caller, place }) {
    if (!canOnGroup(caller, 'read_epic', place)) return new Map();
    const found = await epicTitles(db, place.group.id, values.map(Number), caller);
    const path = `/groups/${place.group.full_path}/-/epics`;
    return new Map(found.map(({ iid, ...shown }) => [String(iid), { path: `${path}/${iid}`, ...shown }] as const));
  },
});
