/** Which merge requests wait for which others of the project, in an archive. */
import Type from 'typebox';
import { DateTimeParam, Int } from '../../../kernel/http/params/schema.ts';
import { idsNumbered } from '../../collaboration/notes/index.ts';
import { once, type Relation, relation } from '../../namespaces/index.ts';
import { waitsFor } from './dependencies.queries.ts';
import { archivedDependenciesOf, insertArchivedDependency, removeDependencies } from './transfer.queries.ts';

const iid = Int({ minimum: 1, maximum: 2_147_483_647 });

export const dependencyRelation: Relation = relation({
  name: 'merge_request_dependencies',
  schema: Type.Object({ blocking: iid, blocked: iid, created_at: DateTimeParam() }),
  rows: (db, projectId) => once(archivedDependenciesOf(db, projectId)),
  insert: async (tx, { blocking, blocked, created_at }, { projectId }) => {
    const ids = await idsNumbered(tx, projectId, 'merge_request', [blocking, blocked]);
    const [blocking_id, blocked_id] = [ids.get(blocking), ids.get(blocked)];
    if (blocking_id === undefined || blocked_id === undefined)
      return 'is about merge requests that the archive does not have';
    if (blocking === blocked || (await waitsFor(tx, blocking_id, blocked_id))) return 'waits for itself';
    return (await insertArchivedDependency(tx, { blocking_id, blocked_id, created_at })) ? null : 'is there already';
  },
  remove: removeDependencies,
});
