/** Changes of feature flags: the flag, its strategies and their environments together. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import { featureFlagToggled, recordFact } from '../../../kernel/events/index.ts';
import { plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import { nextIid } from '../../namespaces/index.ts';
import type { FlagWithStrategies, StrategyJson } from './feature-flags.entity.ts';
import * as queries from './feature-flags.queries.ts';
import { flagNameProblems, ofUserList, strategyProblem } from './strategies.ts';
import { userListById } from './user-lists.queries.ts';

interface GivenScope {
  readonly id?: number;
  readonly environment_scope?: string;
  readonly _destroy?: boolean;
}
export interface GivenStrategy {
  readonly id?: number;
  readonly name?: string;
  readonly parameters?: Record<string, unknown>;
  readonly user_list_id?: number;
  readonly scopes?: readonly GivenScope[];
  readonly _destroy?: boolean;
}
export interface GivenFlag {
  readonly name?: string;
  readonly description?: string | null;
  readonly active?: boolean;
  readonly strategies?: readonly GivenStrategy[];
}

/** The reasons as one text. */
export const refused = (problems: readonly string[]) => plainError(400, problems.join(', '));

function nameTaken(error: unknown): unknown {
  return isUniqueViolation(error, 'feature_flags_name') ? refused(['Name has already been taken']) : error;
}
function scopeTaken(error: unknown): unknown {
  return isUniqueViolation(error, 'feature_flag_scopes_environment')
    ? refused(['Strategies scopes environment scope has already been taken'])
    : error;
}

export function featureFlagService(db: Db) {
  async function putScopes(tx: Db, strategyId: number, known: StrategyJson['scopes'], given: readonly GivenScope[]) {
    for (const { id, environment_scope, _destroy } of given) {
      if (id === undefined) {
        if (_destroy) continue;
        if (!environment_scope) throw refused(["Strategies scopes environment scope can't be blank"]);
        await queries.insertScope(tx, { strategy_id: strategyId, environment_scope });
        continue;
      }
      if (!known.some((each) => each.id === id)) throw recordNotFound();
      if (_destroy) await queries.deleteScope(tx, id);
      else if (environment_scope) await queries.updateScope(tx, id, environment_scope);
    }
  }

  /** The list of people that a strategy names. */
  async function listOf(tx: Db, projectId: number, strategy: { name: string; listId: number | null }) {
    const { name, listId } = strategy;
    if (name !== ofUserList) {
      if (listId !== null) throw refused(['Strategies user list must be blank']);
      return null;
    }
    if (listId === null) throw refused(["Strategies user list can't be blank"]);
    const list = await userListById(tx, projectId, listId);
    // Lists of other projects do not exist for this one.
    if (!list) throw recordNotFound();
    return list.id;
  }

  async function putStrategies(
    tx: Db,
    flag: { readonly id: number; readonly project_id: number },
    known: readonly StrategyJson[],
    given: readonly GivenStrategy[],
  ): Promise<void> {
    for (const each of given) {
      const before = each.id === undefined ? undefined : known.find(({ id }) => id === each.id);
      if (each.id !== undefined && !before) throw recordNotFound();
      if (each._destroy) {
        if (before) await queries.deleteStrategy(tx, before.id);
        continue;
      }
      const name = each.name ?? before?.name ?? '';
      const parameters = each.parameters ?? before?.parameters ?? {};
      const problem = strategyProblem(name, parameters);
      if (problem !== null) throw refused([problem]);
      const kept = name === ofUserList ? (before?.user_list?.id ?? null) : null;
      const user_list_id = await listOf(tx, flag.project_id, { name, listId: each.user_list_id ?? kept });
      const values = { name, parameters: JSON.stringify(parameters), user_list_id };
      if (before) await queries.updateStrategy(tx, before.id, values);
      const id = before?.id ?? (await queries.insertStrategy(tx, { ...values, feature_flag_id: flag.id })).id;
      await putScopes(tx, id, before?.scopes ?? [], each.scopes ?? []).catch((error: unknown) => {
        throw scopeTaken(error);
      });
    }
  }

  const whole = async (tx: Db, projectId: number, name: string): Promise<FlagWithStrategies> => {
    const found = await queries.findFlag(tx, projectId, name);
    if (!found) throw recordNotFound();
    return found;
  };
  const recorded = (
    tx: Db,
    { project, namespace }: ProjectSubject,
    origin: AuditOrigin,
    event: string,
    flag: { id: number; name: string },
    details: object,
  ) =>
    recordAudit(tx, {
      ...origin,
      entity: { type: 'Project', id: project.id, path: `${namespace.full_path}/${project.path}` },
      event,
      details: { ...details },
      target: { type: 'FeatureFlag', id: flag.id, details: flag.name },
    });
  const told = ({ strategies }: Pick<FlagWithStrategies, 'strategies'>) =>
    strategies.map(({ name, parameters, scopes, user_list }) => ({
      ...{ name, parameters, environments: scopes.map(({ environment_scope }) => environment_scope) },
      ...(user_list ? { user_list: user_list.name } : {}),
    }));

  return {
    async create(subject: ProjectSubject, given: GivenFlag & { readonly name: string }, origin: AuditOrigin) {
      const { project } = subject;
      const problems = flagNameProblems(given.name);
      if (problems.length > 0) throw refused(problems);
      const { name, description = null, active = true, strategies = [] } = given;
      const work = transaction(db, async (tx) => {
        const iid = await nextIid(tx, project.id, 'feature_flag');
        const flag = await queries.insertFlag(tx, { project_id: project.id, iid, name, description, active });
        await putStrategies(tx, flag, [], strategies);
        const made = await whole(tx, project.id, name);
        const details = { name, description, active, strategies: told(made) };
        await recorded(tx, subject, origin, 'feature_flag_created', made, details);
        return made;
      });
      return await work.catch((error: unknown) => {
        throw nameTaken(error);
      });
    },

    async update(subject: ProjectSubject, name: string, given: GivenFlag, origin: AuditOrigin) {
      const { project } = subject;
      const problems = given.name === undefined ? [] : flagNameProblems(given.name);
      if (problems.length > 0) throw refused(problems);
      const { strategies = [], ...values } = given;
      const work = transaction(db, async (tx) => {
        const flag = await queries.lockFlag(tx, project.id, name);
        if (!flag) throw recordNotFound();
        const before = await whole(tx, project.id, name);
        await putStrategies(tx, flag, before.strategies, strategies);
        await queries.updateFlag(tx, flag.id, values);
        const after = await whole(tx, project.id, values.name ?? name);
        const details = { ...values, ...(strategies.length > 0 ? { strategies: told(after) } : {}) };
        await recorded(tx, subject, origin, 'feature_flag_updated', after, details);
        const { description, active } = after;
        if (active !== before.active)
          await recordFact(
            tx,
            featureFlagToggled,
            { flag_id: flag.id, name: after.name, description, active },
            { project_id: project.id, namespace_id: project.namespace_id, actor_id: origin.author?.id ?? null },
          );
        return after;
      });
      return await work.catch((error: unknown) => {
        throw nameTaken(error);
      });
    },

    async remove(
      subject: ProjectSubject,
      name: string,
      origin: AuditOrigin,
      checked: (at: Date) => void,
    ): Promise<void> {
      await transaction(db, async (tx) => {
        const flag = await queries.lockFlag(tx, subject.project.id, name);
        if (!flag) throw recordNotFound();
        checked(flag.updated_at);
        await queries.deleteFlag(tx, flag.id);
        await recorded(tx, subject, origin, 'feature_flag_deleted', flag, { name });
      });
    },
  };
}
