/** The push rule of a project in archives. */
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { type Relation, relation } from '../../namespaces/index.ts';
import { findRule, insertRule, removeRuleOf, ruleInForce, updateRule } from './push-rules.queries.ts';
import { ruleAttributes, ruleValues } from './push-rules.routes.ts';
import { checkedRule } from './push-rules.service.ts';

const place = (projectId: number) => ({ project_id: projectId, namespace_id: null });

export const pushRuleRelation: Relation = relation({
  name: 'push_rule',
  schema: Type.Object(ruleAttributes),
  async *rows(db, projectId) {
    const rule = await findRule(db, place(projectId));
    if (rule) yield [ruleValues(rule)];
  },
  insert: async (tx, row, { projectId }) => {
    try {
      return (await insertRule(tx, place(projectId), checkedRule(ruleValues(row)))) ? null : 'is there already';
    } catch (error) {
      if (error instanceof HttpError) return 'has an expression that cannot be read';
      throw error;
    }
  },
  remove: removeRuleOf,
});

/** Refuses unsigned commits from now on. A project without a rule of its own keeps what the one above it asks for. */
export async function requireSignedCommits(tx: Db, { project, namespace }: ProjectSubject): Promise<void> {
  const own = await findRule(tx, place(project.id));
  if (own) {
    await updateRule(tx, own.id, { reject_unsigned_commits: true });
    return;
  }
  const above = await ruleInForce(tx, null, namespace.traversal_ids);
  await insertRule(tx, place(project.id), { ...(above ? ruleValues(above) : {}), reject_unsigned_commits: true });
}
