/** External status checks in archives of projects: without secrets and what services have answered, which know other ids. */
import Type from 'typebox';
import { DateTimeParam, List, Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import { archivedChecksOf, insertArchivedCheck } from './transfer.queries.ts';

const named = Str({ minLength: 1, maxLength: 1024 });

export const statusCheckRelation: Relation = relation({
  name: 'external_status_checks',
  schema: Type.Object({
    name: Str({ minLength: 1, maxLength: 255 }),
    external_url: Str({ minLength: 1, maxLength: 2048 }),
    /** Names of protected branches; those of all branches without any. */
    protected_branches: List(named),
    created_at: DateTimeParam(),
  }),
  rows: (db, projectId) => once(archivedChecksOf(db, projectId)),
  insert: async (tx, { protected_branches: branches, ...row }, { projectId, refusedAddress }) => {
    const refusal = await refusedAddress(row.external_url);
    if (refusal !== null) return `external_url is blocked: ${refusal}`;
    const made = await insertArchivedCheck(tx, { ...row, project_id: projectId }, branches);
    return made ? null : 'is there already';
  },
  remove: removing('external_status_checks'),
});
