/** Rules of approvals of a project, and the approvals of its merge requests, in an archive. */
import Type from 'typebox';
import { Bool, DateTimeParam, Int, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import * as queries from './transfer.queries.ts';

const sha = Str({ pattern: '^[0-9a-f]{40}$' });
const name = Str({ minLength: 1, maxLength: 1024 });
const username = Str({ minLength: 1, maxLength: 255 });

export const approvalRuleRelation: Relation = relation({
  name: 'approval_rules',
  schema: Type.Object({
    name,
    rule_type: OneOf(['any_approver', 'regular', 'report_approver']),
    report_type: Optional(OrNull(OneOf(['license_scanning', 'code_coverage']))),
    approvals_required: Int({ minimum: 0, maximum: 100 }),
    applies_to_all_protected_branches: Bool(),
    /** Names of protected branches. */
    branches: List(name),
    users: List(username),
    /** Groups belong to the instance and stay behind. */
    groups: Bool(),
  }),
  rows: (db, projectId) => once(queries.approvalRulesOf(db, projectId)),
  insert: async (tx, row, target) => {
    if ((row.rule_type === 'report_approver') !== Boolean(row.report_type)) return 'is about no report';
    const people = new Set<number>();
    for (const each of row.users.slice(0, 500)) {
      const id = await target.person(each);
      if (id !== null) people.add(id);
    }
    // A rule that nobody can fulfil would keep everything from being merged, or let everything through.
    if (people.size === 0 && (row.users.length > 0 || row.groups)) return 'names nobody of this instance';
    return await queries.insertBroughtRule(tx, target.projectId, row, [...people]);
  },
  remove: removing('approval_rules'),
});

export const approvalRelation: Relation = relation({
  name: 'approvals',
  schema: Type.Object({
    merge_request: Int({ minimum: 1, maximum: 2_147_483_647 }),
    username,
    head_sha: sha,
    patch_id: Str({ minLength: 1, maxLength: 255 }),
    created_at: DateTimeParam(),
  }),
  rows: (db, projectId) => once(queries.approvalsOf(db, projectId)),
  insert: async (tx, row, target) => {
    // That somebody has approved is their word, which an archive cannot give.
    if (!target.trusted) return 'only administrators import approvals';
    const userId = await target.person(row.username);
    if (userId === null) return `nobody is called ${row.username}`;
    return await queries.insertBroughtApproval(tx, target.projectId, { ...row, userId });
  },
  remove: queries.removeApprovals,
});
