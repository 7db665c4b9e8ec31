/** Protecting branches and tags: who may be named, who may change it, and what is told of it. */
import { type AuditOrigin, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import { forbidden, HttpError, notFound, plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import { mayUnprotect } from '../writes/protection.ts';
import { branchRules } from '../writes/protections.queries.ts';
import { describedGrant } from './protections.entity.ts';
import { type GrantKind, type GrantStep, newGrants } from './protections.params.ts';
import {
  type BranchFlags,
  changeBranch,
  changeGrant,
  findRule,
  type GrantValues,
  groupReaches,
  insertGrant,
  insertRule,
  keyWrites,
  type RuleKind,
  type RulePlace,
  type RuleRow,
  removeGrant,
  removeRule,
} from './protections.queries.ts';

export interface ProtectionDependencies {
  readonly db: Db;
  /** The level of somebody on a project. */
  readonly levelOn: (projectId: number, userId: number) => Promise<number>;
  readonly announce: (tx: Db, topic: string) => Promise<void>;
}

export type RuleSubject = ProjectSubject | GroupSubject;

/** Who asks for a change of a place's rules. */
export interface RuleRequest {
  readonly subject: RuleSubject;
  readonly caller: Caller;
  readonly clientAddress: string | null;
}

export type GrantSteps = ReadonlyArray<readonly [GrantKind, readonly GrantStep[]]>;

/** Rules of groups are kept by those at the top. */
export function placeOf(subject: RuleSubject): RulePlace {
  if (subject.kind === 'project') return { projectId: subject.project.id };
  if (subject.group.parent_id !== null)
    throw plainError(400, 'Branches are protected by top-level groups and by projects only');
  return { groupId: subject.group.id };
}

const events = { branch: 'protected_branch', tag: 'protected_tag' } as const;
const targets = { branch: 'ProtectedBranch', tag: 'ProtectedTag' } as const;

const refused = (kind: GrantKind, reason: string) =>
  new HttpError(422, { message: [`${kind[0]?.toUpperCase()}${kind.slice(1)} access levels ${reason}`] });

export function protectionService(deps: ProtectionDependencies) {
  const { db } = deps;

  /** Who is named must be able to use it. */
  async function checkGrant(place: RulePlace, kind: GrantKind, values: GrantValues): Promise<void> {
    const { user_id: user, group_id: group, deploy_key_id: key } = values;
    if ('groupId' in place) {
      if (user === null && group === null && key === null) return;
      throw refused(kind, 'of a group are roles only');
    }
    const { projectId } = place;
    if (user !== null && (await deps.levelOn(projectId, user)) <= 0)
      throw refused(kind, 'user is not a member of the project');
    if (group !== null && !(await groupReaches(db, projectId, group)))
      throw refused(kind, 'group does not have access to the project');
    if (key !== null && !(await keyWrites(db, projectId, key)))
      throw refused(kind, 'deploy key is not enabled with write access for this project');
  }

  async function checkGrants(place: RulePlace, steps: GrantSteps): Promise<void> {
    for (const [kind, list] of steps)
      for (const step of list) if (step.do !== 'remove') await checkGrant(place, kind, step.values);
  }

  async function apply(tx: Db, place: RulePlace, rule: Pick<RuleRow, 'id' | 'grants'>, steps: GrantSteps) {
    for (const [kind, list] of steps)
      for (const step of list) {
        if (step.do !== 'add' && !rule.grants.some((grant) => grant.id === step.id && grant.kind === kind))
          throw notFound('Access Level');
        if (step.do === 'remove') await removeGrant(tx, step.id);
        else if (step.do === 'change') await changeGrant(tx, place, step.id, step.values);
        else await insertGrant(tx, place, rule.id, kind, step.values);
      }
  }

  const entityOf = (subject: RuleSubject) =>
    subject.kind === 'project'
      ? ({
          type: 'Project',
          id: subject.project.id,
          path: `${subject.namespace.full_path}/${subject.project.path}`,
        } as const)
      : ({ type: 'Group', id: subject.group.id, path: subject.group.full_path } as const);

  /** A rule in the words of the log. */
  const told = (rule: RuleRow) => ({
    ...Object.fromEntries(
      [...Map.groupBy(rule.grants, ({ kind }) => kind)].map(([kind, grants]) => [
        `allowed_to_${kind}`,
        grants.map(describedGrant),
      ]),
    ),
    allow_force_push: rule.allow_force_push,
    code_owner_approval_required: rule.code_owner_approval_required,
  });

  async function record(
    tx: Db,
    kind: RuleKind,
    request: RuleRequest,
    verb: 'created' | 'updated' | 'removed',
    rule: RuleRow,
    details: object,
  ): Promise<void> {
    const origin: AuditOrigin = originOf(request);
    await recordAudit(tx, {
      ...origin,
      entity: entityOf(request.subject),
      event: `${events[kind]}_${verb}`,
      details: { name: rule.name, ...details },
      target: { type: targets[kind], id: rule.id, details: rule.name },
    });
    if (request.subject.kind === 'project') await deps.announce(tx, `project:${request.subject.project.id}:refs`);
  }

  async function reread(tx: Db, kind: RuleKind, place: RulePlace, name: string): Promise<RuleRow> {
    const rule = await findRule(tx, kind, place, name);
    if (!rule) throw recordNotFound();
    return rule;
  }

  /** Refuses those whom the rule does not let change or lift it. */
  async function requireUnprotect(tx: Db, { subject, caller }: RuleRequest, rule: RuleRow): Promise<void> {
    const own =
      subject.kind === 'project'
        ? (await branchRules(tx, subject.project.id, caller)).find(({ id }) => id === rule.id)
        : { unprotect: rolesOf(rule) };
    if (!own || !mayUnprotect(own, caller, subject.level)) throw forbidden();
  }

  const duplicate = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (
        isUniqueViolation(error, 'protected_branch_levels_once') ||
        isUniqueViolation(error, 'protected_tag_levels_once')
      )
        throw new HttpError(422, { message: ['Access levels have already been taken'] });
      throw error;
    });

  const service = {
    async find(kind: RuleKind, subject: RuleSubject, name: string): Promise<RuleRow> {
      return await reread(db, kind, placeOf(subject), name);
    },

    async create(
      kind: RuleKind,
      request: RuleRequest,
      name: string,
      flags: BranchFlags,
      steps: GrantSteps,
    ): Promise<RuleRow> {
      const place = placeOf(request.subject);
      await checkGrants(place, steps);
      return await duplicate(
        transaction(db, async (tx) => {
          const id = await insertRule(tx, kind, place, name, flags);
          if (id === null)
            throw kind === 'branch'
              ? plainError(409, `Protected branch '${name}' already exists`)
              : new HttpError(422, { message: ['Name has already been taken'] });
          await apply(tx, place, { id, grants: [] }, steps);
          const rule = await reread(tx, kind, place, name);
          await record(tx, kind, request, 'created', rule, told(rule));
          return rule;
        }),
      );
    },

    async updateBranch(request: RuleRequest, name: string, flags: BranchFlags, steps: GrantSteps): Promise<RuleRow> {
      const place = placeOf(request.subject);
      await checkGrants(place, steps);
      return await duplicate(
        transaction(db, async (tx) => {
          const before = await findRule(tx, 'branch', place, name, true);
          if (!before) throw recordNotFound();
          await requireUnprotect(tx, request, before);
          await apply(tx, place, before, steps);
          await changeBranch(tx, before.id, flags);
          const after = await reread(tx, 'branch', place, name);
          await record(tx, 'branch', request, 'updated', after, { from: told(before), to: told(after) });
          return after;
        }),
      );
    },

    async remove(
      kind: RuleKind,
      request: RuleRequest,
      name: string,
      unmodifiedSince: (changedAt: Date) => void,
    ): Promise<void> {
      const place = placeOf(request.subject);
      await transaction(db, async (tx) => {
        const rule = await findRule(tx, kind, place, name, true);
        if (!rule) throw recordNotFound();
        if (kind === 'branch') await requireUnprotect(tx, request, rule);
        unmodifiedSince(rule.updated_at);
        await removeRule(tx, kind, rule.id);
        await record(tx, kind, request, 'removed', rule, told(rule));
      });
    },
  };
  return {
    ...service,
    /** Protects one branch by the roles that may push and merge; a protection that is there gets those that are given. */
    async protect(request: RuleRequest, name: string, levels: { push?: number; merge?: number }): Promise<void> {
      const before = await findRule(db, 'branch', placeOf(request.subject), name);
      const kinds = ['push', 'merge'] as const;
      if (!before) {
        const all = [...kinds.map((kind) => [kind, newGrants(kind, levels[kind], undefined)] as const)];
        await service.create('branch', request, name, {}, [
          ...all,
          ['unprotect', newGrants('unprotect', undefined, [])],
        ]);
        return;
      }
      const steps = kinds.map((kind) => [kind, replacedRole(before, kind, levels[kind])] as const);
      if (steps.some(([, list]) => list.length > 0)) await service.updateBranch(request, name, {}, steps);
    },
    /** Lifts the protection of one branch, where there is one. */
    async unprotect(request: RuleRequest, name: string): Promise<void> {
      const rule = await findRule(db, 'branch', placeOf(request.subject), name);
      if (rule) await service.remove('branch', request, name, () => undefined);
    },
  };
}

/** One role in the place of those that a rule names; people, groups and keys stay. */
function replacedRole({ grants }: RuleRow, kind: GrantKind, level: number | undefined): GrantStep[] {
  const roles = grants.filter((grant) => grant.kind === kind && grant.level !== null);
  if (level === undefined || (roles.length === 1 && roles[0]?.level === level)) return [];
  const [role] = newGrants(kind, level, undefined);
  return [...roles.map(({ id }) => ({ do: 'remove', id }) as const), ...(role ? [role] : [])];
}
export type ProtectionService = ReturnType<typeof protectionService>;

/** Rules of groups name roles only. */
const rolesOf = ({ grants }: RuleRow) =>
  grants.flatMap(({ kind, level }) =>
    kind === 'unprotect' ? [{ level, userId: null, deployKeyId: null, member: false }] : [],
  );
