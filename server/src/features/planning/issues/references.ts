/** Issues that texts name: `#1`, `group/project#1`. */
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { summariesOf } from '../../collaboration/index.ts';
import { issuesSeen } from '../../namespaces/index.ts';
import { issueTitles } from './issues.queries.ts';

export const issueReferences = (db: Db): ReferenceKind => ({
  kind: 'issue',
  within: 'project',
  async find(values, { caller, place, summarised }) {
    const seen = issuesSeen(caller, place);
    if (seen === null) return new Map();
    const found = await issueTitles(db, place.project.id, values.map(Number), seen);
    const wanted = found.filter(({ iid }) => summarised.includes(String(iid))).map(({ id }) => id);
    const summaries = await summariesOf(db, 'issue', wanted);
    const path = `/${place.namespace.full_path}/${place.project.path}/-/issues`;
    return new Map(
      found.map(({ id, iid, title, state, moved_to_id }) => [
        String(iid),
        {
          ...{ path: `${path}/${iid}`, title, state: moved_to_id === null ? state : 'moved' },
          summary: summaries.get(id) ?? [],
        },
      ]),
    );
  },
});
