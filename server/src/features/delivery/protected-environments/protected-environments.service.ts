/** Protecting environments: who may be named, and what is told of it. */
import { entityOfPlace, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { invalidParameters, invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import { nameProblem, tiers } from '../environment-names.ts';
import { protectedJson } from './protected-environments.entity.ts';
import * as queries from './protected-environments.queries.ts';

export interface GivenRule {
  readonly id?: number;
  readonly _destroy?: boolean;
  readonly access_level?: number;
  readonly user_id?: number;
  readonly group_id?: number;
  readonly group_inheritance_type?: number;
  readonly required_approvals?: number;
}

export interface Given {
  readonly deploy_access_levels?: readonly GivenRule[] | undefined;
  readonly approval_rules?: readonly GivenRule[] | undefined;
  readonly required_approval_count?: number | undefined;
}

export interface ProtectionRequest {
  readonly subject: ProjectSubject | GroupSubject;
  readonly caller: Caller;
  readonly clientAddress: string | null;
}

const subjects = ['access_level', 'user_id', 'group_id'] as const;
const levels: readonly number[] = [30, 40, 60];

export const placeOf = (subject: ProjectSubject | GroupSubject): queries.Place =>
  subject.kind === 'project' ? { project_id: subject.project.id } : { namespace_id: subject.group.id };

/** The columns of a rule; exactly one of the subjects has to be named. */
function valuesOf(kind: queries.RuleRow['kind'], given: GivenRule): queries.RuleValues {
  const list = kind === 'deploy' ? 'deploy_access_levels' : 'approval_rules';
  const named = subjects.filter((subject) => given[subject] !== undefined);
  if (named.length !== 1) {
    const names = (named.length === 0 ? subjects : named).map((name) => `${list}[${name}]`).join(', ');
    throw invalidParameters([
      named.length === 0
        ? `${names} are missing, exactly one parameter must be provided`
        : `${names} are mutually exclusive`,
    ]);
  }
  if (given.access_level !== undefined && !levels.includes(given.access_level))
    throw invalidParameters([`${list}[access_level] does not have a valid value`]);
  return {
    kind,
    access_level: given.access_level ?? null,
    user_id: given.user_id ?? null,
    group_id: given.group_id ?? null,
    group_inheritance_type: given.group_inheritance_type ?? 0,
    required_approvals: given.required_approvals ?? 1,
  };
}

export type ProtectionService = ReturnType<typeof protectionService>;

export function protectionService(db: Db) {
  /** Who is named must be there, and in a project be able to see it. */
  async function check(tx: Db, place: queries.Place, values: queries.RuleValues): Promise<void> {
    const { user_id: user, group_id: group } = values;
    if (typeof user === 'number') {
      const known = await queries.activeUser(tx, user);
      const member =
        'project_id' in place ? ((await findProjectSubject(tx, String(place.project_id), user))?.level ?? 0) > 0 : true;
      if (!known || !member) throw plainError(422, 'Deploy access levels user is not a member of the project');
    }
    if (typeof group === 'number' && !(await queries.groupExists(tx, group)))
      throw plainError(422, 'Deploy access levels group does not exist');
  }

  async function apply(
    tx: Db,
    place: queries.Place,
    row: queries.ProtectedRow,
    kind: queries.RuleRow['kind'],
    list: readonly GivenRule[] = [],
  ): Promise<void> {
    for (const given of list) {
      const known = row.rules.find((rule) => rule.id === given.id && rule.kind === kind);
      if (given.id !== undefined && !known) throw notFound();
      if (known && given._destroy) {
        await queries.deleteRule(tx, known.id);
        continue;
      }
      const names = subjects.some((subject) => given[subject] !== undefined);
      const before = known && {
        ...(names
          ? {}
          : {
              ...(known.access_level === null ? {} : { access_level: known.access_level }),
              ...(known.user_id === null ? {} : { user_id: known.user_id }),
              ...(known.group_id === null ? {} : { group_id: known.group_id }),
            }),
        group_inheritance_type: known.group_inheritance_type,
        required_approvals: known.required_approvals,
      };
      const values = valuesOf(kind, { ...before, ...given });
      await check(tx, place, values);
      if (known) await queries.updateRule(tx, known.id, values);
      else await queries.insertRule(tx, row.id, values);
    }
  }

  async function settle(
    tx: Db,
    request: ProtectionRequest,
    event: 'created' | 'updated' | 'removed',
    row: queries.ProtectedRow,
  ): Promise<void> {
    const { name, deploy_access_levels, approval_rules, required_approval_count } = protectedJson(row);
    await recordAudit(tx, {
      ...originOf(request),
      entity: entityOfPlace(request.subject),
      event: `protected_environment_${event}`,
      details: {
        name,
        allowed_to_deploy: deploy_access_levels.map((each) => each.access_level_description),
        approvals: approval_rules.map((each) => each.access_level_description),
        required_approval_count,
      },
      target: { type: 'ProtectedEnvironment', id: row.id, details: name },
    });
  }

  /** As it is after the change. */
  async function after(tx: Db, place: queries.Place, name: string): Promise<queries.ProtectedRow> {
    const row = await queries.findProtected(tx, place, name);
    if (!row) throw notFound();
    if (!row.rules.some(({ kind }) => kind === 'deploy'))
      throw invalidRecord({ deploy_access_levels: ["can't be blank"] }, 422);
    return row;
  }

  return {
    async create(request: ProtectionRequest, name: string, given: Given): Promise<queries.ProtectedRow> {
      const place = placeOf(request.subject);
      const problem =
        'namespace_id' in place && !(tiers as readonly string[]).includes(name) ? 'is not a tier' : nameProblem(name);
      if (problem) throw invalidRecord({ name: [problem] }, 422);
      return await transaction(db, async (tx) => {
        const made = await queries.insertProtected(tx, place, name, given.required_approval_count ?? 0);
        if (!made) throw plainError(409, `Protected environment '${name}' already exists`);
        const row = { ...made, rules: [] };
        await apply(tx, place, row, 'deploy', given.deploy_access_levels);
        await apply(tx, place, row, 'approval', given.approval_rules);
        const now = await after(tx, place, name);
        await settle(tx, request, 'created', now);
        return now;
      });
    },

    async update(request: ProtectionRequest, row: queries.ProtectedRow, given: Given): Promise<queries.ProtectedRow> {
      const place = placeOf(request.subject);
      return await transaction(db, async (tx) => {
        await queries.touchProtected(tx, row.id, given.required_approval_count);
        await apply(tx, place, row, 'deploy', given.deploy_access_levels);
        await apply(tx, place, row, 'approval', given.approval_rules);
        const now = await after(tx, place, row.name);
        await settle(tx, request, 'updated', now);
        return now;
      });
    },

    async remove(request: ProtectionRequest, row: queries.ProtectedRow): Promise<void> {
      await transaction(db, async (tx) => {
        if (!(await queries.deleteProtected(tx, row.id))) throw notFound();
        await settle(tx, request, 'removed', row);
      });
    },
  };
}
