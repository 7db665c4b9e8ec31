/** The push rule of a project in archives. */
import Type from 'typebox';
import { HttpError } from '../../../kernel/http/errors.ts';
import { type Relation, relation } from '../../namespaces/index.ts';
import { findRule, insertRule, removeRuleOf } from './push-rules.queries.ts';
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
