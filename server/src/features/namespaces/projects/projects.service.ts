/** Making and changing projects. */
import { randomBytes } from 'node:crypto';
import {
  entityOfPlace,
  eventsOfChanges,
  originOfCaller,
  recordAudit,
  recordAudits,
} from '../../../kernel/audit/index.ts';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import { projectFacts, recordFact } from '../../../kernel/events/index.ts';
import { HttpError, invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { refusesGuest } from '../access/guests.ts';
import { findNamespaceSubject, findProjectSubject } from '../access/parents.queries.ts';
import { withPicture } from '../avatars/pictures.ts';
import type { NamespacesDependencies } from '../deps.ts';
import {
  checkBranchName,
  openness,
  pathFromName,
  projectNameReasons,
  projectPathReasons,
  type Visibility,
  visibilities,
} from '../naming/naming.ts';
import { claimPath, leaveProjectPath } from '../naming/redirects.queries.ts';
import { type Attributes, changesOf, checkLifeOfPipelines } from './attributes.changes.ts';
import { closeForks, requireNoMoreOpen } from './fork-visibility.ts';
import {
  countPersonalProjects,
  deleteProject,
  findPersonalNamespace,
  insertProject,
  insertProjectGrant,
  lockNamespace,
  type ProjectChanges,
  takenInNamespace,
  updateProject,
} from './projects.queries.ts';
import { storageFor } from './storages.ts';

export interface CreateProject extends Attributes {
  readonly name?: string;
  readonly path?: string;
  readonly namespace_id?: number;
  readonly initialize_with_readme?: boolean;
  /** Texts of the first commit by their paths. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface UpdateProject extends Attributes {
  readonly name?: string;
  readonly path?: string;
  readonly archived?: boolean;
}

/** What makes a new project a fork or a copy of another: its repository comes later, by other means. */
export interface ForkOf {
  /** Whose visibility it may not pass; null for what is no fork. */
  readonly source: Project | null;
  readonly columns: Partial<Project>;
  /** In the transaction that makes the row. */
  within(tx: Db, id: number): Promise<void>;
}

const taken = 'has already been taken';

/** Another project or group has the name or the path. */
export class PlaceTaken extends HttpError {
  constructor(by: { readonly path: boolean; readonly name: boolean }) {
    super(400, { message: { ...(by.name ? { name: [taken] } : {}), ...(by.path ? { path: [taken] } : {}) } });
  }
}

/** Names a place on disk that says nothing of its content and is never reused. */
function newRepositoryPath(): string {
  const hash = randomBytes(32).toString('hex');
  return `@hashed/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}.git`;
}

/** A path that stays as it is is not looked at: rules have changed since it was given. */
function checkNames(name: string, path: string | null, above: string): void {
  const reasons = { name: projectNameReasons(name), path: path === null ? [] : projectPathReasons(path, above) };
  const wrong = Object.entries(reasons).filter(([, found]) => found.length > 0);
  if (wrong.length > 0) throw invalidRecord(Object.fromEntries(wrong));
}

function conflictOf(found: { path: boolean; name: boolean }): void {
  if (found.path || found.name) throw new PlaceTaken(found);
}

/** The database's own word, for what was made between check and insert. */
function conflictFrom(error: unknown): unknown {
  const path = isUniqueViolation(error, 'projects_path_key');
  const name = isUniqueViolation(error, 'projects_name_key');
  return path || name ? new PlaceTaken({ path, name: name && !path }) : error;
}

/** Whether the caller may make projects in a group or a personal namespace. */
export const mayCreateIn = (caller: Caller, space: GroupSubject): boolean =>
  space.group.kind === 'user'
    ? caller.admin || space.group.owner_id === caller.user?.id
    : canOnGroup(caller, 'create_project', space);

export function projectService(deps: NamespacesDependencies) {
  const { db, settings } = deps;

  async function checkVisibility(visibility: Visibility, space: Namespace, caller: Caller): Promise<void> {
    if (space.kind === 'group' && openness(visibility) > openness(space.visibility))
      throw invalidRecord({ visibility_level: [`${visibility} is not allowed in a ${space.visibility} group.`] });
    const { restricted_visibility_levels: restricted } = await settings.read();
    if (restricted.includes(visibility) && !caller.admin)
      throw invalidRecord({ visibility_level: [`${visibility} has been restricted by your administrator`] });
  }

  /** A group may have taken the runners of the instance away for good. */
  function checkRunners(space: Pick<Namespace, 'shared_runners_setting'>): void {
    if (space.shared_runners_setting === 'disabled_and_unoverridable')
      throw invalidRecord({ shared_runners_enabled: ['cannot be enabled because parent group does not allow it'] });
  }

  async function targetNamespace(caller: Caller, namespaceId: number | undefined): Promise<Namespace> {
    const user = caller.user;
    if (!user) throw unauthorized();
    if (namespaceId === undefined) {
      const own = await findPersonalNamespace(db, user.id);
      if (!own) throw invalidRecord({ namespace: ["can't be blank"] });
      return own;
    }
    const found = await findNamespaceSubject(db, String(namespaceId), user.id);
    if (found && mayCreateIn(caller, found)) return found.group;
    throw invalidRecord({ namespace: ['is not valid'] });
  }

  async function checkLimit(caller: Caller, space: Namespace): Promise<void> {
    const user = caller.user;
    if (space.kind === 'group' || !user || space.owner_id !== user.id) return;
    if (await refusesGuest(deps, caller))
      throw new HttpError(403, { error: 'Guests cannot create personal projects on this instance' });
    if ((await countPersonalProjects(db, space.id)) < user.projects_limit) return;
    const reason =
      user.projects_limit === 0
        ? 'Personal project creation is not allowed. Please contact your administrator with questions'
        : `Your project limit is ${user.projects_limit} projects! Please contact your administrator to increase it`;
    throw new HttpError(403, { error: reason });
  }

  async function defaultVisibility(space: Namespace, source?: Project | null): Promise<Visibility> {
    const wanted = source?.visibility ?? (await settings.read()).default_project_visibility;
    const most = space.kind === 'group' ? openness(space.visibility) : openness('public');
    return visibilities[Math.min(openness(wanted), most)] ?? 'private';
  }

  async function create(caller: Caller, params: CreateProject, fork?: ForkOf): Promise<ProjectSubject> {
    const user = caller.user;
    if (!user) throw unauthorized();
    const space = await targetNamespace(caller, params.namespace_id);
    const name = params.name ?? params.path ?? '';
    const path = params.path ?? pathFromName(name);
    checkNames(name, path, space.full_path);
    checkBranchName(params.default_branch);
    await checkLimit(caller, space);
    const visibility = params.visibility ?? (await defaultVisibility(space, fork?.source));
    await requireNoMoreOpen(db, visibility, fork?.source?.id ?? null);
    await checkVisibility(visibility, space, caller);
    if (params.shared_runners_enabled) checkRunners(space);
    const values = await settings.read();
    checkLifeOfPipelines(params, values.ci_delete_pipelines_in_seconds_limit_human_readable);
    const place = {
      repository_storage: storageFor(deps.repositoryStorages, values.repository_storages_weighted),
      repository_path: newRepositoryPath(),
    };
    const branch = params.default_branch ?? space.default_branch ?? values.default_branch_name;
    const make = (picture: string | null | undefined) =>
      transaction(db, async (tx) => {
        if (!(await lockNamespace(tx, space.id))) throw invalidRecord({ namespace: ['is not valid'] });
        conflictOf(await takenInNamespace(tx, space, { name, path }, null));
        await requireNoMoreOpen(tx, visibility, fork?.source?.id ?? null);
        await claimPath(tx, `${space.full_path}/${path}`);
        const row = await insertProject(tx, {
          shared_runners_enabled: values.shared_runners_enabled && space.shared_runners_setting === 'enabled',
          ...(fork ? {} : { ci_config_path: params.ci_config_path ?? values.default_ci_config_path }),
          ...fork?.columns,
          ...changesOf(params, caller),
          ...(picture ? { avatar_object_key: picture } : {}),
          name,
          path,
          visibility,
          namespace_id: space.id,
          creator_id: user.id,
          default_branch: fork ? (fork.columns.default_branch ?? null) : branch,
          ...place,
        } as Parameters<typeof insertProject>[1]);
        const ownerId = space.kind === 'user' ? space.owner_id : null;
        if (ownerId !== null)
          await insertProjectGrant(tx, {
            userId: ownerId,
            projectId: row.id,
            level: Level.owner,
            createdById: user.id,
          });
        await recordAudit(tx, {
          ...originOfCaller(caller),
          entity: entityOfPlace({ kind: 'project', project: row, namespace: space }),
          event: 'project_created',
          details: { visibility },
        });
        if (fork) await fork.within(tx, row.id);
        await recordFact(
          tx,
          projectFacts.created,
          { project_id: row.id },
          { project_id: row.id, namespace_id: space.id, actor_id: user.id },
        );
        return row;
      });
    // Before anybody sees the project. Who is interrupted here leaves a directory that the sweep of storages finds.
    if (!fork) await deps.repository.projectPlaced(place, branch || 'main');
    const project = await withPicture(deps.avatars, params.avatar, make).catch(async (error: unknown) => {
      if (!fork) await deps.repository.projectUnplaced(place);
      throw conflictFrom(error);
    });
    const subject = await findProjectSubject(db, String(project.id), user.id);
    if (!subject) throw notFound('Project');
    if (fork) return subject;
    try {
      await deps.repository.projectCreated(subject, {
        caller,
        // Nobody may push to a repository that is switched off: the project is created without.
        initializeWithReadme: params.initialize_with_readme === true && project.repository_access_level !== 'disabled',
        ...(params.files ? { files: params.files } : {}),
      });
    } catch (error) {
      await transaction(db, async (tx) => {
        await deps.repository.projectRemoved(tx, project);
        await deleteProject(tx, project.id);
        const about = { ...originOfCaller(caller), entity: entityOfPlace(subject) };
        await recordAudit(tx, { ...about, event: 'project_destroyed', details: { reason: 'could not be set up' } });
      });
      throw error;
    }
    return (await findProjectSubject(db, String(project.id), user.id)) ?? subject;
  }

  async function checkedChanges(
    subject: ProjectSubject,
    caller: Caller,
    params: UpdateProject,
  ): Promise<ProjectChanges> {
    const { project } = subject;
    const changes: ProjectChanges = changesOf(params, caller, project);
    checkLifeOfPipelines(params, (await settings.read()).ci_delete_pipelines_in_seconds_limit_human_readable);
    if (params.visibility !== undefined && params.visibility !== project.visibility) {
      requireOnProject(caller, 'change_project_visibility', subject);
      const space = await findNamespaceSubject(db, String(project.namespace_id), null);
      if (space) await checkVisibility(params.visibility, space.group, caller);
      changes.visibility = params.visibility;
    }
    if (params.shared_runners_enabled && !project.shared_runners_enabled) {
      const space = await findNamespaceSubject(db, String(project.namespace_id), null);
      if (space) checkRunners(space.group);
    }
    if (params.archived !== undefined && params.archived !== project.archived) {
      requireOnProject(caller, 'archive_project', subject);
      changes.archived = params.archived;
    }
    const name = params.name ?? project.name;
    const path = params.path ?? project.path;
    if (path !== project.path) requireOnProject(caller, 'rename_project', subject);
    if (name !== project.name || path !== project.path) {
      checkNames(name, path === project.path ? null : path, subject.namespace.full_path);
      changes.name = name;
      changes.path = path;
    }
    return changes;
  }

  /** `within` runs in the same transaction. */
  async function update(
    subject: ProjectSubject,
    caller: Caller,
    params: UpdateProject,
    within?: (tx: Db) => Promise<unknown>,
  ): Promise<ProjectSubject> {
    const { project } = subject;
    const changes = await checkedChanges(subject, caller, params);
    const branch = params.default_branch;
    checkBranchName(branch);
    if (branch !== undefined && branch !== project.default_branch) {
      if (project.refs_generation > 0 && !(await deps.repository.changeDefaultBranch(project, branch)))
        throw invalidRecord({ base: [`Could not change HEAD: branch '${branch}' does not exist`] });
      changes.default_branch = branch;
    }
    const path = changes.path ?? project.path;
    const oldPath = `${subject.namespace.full_path}/${project.path}`;
    const save = (picture: string | null | undefined) =>
      transaction(db, async (tx) => {
        if (changes.path !== undefined) {
          const space = await lockNamespace(tx, project.namespace_id);
          if (!space) throw notFound('Project');
          const wanted = { name: changes.name ?? project.name, path: changes.path };
          conflictOf(await takenInNamespace(tx, space, wanted, project.id));
          if (changes.path.toLowerCase() !== project.path.toLowerCase()) {
            await claimPath(tx, `${space.full_path}/${changes.path}`);
            await leaveProjectPath(tx, project.id, `${space.full_path}/${project.path}`);
          }
        }
        const { visibility } = changes;
        if (visibility !== undefined) await requireNoMoreOpen(tx, visibility, project.forked_from_project_id);
        const pictured = picture === undefined ? changes : { ...changes, avatar_object_key: picture };
        if (!(await updateProject(tx, project.id, pictured))) throw notFound('Project');
        if (visibility !== undefined) await closeForks(tx, caller, [project.id], visibility);
        const about = { ...originOfCaller(caller), entity: entityOfPlace(subject) };
        await recordAudits(tx, eventsOfChanges(about, 'project', project, changes));
        if (picture !== undefined) await recordAudit(tx, { ...about, event: 'project_avatar_updated', details: {} });
        await recordFact(
          tx,
          projectFacts.updated,
          { project_id: project.id, ...(path !== project.path ? { old_path: oldPath } : {}) },
          { project_id: project.id, namespace_id: project.namespace_id, actor_id: caller.user?.id ?? null },
        );
        await within?.(tx);
      });
    await withPicture(deps.avatars, params.avatar, save).catch((error: unknown) => {
      throw conflictFrom(error);
    });
    return await reload(project, caller);
  }

  async function reload(project: Pick<Project, 'id'>, caller: Caller): Promise<ProjectSubject> {
    const found = await findProjectSubject(db, String(project.id), caller.user?.id ?? null);
    if (!found) throw notFound('Project');
    return found;
  }

  return { create, update, reload };
}

export type ProjectService = ReturnType<typeof projectService>;
