/** Issues that texts name: `#1`, `group/project#1`. */
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { issuesSeen } from '../../namespaces/index.ts';
import { issueTitles } from './issues.queries.ts';

export const issueReferences = (db: Db): ReferenceKind => ({
  kind: 'issue',
  within: 'project',
  async find(values, { caller, place }) {
    const seen = issuesSeen(caller, place);
    if (seen === null) return new Map();
    const found = await issueTitles(db, place.project.id, values.map(Number), seen);
    const path = `/${place.namespace.full_path}/${place.project.path}/-/issues`;
    return new Map(found.map(({ iid, title }) => [String(iid), { path: `${path}/${iid}`, title }] as const));
  },
});
