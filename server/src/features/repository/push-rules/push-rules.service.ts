/** Keeping push rules: of a project, a group, or the instance. */
import { RE2JS } from 're2js';
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { PushRule } from '../../../kernel/db/rows.ts';
import { invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import {
  deleteRule,
  findRule,
  insertRule,
  type PushRuleValues,
  type RulePlace,
  ruleInForce,
  updateRule,
} from './push-rules.queries.ts';

/** What a rule is of, with what is above it. */
export interface RuleOwner {
  readonly place: RulePlace;
  /** Groups from the top down, the group itself included. */
  readonly namespaceIds: readonly number[];
  readonly entity: { readonly type: 'Project' | 'Group' | 'Instance'; readonly id: number; readonly path: string };
}

const patterns = [
  'commit_message_regex',
  'commit_message_negative_regex',
  'branch_name_regex',
  'author_email_regex',
  'file_name_regex',
] as const satisfies ReadonlyArray<keyof PushRuleValues>;

/** The values as they are kept: blank patterns are none. Refuses what RE2 cannot read. */
export function checkedRule(values: PushRuleValues): PushRuleValues {
  const kept: PushRuleValues = { ...values };
  const wrong: Record<string, string[]> = {};
  for (const name of patterns) {
    const source = values[name];
    if (source === undefined) continue;
    if (source === null || source.trim() === '') {
      kept[name] = null;
      continue;
    }
    try {
      RE2JS.compile(source);
    } catch (error) {
      wrong[name] = [`not valid RE2 syntax: ${(error as Error).message}`];
    }
  }
  if (Object.keys(wrong).length > 0) throw invalidRecord(wrong);
  return kept;
}

/** What of a row a rule with other values would change, from what to what. */
function differences(before: PushRule, values: PushRuleValues): Record<string, unknown> {
  const names = Object.keys(values) as Array<keyof PushRuleValues>;
  return Object.fromEntries(
    names.flatMap((name) => (before[name] === values[name] ? [] : [[name, { from: before[name], to: values[name] }]])),
  );
}

const valuesOf = (row: PushRule): PushRuleValues => {
  const { id: _id, project_id: _project, namespace_id: _group, created_at: _made, updated_at: _changed, ...rest } = row;
  return rest;
};

export function pushRuleService(db: Db) {
  const audit = (tx: Db, owner: RuleOwner, origin: AuditOrigin, event: string, rule: PushRule, details: object) =>
    recordAudit(tx, {
      ...origin,
      entity: owner.entity,
      event,
      details: { ...details },
      target: { type: 'PushRule', id: rule.id, details: 'push rule' },
    });

  async function add(
    tx: Db,
    owner: RuleOwner,
    origin: AuditOrigin,
    values: PushRuleValues,
  ): Promise<PushRule | undefined> {
    const row = await insertRule(tx, owner.place, values);
    if (row) await audit(tx, owner, origin, 'push_rule_created', row, { values });
    return row;
  }

  return {
    /** The rule that counts here, if any. */
    show: (owner: RuleOwner): Promise<PushRule | undefined> =>
      ruleInForce(db, owner.place.project_id, owner.namespaceIds),

    async create(owner: RuleOwner, origin: AuditOrigin, values: PushRuleValues): Promise<PushRule> {
      const kept = checkedRule(values);
      const row = await transaction(db, (tx) => add(tx, owner, origin, kept));
      if (!row) throw plainError(422, `${owner.entity.type} push rule exists, try updating`);
      return row;
    },

    /** Changes the rule of the place; where one from above counts until now, the place gets its own from it. */
    async update(owner: RuleOwner, origin: AuditOrigin, values: PushRuleValues): Promise<PushRule> {
      const kept = checkedRule(values);
      const row = await transaction(db, async (tx) => {
        const before = await findRule(tx, owner.place);
        if (!before) {
          const above = await ruleInForce(tx, owner.place.project_id, owner.namespaceIds);
          return above && (await add(tx, owner, origin, { ...valuesOf(above), ...kept }));
        }
        const changes = differences(before, kept);
        if (Object.keys(changes).length === 0) return before;
        const after = await updateRule(tx, before.id, kept);
        if (after) await audit(tx, owner, origin, 'push_rule_updated', after, { changes });
        return after;
      });
      if (!row) throw notFound('Push Rule');
      return row;
    },

    async remove(owner: RuleOwner, origin: AuditOrigin, unmodifiedSince: (changedAt: Date) => void): Promise<void> {
      await transaction(db, async (tx) => {
        const row = await findRule(tx, owner.place);
        if (!row) throw notFound('Push Rule');
        unmodifiedSince(row.updated_at);
        if (!(await deleteRule(tx, row.id))) throw notFound('Push Rule');
        await audit(tx, owner, origin, 'push_rule_removed', row, {});
      });
    },
  };
}

export type PushRuleService = ReturnType<typeof pushRuleService>;
