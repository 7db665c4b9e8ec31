/** Rules of runners: who manages one, tokens, what may be changed. */

import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Runner } from '../../../kernel/db/rows.ts';
import { forbidden, invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { type ParentLoader, requireOnGroup, requireOnProject } from '../../../kernel/http/parents.ts';
import { tokenPrefixes } from '../../../kernel/names.ts';
import { newToken, tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findRunner, hasRoleWhereRunnerServes, type NewRunner, projectsOf } from './runners.queries.ts';

/** Shortest time limit that a runner may have, in seconds. */
const minimumTimeout = 600;
/** Longest, in seconds: what its column holds. */
const longestTimeout = 2_147_483_647;
const maxTags = 50;

/** A new authentication token, and what is stored of it. */
export interface RunnerSecret {
  readonly token: string;
  readonly hash: Buffer;
  readonly expiresAt: Date | null;
}

/** How long new tokens of a kind of runner live, by the settings of the instance; null for ever. */
async function tokenLifetime(settings: Settings, type: Runner['runner_type']): Promise<number | null> {
  const {
    runner_token_expiration_interval: ofInstance,
    group_runner_token_expiration_interval: ofGroups,
    project_runner_token_expiration_interval: ofProjects,
  } = await settings.read();
  return { instance_type: ofInstance, group_type: ofGroups, project_type: ofProjects }[type];
}

/** Its prefix tells runners what to do when they unregister. Runners ask for another token before it expires. */
export async function newRunnerToken(
  settings: Settings,
  type: Runner['runner_type'],
  registration: Runner['registration_type'],
): Promise<RunnerSecret> {
  const token = newToken(registration === 'registration_token' ? tokenPrefixes.registeredRunner : tokenPrefixes.runner);
  const seconds = await tokenLifetime(settings, type);
  const expiresAt = seconds === null ? null : new Date(Date.now() + seconds * 1000);
  return { token, hash: tokenHash(token), expiresAt };
}

/** Whether others than administrators may add runners to projects or groups of the instance. */
export async function mayBeRegistered(settings: Settings, type: Runner['runner_type']): Promise<boolean> {
  if (type === 'instance_type') return true;
  const { valid_runner_registrars: registrars } = await settings.read();
  return registrars.includes(type === 'group_type' ? 'group' : 'project');
}

export interface RunnerSettings {
  readonly description?: string | undefined;
  readonly maintenance_note?: string | null | undefined;
  readonly paused?: boolean | undefined;
  readonly active?: boolean | undefined;
  readonly locked?: boolean | undefined;
  readonly run_untagged?: boolean | undefined;
  readonly tag_list?: readonly string[] | undefined;
  readonly access_level?: 'not_protected' | 'ref_protected' | undefined;
  readonly maximum_timeout?: number | null | undefined;
}

/** Tags without blanks and doubles. */
export const cleanTags = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== '')),
];

/** 400 with reasons by field for settings that no runner may have. */
export function checkSettings(settings: RunnerSettings, tags: readonly string[], runUntagged: boolean): void {
  const problems: Record<string, string[]> = {};
  const timeout = settings.maximum_timeout;
  if (timeout !== undefined && timeout !== null && timeout < minimumTimeout)
    problems.maximum_timeout = ['needs to be at least 10 minutes'];
  if ((timeout ?? 0) > longestTimeout) problems.maximum_timeout = [`must be at most ${longestTimeout} seconds`];
  if (tags.length > maxTags)
    problems.tags_list = [`Too many tags specified. Please limit the number of tags to ${maxTags}`];
  if (tags.length === 0 && !runUntagged)
    problems.tags_list = ['can not be empty when runner is not allowed to pick untagged jobs'];
  if ((settings.maintenance_note?.length ?? 0) > 1024)
    problems.maintenance_note = ['is too long (maximum is 1024 characters)'];
  if (Object.keys(problems).length > 0) throw invalidRecord(problems);
}

/** The row of a new runner from what was asked. */
export function runnerFrom(
  settings: RunnerSettings,
  owner: Pick<NewRunner, 'type' | 'namespaceId' | 'projectId' | 'registrationType' | 'createdById'>,
  { hash, expiresAt }: RunnerSecret,
): NewRunner {
  const tags = cleanTags(settings.tag_list ?? []);
  const runUntagged = settings.run_untagged ?? true;
  checkSettings(settings, tags, runUntagged);
  return {
    ...owner,
    tokenSha256: hash,
    tokenExpiresAt: expiresAt,
    description: settings.description ?? '',
    maintenanceNote: settings.maintenance_note ?? null,
    paused: settings.paused ?? (settings.active === undefined ? false : !settings.active),
    locked: settings.locked ?? false,
    runUntagged,
    tags,
    accessLevel: settings.access_level ?? 'not_protected',
    maximumTimeout: settings.maximum_timeout ?? null,
  };
}

export const isBuiltIn = (runner: Runner, builtIn: CiDependencies['builtIn']): boolean =>
  runner.built_in && builtIn.exists();

/**
 * The built-in runner is the instance's own: nothing would make its row again before the next start. Where the
 * configuration has switched it off, its row may go.
 */
export function requireReplaceable(runner: Runner, builtIn: CiDependencies['builtIn']): void {
  if (isBuiltIn(runner, builtIn)) throw forbidden('the built-in runner belongs to the instance: pause it instead');
}

export type RunnerAccess = ReturnType<typeof runnerAccess>;

/** Who may see and change which runner. `parents` loads projects and groups with the caller's level. */
export function runnerAccess(db: Db, parents: ParentLoader) {
  async function manages(caller: Caller, runner: Runner): Promise<boolean> {
    if (caller.admin) return true;
    switch (runner.runner_type) {
      case 'instance_type':
        return false;
      case 'group_type': {
        const group = await parents.group(String(runner.namespace_id), caller);
        return group !== null && canOnGroup(caller, 'admin_group_runner', group);
      }
      case 'project_type': {
        const ids = (await projectsOf(db, runner.id)).map(({ project }) => project.id);
        const projects = [...(await parents.projects(ids, caller)).values()];
        return projects.some((subject) => canOnProject(caller, 'admin_runner', subject));
      }
    }
  }

  async function find(id: number): Promise<Runner> {
    const runner = await findRunner(db, id);
    if (!runner) throw notFound('Runner');
    return runner;
  }

  const serves = async (caller: Caller, runner: Runner, level: number) =>
    caller.user !== null && (await hasRoleWhereRunnerServes(db, runner, caller.user.id, level));

  /** Instance runners are shown to everybody, others to Maintainers of their group or of a project that they serve. */
  async function reads(caller: Caller, runner: Runner): Promise<boolean> {
    if (runner.runner_type === 'instance_type' || (await manages(caller, runner))) return true;
    if (runner.runner_type === 'project_type') return false;
    const group = await parents.group(String(runner.namespace_id), caller);
    return (
      (group !== null && canOnGroup(caller, 'read_group_runner', group)) ||
      (await serves(caller, runner, Level.maintainer))
    );
  }

  return {
    find,
    /** A runner that the caller may look at. */
    async toRead(caller: Caller, id: number): Promise<Runner> {
      const runner = await find(id);
      if (await reads(caller, runner)) return runner;
      throw forbidden('No access granted');
    },
    /** A runner whose jobs the caller may list, those of projects in which the caller is a Reporter at least. */
    async toListJobs(caller: Caller, id: number): Promise<Runner> {
      const runner = await find(id);
      if ((await reads(caller, runner)) || (await serves(caller, runner, Level.reporter))) return runner;
      throw forbidden('No access granted');
    },
    /** A runner that the caller may change. */
    async toChange(caller: Caller, id: number): Promise<Runner> {
      const runner = await find(id);
      if (await manages(caller, runner)) return runner;
      throw forbidden('No access granted');
    },
    manages,
    /** The project or group that a new runner is for. */
    async owner(
      caller: Caller,
      type: Runner['runner_type'],
      ids: { groupId?: number | undefined; projectId?: number | undefined },
    ): Promise<Pick<NewRunner, 'type' | 'namespaceId' | 'projectId'>> {
      if (caller.user === null) throw unauthorized();
      if (type === 'instance_type') {
        if (!caller.admin) throw forbidden();
        return { type, namespaceId: null, projectId: null };
      }
      if (type === 'group_type') {
        const group = await parents.group(String(ids.groupId), caller);
        if (!group) throw notFound('Group');
        requireOnGroup(caller, 'admin_group_runner', group);
        return { type, namespaceId: group.group.id, projectId: null };
      }
      const project = await parents.project(String(ids.projectId), caller);
      if (!project) throw notFound('Project');
      requireOnProject(caller, 'admin_runner', project);
      return { type, namespaceId: null, projectId: project.project.id };
    },
  };
}
